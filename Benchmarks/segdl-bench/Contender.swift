/// A downloader, and how it is asked for one file.
struct Contender: Sendable {
    /// Makes the command line from the URL and from the folder and the name of the file to be.
    typealias Command = @Sendable (_ url: String, _ directory: String, _ name: String) -> [String]

    var name: String
    var command: Command

    static func segdl(_ binary: String, jobs: Int, options: [String] = []) -> Contender {
        Contender(name: (["segdl -j\(jobs)"] + options).joined(separator: " ")) { url, directory, name in
            [binary, "--quiet", "--jobs=\(jobs)"] + options + ["-d", directory, "-o", name, url]
        }
    }

    /// As ``segdl(_:jobs:options:)`` with 8 connections, with its events on standard output, and maybe a digest to verify.
    static func segdl(telling binary: String, digest: String? = nil) -> Contender {
        let options = digest.map { ["--checksum=sha256:\($0)"] } ?? []
        return Contender(name: "segdl -j8" + (digest == nil ? "" : " --checksum")) { url, directory, name in
            [binary, "--progress=json", "--jobs=8"] + options + ["-d", directory, "-o", name, url]
        }
    }

    /// Syncs the file by itself at its end. `--no-conf`: what stands in the user's configuration must not count.
    static func aria2(connections: Int) -> Contender {
        Contender(name: "aria2 -x\(connections)") { url, directory, name in
            [
                "aria2c", "--no-conf", "--quiet", "-x\(connections)", "-s\(connections)", "-k1M",
                "--file-allocation=falloc", "-d", directory, "-o", name, url,
            ]
        }
    }

    /// Does not sync.
    static let curl = Contender(name: "curl") { url, directory, name in
        ["curl", "--disable", "--silent", "--fail", "-o", "\(directory)/\(name)", url]
    }

    static let curlThenSync = Contender(name: "curl, then sync") { url, directory, name in
        let script = #"curl --disable --silent --fail -o "$1" "$2" && sync "$1""#
        return ["sh", "-c", script, "sh", "\(directory)/\(name)", url]
    }

    /// This one, killed after so many seconds, and then begun again: it resumes.
    func interrupted(after seconds: Double) -> Contender {
        Contender(name: "\(name), killed and run again") { url, directory, name in
            let script = #"timeout --signal=KILL "$0" "$@"; "$@""#
            return ["sh", "-c", script, "\(seconds)"] + command(url, directory, name)
        }
    }

    /// This one, and then the digest of what it brought.
    var thenSHA256: Contender {
        Contender(name: "\(name), then sha256sum") { url, directory, name in
            let script = #""$@" && sha256sum "$0""#
            return ["sh", "-c", script, "\(directory)/\(name)"] + command(url, directory, name)
        }
    }
}
