import Foundation

/// What strace wrote about a program's calls on files: each call's start and end, in the order in which they happened.
struct SystemCallTrace {
    /// One call. Calls of different threads overlap.
    struct Call {
        let name: String
        /// As strace prints them, strings as `\x` and two digits a byte.
        let arguments: String
        /// The lines at which it began and ended.
        let start: Int
        let end: Int
        /// What it returned.
        let result: Int

        /// Whether the descriptor in its first argument is that of a file whose name ends so.
        func isOn(_ suffix: String) -> Bool {
            arguments.prefix { $0 != "," }.hasSuffix("\(suffix)>")
        }

        /// Where a pwrite wrote to.
        var writtenRange: Range<Int64>? {
            guard
                let offset = arguments.utf8.split(separator: UInt8(ascii: " ")).last.flatMap({ Int64(String($0) ?? "") }
                )
            else { return nil }
            return offset..<offset + Int64(max(0, result))
        }

        /// The first bytes that a pwrite was given.
        var bytes: [UInt8] {
            let text = arguments.utf8.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
            guard text.count == 3 else { return [] }
            return text[1].split(separator: UInt8(ascii: "\\")).compactMap {
                UInt8(String($0.dropFirst()) ?? "", radix: 16)
            }
        }
    }

    let calls: [Call]

    /// The words that write a trace to a file.
    static func command(to path: String) -> [String] {
        let calls = "pwrite64,fdatasync,fsync,/^renameat,unlinkat"
        return ["strace", "-f", "-y", "-xx", "-s", "4096", "-o", path, "-e", "trace=\(calls)"]
    }

    /// Reads what strace wrote: `PID NAME(ARGUMENTS) = RESULT`, or, where another thread's line came between, the
    /// beginning with `<unfinished ...>` and later `PID <... NAME resumed>REST`.
    init(path: String) throws {
        var calls: [Call] = []
        var unfinished: [Substring: (text: String, start: Int)] = [:]
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for (number, line) in text.split(separator: "\n").enumerated() {
            guard let space = line.firstIndex(of: " ") else { continue }
            let thread = line[..<space]
            var rest = line[space...].drop { $0 == " " }
            var start = number
            if let cut = rest.range(of: " <unfinished ...>") {
                unfinished[thread] = (String(rest[..<cut.lowerBound]), number)
                continue
            }
            if rest.hasPrefix("<... "), let end = rest.range(of: "resumed>"), let begun = unfinished[thread] {
                rest = Substring(begun.text + rest[end.upperBound...])
                start = begun.start
            }
            guard let call = Self.call(rest, start: start, end: number) else { continue }
            calls.append(call)
        }
        self.calls = calls
    }

    private static func call(_ text: Substring, start: Int, end: Int) -> Call? {
        guard let open = text.firstIndex(of: "("), let close = text.range(of: ")", options: .backwards),
            let equals = text.range(of: "= ", options: .backwards), close.lowerBound < equals.lowerBound
        else { return nil }
        let arguments = text[text.index(after: open)..<close.lowerBound]
        let result = Int(text[equals.upperBound...].prefix { $0.isNumber || $0 == "-" }) ?? -1
        return Call(name: String(text[..<open]), arguments: decoded(arguments), start: start, end: end, result: result)
    }

    /// With `-xx` paths come as `\x` and digits too; those after `<` are made readable.
    private static func decoded(_ arguments: Substring) -> String {
        guard let open = arguments.firstIndex(of: "<"), let close = arguments.firstIndex(of: ">"), open < close else {
            return String(arguments)
        }
        let bytes = arguments[open..<close].dropFirst().split(separator: "\\").compactMap {
            UInt8($0.dropFirst().prefix(2), radix: 16)
        }
        guard !bytes.isEmpty else { return String(arguments) }
        return "\(arguments[...open])\(String(decoding: bytes, as: UTF8.self))\(arguments[close...])"
    }
}
