/// One line that helps those who come from aria2, axel, curl, wget and their kin. None of it is an option here.
package enum Habits {
    /// What an unknown letter means elsewhere, and how to say it here.
    ///
    /// - Parameters:
    ///   - letter: The letter after `-`.
    ///   - value: What follows it, attached or as the next argument.
    /// - Returns: A sentence; `nil` where the letter is unknown elsewhere, too.
    package static func short(_ letter: Character, value: String?) -> String? {
        if letter == "S", let value { return connections(letter, value) }
        return letters[letter]
    }

    /// What `-x N`, `-n N` and `-S N` mean in aria2, axel and others. `-x` and `-n` are options here, too.
    static func connections(_ letter: Character, _ value: String) -> String? {
        guard Value.isDigits(value), value.utf8.count <= 5 else { return nil }
        return "'-\(letter) \(value)' sets connections elsewhere: here it is '-j \(value)'."
    }

    /// What `-s VALUE` means elsewhere: connections in aria2, silence in curl.
    static func segmentSize(_ value: String) -> String? {
        if Value.isDigits(value), let count = Int(value), (1...512).contains(count) {
            return "'-s \(count)' sets connections elsewhere: here it is '-j \(count)' "
                + "('-s' is the segment size, for instance '-s 1M')."
        }
        guard value.hasPrefix("http://") || value.hasPrefix("https://") else { return nil }
        return "'-s' silences curl: here it is '-q' ('-s' is the segment size, for instance '-s 1M')."
    }

    /// What `-k SIZE` means in aria2.
    static func minimumSplit(_ value: String) -> String? {
        guard Value.byteCount(value) != nil else { return nil }
        return "'-k \(value)' is aria2's smallest piece: here it is '-s \(value)' ('-k' accepts any certificate)."
    }

    private static let resumes = "a rerun of the same command always resumes"
    private static let jobs = "the number of connections is '-j N' here"
    private static let redirects = "Redirects are always followed"

    private static let letters: [Character: String] = [
        "c": "'-c' is not needed: \(resumes).",
        "C": "'-C' is not needed: \(resumes).",
        "L": "\(redirects): leave '-L' out.",
        "O": "The name comes from the server or the URL by itself: leave '-O' out, or give a name with '-o FILE'.",
        "J": "The server's name for the file is always used: leave '-J' out.",
        "P": "'-P DIR' is '-d DIR' here.",
        "U": "'-U TEXT' is '-A TEXT' here.",
        "N":
            "'-N' is not here: a file that is the server's is left, of another one '--overwrite' gets the new version.",
        "Z": "'-Z' is not needed: \(jobs).",
        "f": "'-f' is not needed: a server's error always ends with a status that is not 0.",
        "t": "'-t N' is '--retry N' here, and 0 is none.",
        "T": "'-T SECONDS' is '--connect-timeout SECONDS' and '--stall-timeout SECONDS' here.",
        "a": "'-a' is '--progress plain', or '--progress bar', here.",
        "e": "'-e URL' is '--referer URL' here.",
    ]

    /// Long options of other tools.
    package static let long: [String: String] = [
        "continue": "'--continue' is not needed: \(resumes).",
        "continue-at": "'--continue-at' is not needed: \(resumes).",
        "split": "'--split N' sets connections elsewhere: \(jobs).",
        "max-connection-per-server": "'--max-connection-per-server N' sets connections elsewhere: \(jobs).",
        "max-concurrent-downloads": "'--max-concurrent-downloads' is not here: \(jobs).",
        "num-connections": "'--num-connections N' sets connections elsewhere: \(jobs).",
        "max-threads": "'--max-threads N' sets connections elsewhere: \(jobs).",
        "connections": "'--connections N' sets connections elsewhere: \(jobs).",
        "threads": "'--threads N' sets connections elsewhere: \(jobs).",
        "parallel": "'--parallel' is not needed: \(jobs).",
        "parallel-max": "'--parallel-max N' sets connections elsewhere: \(jobs).",
        "max-overall-download-limit": "'--max-overall-download-limit RATE' is '--limit-rate RATE' here.",
        "max-download-limit": "'--max-download-limit RATE' is '--limit-rate RATE' here, for the whole run.",
        "max-speed": "'--max-speed RATE' is '--limit-rate RATE' here.",
        "min-split-size": "'--min-split-size SIZE' is '--segment-size SIZE' here.",
        "piece-length": "'--piece-length SIZE' is '--segment-size SIZE' here.",
        "chunk-size": "'--chunk-size SIZE' is '--segment-size SIZE' here.",
        "location": "\(redirects): leave '--location' out.",
        "remote-name": "The name comes from the server or the URL by itself: leave '--remote-name' out.",
        "remote-header-name": "The server's name for the file is always used: leave '--remote-header-name' out.",
        "content-disposition": "The server's name for the file is always used: leave '--content-disposition' out.",
        "output-document": "'--output-document FILE' is '--output FILE' here.",
        "out": "'--out FILE' is '--output FILE' here.",
        "dir": "'--dir DIR' is '--directory DIR' here.",
        "output-dir": "'--output-dir DIR' is '--directory DIR' here.",
        "directory-prefix": "'--directory-prefix DIR' is '--directory DIR' here.",
        "create-dirs": "The folder of '--directory' is always created: leave '--create-dirs' out.",
        "tries": "'--tries N' is '--retry N' here, and 0 is none.",
        "max-tries": "'--max-tries N' is '--retry N' here, and 0 is none.",
        "retry-delay": "'--retry-delay SECONDS' is '--retry-wait SECONDS' here.",
        "waitretry": "'--waitretry SECONDS' is '--retry-wait SECONDS' here.",
        "timeout": "'--timeout SECONDS' is '--connect-timeout SECONDS' and '--stall-timeout SECONDS' here.",
        "read-timeout": "'--read-timeout SECONDS' is '--stall-timeout SECONDS' here.",
        "silent": "'--silent' is '--quiet' here.",
        "no-verbose": "'--no-verbose' is '--quiet' here.",
        "show-progress": "'--show-progress' is '--progress bar' here.",
        "progress-bar": "'--progress-bar' is '--progress bar' here.",
        "no-check-certificate": "'--no-check-certificate' is '--insecure' here.",
        "check-certificate": "'--check-certificate=false' is '--insecure' here.",
        "ca-certificate": "'--ca-certificate FILE' is '--cacert FILE' here.",
        "all-proxy": "'--all-proxy URL' is '--proxy URL' here.",
        "http-proxy": "'--http-proxy URL' is '--proxy URL' here.",
        "https-proxy": "'--https-proxy URL' is '--proxy URL' here.",
        "socks5": "'--socks5 HOST:PORT' is '--proxy socks5://HOST:PORT' here.",
        "socks5-hostname": "'--socks5-hostname HOST:PORT' is '--proxy socks5h://HOST:PORT' here.",
        "proxy-user": "The user of a proxy stands in its address here: '--proxy http://USER:PASSWORD@HOST:PORT'.",
        "no-proxy": "'--no-proxy LIST' is '--noproxy LIST' here.",
        "load-cookies": "'--load-cookies FILE' is '--cookie FILE' here.",
        "cookie-jar": "Cookies are kept until the end of a run and never written: leave '--cookie-jar' out.",
        "netrc-file": "'--netrc-file FILE' is the environment variable NETRC and '--netrc' here.",
        "netrc-path": "'--netrc-path FILE' is the environment variable NETRC and '--netrc' here.",
        "certificate": "'--certificate FILE' is '--cert FILE' here.",
        "private-key": "'--private-key FILE' is '--key FILE' here.",
        "http2": "'--http2' is '--http 2' here.",
        "inet4-only": "'--inet4-only' is '--ipv4' here.",
        "inet6-only": "'--inet6-only' is '--ipv6' here.",
        "disable-ipv6": "'--disable-ipv6' is '--ipv4' here.",
        "bind-address": "'--bind-address ADDRESS' is '--interface ADDRESS' here.",
        "fail": "'--fail' is not needed: a server's error always ends with a status that is not 0.",
        "allow-overwrite": "'--allow-overwrite' is '--overwrite' here.",
        "no-clobber": "'--no-clobber' is '--exists skip' here.",
        "timestamping":
            "'--timestamping' is not here: a file that is the server's is left, of another one '--overwrite' gets the new version.",
        "file-allocation": "Room on the disk is always set aside first: leave '--file-allocation' out.",
    ]
}
