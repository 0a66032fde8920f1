/// The peers. None of them compares what it brought with anything, none has a journal that survives `kill -9`.
extension Contender {
    /// Syncs the file by itself at its end. `--no-conf`: what stands in the user's configuration must not count.
    static func aria2(connections: Int, options: [String] = []) -> Contender {
        .peer("aria2 -x\(connections)") { url, directory, name in
            [
                "aria2c", "--no-conf", "--quiet", "-x\(connections)", "-s\(connections)", "-k1M",
                "--file-allocation=falloc",
            ] + options + ["-d", directory, "-o", name, url]
        }
    }

    /// Does not sync.
    static func curl(options: [String] = []) -> Contender {
        .peer("curl") { url, directory, name in
            ["curl", "--disable", "--silent", "--fail"] + options + ["-o", "\(directory)/\(name)", url]
        }
    }

    static let curlThenSync = peer("curl, then sync") { url, directory, name in
        let script = #"curl --disable --silent --fail -o "$1" "$2" && sync "$1""#
        return ["sh", "-c", script, "sh", "\(directory)/\(name)", url]
    }

    static func axel(connections: Int) -> Contender {
        .peer("axel -n\(connections)") { url, directory, name in
            ["axel", "--quiet", "--no-proxy", "-n\(connections)", "-o", "\(directory)/\(name)", url]
        }
    }

    static func wget2(connections: Int) -> Contender {
        .peer("wget2 \(connections) × 16M") { url, directory, name in
            [
                "wget2", "--no-config", "--quiet", "--max-threads=\(connections)", "--chunk-size=16M",
                "-O", "\(directory)/\(name)", url,
            ]
        }
    }

    static func lftp(connections: Int) -> Contender {
        .peer("lftp pget -n\(connections)") { url, directory, name in
            ["lftp", "--norc", "-c", "pget -n \(connections) '\(url)' -o '\(directory)/\(name)'"]
        }
    }

    /// A library for Python: starting that counts, as starting each of the others does.
    static func hfTransfer(_ workplace: Workplace, files: Int) -> Contender {
        .peer("hf_transfer \(files) × 10M") { url, directory, name in
            let script = "import sys, hf_transfer; hf_transfer.download(sys.argv[1], sys.argv[2], \(files), 10485760)"
            return ["\(workplace.tools)/venv/bin/python", "-c", script, url, "\(directory)/\(name)"]
        }
    }

    /// `Benchmarks/bareloop`: recv and pwrite alone, the bound of what a client could reach.
    static func bareLoop(_ workplace: Workplace, byteCount: Int64, connections: Int) -> Contender {
        .peer("bare recv and pwrite, \(connections) sockets") { url, directory, name in
            let parts = url.split(separator: "/", maxSplits: 2)
            let authority = parts[1].split(separator: ":")
            return [
                "\(workplace.tools)/bareloop", "\(authority[0])", "\(authority[1])", "/\(parts[2])", "\(byteCount)",
                "\(connections)", "\(directory)/\(name)",
            ]
        }
    }
}

/// Lists of files, whose URLs stand one a line in a file.
extension Contender {
    static func segdlList(_ binary: String, jobs: Int) -> Contender {
        Contender(name: "segdl -i -j\(jobs)") { list, directory, _ in
            [binary, "--quiet", "--jobs=\(jobs)", "-d", directory, "-i", list]
        }
    }

    static func aria2List(jobs: Int) -> Contender {
        .peer("aria2 -i -j\(jobs)") { list, directory, _ in
            ["aria2c", "--no-conf", "--quiet", "-j\(jobs)", "-d", directory, "-i", list]
        }
    }

    static func curlList(jobs: Int) -> Contender {
        .peer("curl --parallel-max \(jobs)") { list, directory, _ in
            let script =
                #"cd "$1" && xargs -d '\n' curl --disable --silent --fail --parallel --parallel-max \#(jobs) "#
                + #"--remote-name-all < "$2""#
            return ["sh", "-c", script, "sh", directory, list]
        }
    }
}
