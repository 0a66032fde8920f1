/// A downloader, and how it is asked for one file.
struct Contender: Sendable {
    /// Makes the command line from the URL (or the file that lists URLs), and from the folder and the name of the file to be.
    typealias Command = @Sendable (_ url: String, _ directory: String, _ name: String) -> [String]

    var name: String
    /// Whether it is somebody else's: its failure is a result, ours the benchmark's end.
    var isPeer = false
    /// Which of the comparison's venues it fetches from.
    var venue = 0
    var command: Command

    static func segdl(_ binary: String, jobs: Int, options: [String] = []) -> Contender {
        .segdl(binary, jobs: "\(jobs)", options: options)
    }

    /// - Parameter jobs: A number, or `auto`.
    static func segdl(_ binary: String, jobs: String, options: [String] = []) -> Contender {
        Contender(name: (["segdl -j\(jobs)"] + options).joined(separator: " ")) { url, directory, name in
            [binary, "--quiet", "--jobs=\(jobs)"] + options + ["-d", directory, "-o", name, url]
        }
    }

    /// As ``segdl(_:jobs:options:)``, with its events on standard output.
    static func segdl(telling binary: String, jobs: String, options: [String] = []) -> Contender {
        var contender = Contender.segdl(binary, jobs: jobs, options: options)
        contender.command = { url, directory, name in
            [binary, "--progress=json", "--jobs=\(jobs)"] + options + ["-d", directory, "-o", name, url]
        }
        return contender
    }

    static func peer(_ name: String, command: @escaping Command) -> Contender {
        Contender(name: name, isPeer: true, command: command)
    }

    /// The same, from another venue.
    func at(venue: Int, _ name: String) -> Contender {
        var copy = self
        copy.venue = venue
        copy.name += ", \(name)"
        return copy
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
