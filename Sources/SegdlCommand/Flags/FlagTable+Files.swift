import SegmentedDownload

extension FlagTable {
    /// Where the file goes, and what becomes of one that is there.
    static let fileFlags = [
        Flag(
            "input-file",
            "i",
            .init(placeholder: "FILE", example: "list.txt"),
            in: .files,
            "fetch the URLs of a list, one a line; - is stdin",
            details: """
                Fetch the URLs of a list, too: one a line, after those of the command line; '-' is standard input. May be \
                given several times. Blank lines and lines that begin with '#' are left out. Indented lines KEY=VALUE \
                belong to the URL above: 'out=' is the file's name, 'dir=' the folder instead of that of \
                '--directory', 'checksum=' the digest that the file must have, 'header=' a further header line to \
                send, which goes to the origin of its URL and to no other. Of a key that is there twice the last one \
                counts, and every 'header='. A list is read while its files are fetched: where a pipe brings nothing \
                for a second, its last URL is begun, and what comes later for that one is an error. A line that is \
                wrong ends its own URL with status 2 and no other.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.lists.append(try Value.listSource(value))
        },
        Flag(
            "output",
            "o",
            .init(placeholder: "FILE", example: "disk.iso"),
            in: .files,
            "name of the file (with one URL only)",
            default: "the server's",
            details: """
                The name or path of the file, relative to '--directory'. Its folder must exist. With one URL only. \
                Without it, the name comes from the server's Content-Disposition, else from the URL.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.request.output = try Value.output(value)
        },
        Flag(
            "directory",
            "d",
            .init(placeholder: "DIR", example: "downloads"),
            in: .files,
            "folder of the files; created if missing",
            default: "here",
            details: "The folder that files go to. It is created where it is missing."
        ) { (value, options) throws(Flag.ValueError) in
            options.request.directory = try Value.path(value)
        },
        Flag(
            "exists",
            nil,
            .init(placeholder: "WHAT", example: "rename"),
            in: .files,
            "file is there: check, skip or rename",
            default: "check",
            details: """
                What to do when the file is there already. 'check': compare its length and sample blocks with the \
                server's, and the checksum, where one is given; the same is a success, anything else ends with status 3. \
                'skip': leave it, and succeed, unless a checksum is given that it does not have. 'rename': take the \
                first name FILE.N that does not exist; its part file is resumed. Of '--exists' and '--overwrite' the last \
                one given counts.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.request.existing = try Value.choice(
                value,
                of: [("check", .check), ("skip", .skip), ("rename", .rename)]
            )
        },
        Flag(
            "overwrite",
            in: .files,
            "replace a file that is there, once complete",
            details: "Replace a file that is there already when, and only when, the new one is complete."
        ) { _, options in
            options.request.existing = .overwrite
        },
        Flag(
            "restart",
            in: .files,
            "throw away what an earlier run left",
            details: """
                Throw the part file and the journal of an earlier run away. A complete file under its own name stays: see \
                '--overwrite'.
                """
        ) { _, options in
            options.request.restarts = true
        },
        Flag(
            "checksum",
            nil,
            .init(placeholder: "ALGORITHM:HEX", example: "sha256:\(String(repeating: "0", count: 64))"),
            in: .files,
            "digest that the file must have (with one URL only)",
            details: """
                The digest that the file must have: md5, sha1, sha256 or sha512, a colon, and its hexadecimal digits. \
                It is made while the file still comes. Where it is another, status 9: the file does not get its name, \
                and what was fetched stays, so that a mistyped digest that is corrected fetches nothing. A file that is damaged or \
                another one is fetched again with '--restart'.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.request.checksum = try Value.checksum(value)
        },
        Flag(
            "remote-time",
            "R",
            in: .files,
            "give the file the server's date",
            details: """
                Give the file the time of its last change on the server (Last-Modified). Where that is \
                missing, invalid or before 1970, segdl says so, and the file keeps the time of its download.
                """
        ) { _, options in
            options.request.usesRemoteTime = true
        },
        Flag(
            "no-sync",
            in: .files,
            "don't wait for the disk; unsafe at power cuts",
            details: """
                Don't wait until the disk has the data. Faster on slow disks; a power cut may cost the file, also one \
                that is complete.
                """
        ) { _, options in
            options.request.syncs = false
        },
    ]
}
