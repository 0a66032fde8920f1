import Foundation
import SegdlCommand
import SegmentedDownload
import Testing

private func object(_ line: String) throws -> [String: Any] {
    #expect(line.hasSuffix("\n") && line.dropLast().unicodeScalars.allSatisfy { $0.value >= 0x20 })
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
}

struct JSONTests {
    @Test func `the first object tells the schema, and each its event, time and file`() throws {
        var json = JSONPresenter()
        _ = json.begin(Entry(number: 3, isOneOfSeveral: true, url: "https://a/b"), snapshot(nil))
        let first = try object(json.handle(start(), snapshot(progress(), at: 0.5, number: 3)))
        #expect(first["schema"] as? Int == 1)
        #expect(first["event"] as? String == "start")
        #expect(first["time"] as? Double == 1_796_000_000.5)
        #expect(first["file"] as? Int == 3)
        #expect(first["length"] as? Int64 == 1000 << 20)
        #expect(first["segments"] as? Int == 4000)
        #expect(try object(json.tick(snapshot(progress())))["schema"] == nil)
    }

    @Test func `the members are those of docs, in every event`() throws {
        var json = JSONPresenter()
        _ = json.begin(entry, snapshot(nil))
        let failure = Failure(DownloadError(.server, "No.", url: "https://a/b"))
        let lines = [
            json.handle(start(length: nil), snapshot(progress(), at: 0)), json.tick(snapshot(progress())),
            json.handle(connection(1, .cutShort, "r"), snapshot(nil)),
            json.handle(retry(1, .seconds(2), "r"), snapshot(nil)),
            json.handle(.note("n"), snapshot(nil)), json.finish(report(), snapshot(nil)),
            json.fail(failure, snapshot(nil)), json.summarise(snapshot(nil)),
        ]
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        for line in lines {
            let members = try object(line)
            let event = try #require(members["event"] as? String)
            let section = try #require(page.components(separatedBy: "\n## `\(event)`").dropFirst().first)
                .components(separatedBy: "\n## ")[0]
            let documented = Set(section.split(separator: "\n").compactMap(Self.member))
            #expect(Set(members.keys).subtracting(["schema", "event", "time", "file"]) == documented, "\(event)")
        }
    }

    private static let page = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "docs/json-events.md")

    /// The member that a line of a table, or a line such as "`message`: a sentence", is about.
    private static func member(_ line: Substring) -> String? {
        guard line.hasPrefix("| `") || line.hasPrefix("`") else { return nil }
        return line.split(separator: "`", omittingEmptySubsequences: true).first { $0 != "| " }.map(String.init)
    }

    @Test func `the example in docs is JSON`() throws {
        let page = try String(contentsOf: Self.page, encoding: .utf8)
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("    {") }
        #expect(lines.count == 4)
        for line in lines { _ = try object(line.dropFirst(4) + "\n") }
    }

    @Test func `progress is complete and finite`() throws {
        var json = JSONPresenter()
        _ = json.begin(entry, snapshot(nil))
        _ = json.handle(start(), snapshot(progress(held: 0), at: 0))
        var halfway = progress()
        halfway.connectionByteCounts = [7, 0, 430 << 20]
        let middle = try object(json.tick(snapshot(halfway, at: 1)))
        #expect(middle["connectionBytes"] as? [Int] == [7, 0, 430 << 20])
        #expect(middle["rate"] as? Double == Double(430 << 20))
        #expect(middle["eta"] as? Int == 2)
        #expect(middle["phase"] as? String == "transferring")
        let unknown = try object(json.tick(snapshot(progress(length: nil), at: 2)))
        #expect(unknown["length"] is NSNull && unknown["eta"] is NSNull)
        #expect(json.tick(snapshot(nil)) == "")
    }

    @Test func `the last progress stands before the finish`() throws {
        var json = JSONPresenter()
        _ = json.begin(entry, snapshot(nil))
        let lines = json.finish(report(), snapshot(progress(.ended, held: 1000 << 20))).split(separator: "\n")
        #expect(lines.count == 2)
        #expect(try object(lines[0] + "\n")["bytes"] as? Int64 == 1000 << 20)
        let finish = try object(lines[1] + "\n")
        #expect(finish["verified"] as? Bool == true)
        #expect(finish["status"] as? Int == 0)
    }

    @Test func `a phase is told by its own name, and a download that has ended by its end alone`() throws {
        var json = JSONPresenter()
        _ = json.begin(entry, snapshot(nil))
        let late = try object(json.handle(.phase(.syncing), snapshot(progress(.ended))))
        #expect(late["phase"] as? String == "syncing")
        #expect(json.tick(snapshot(progress(.ended))) == "")
        #expect(json.tick(snapshot(progress(.syncing))).contains("syncing"))
    }

    @Test func `an error without a URL of its own has that of its entry`() throws {
        func url(of entryURL: String, _ error: DownloadError) throws -> String? {
            var json = JSONPresenter()
            _ = json.begin(Entry(number: 1, isOneOfSeveral: true, url: entryURL), snapshot(nil))
            return try object(json.fail(Failure(error), snapshot(nil)))["url"] as? String
        }
        #expect(try url(of: "https://a/b", DownloadError(.network, "No.")) == "https://a/b")
        #expect(try url(of: "https://a/b", DownloadError(.network, "No.", url: "https://c/")) == "https://c/")
        #expect(try url(of: "", DownloadError(.usage, "No.")) == nil)
    }

    @Test func `an existing file is said to be one`() throws {
        var json = JSONPresenter()
        let finish = try object(json.finish(report(.samples, outcome: .existing), snapshot(progress())))
        #expect(finish["outcome"] as? String == "existing")
        #expect(finish["verified"] as? Bool == false)
    }

    @Test(arguments: ["\"\\/\u{8}\n\r\t", "\u{0}\u{1F}\u{7F}\u{9B}", "\u{2028}\u{202E}", "漢字 😀 \u{E0001}", ""])
    func `every text survives the way through JSON`(_ text: String) throws {
        var json = JSONPresenter()
        let note = try object(json.handle(.note(text), snapshot(nil)))
        #expect(note["message"] as? String == text)
    }

    @Test func `a stop is an error of the kind cancelled with the status of the shell`() throws {
        var json = JSONPresenter()
        let error = try object(json.stop(.stopped(by: 15, progress()), snapshot(progress())))
        #expect(error["kind"] as? String == "cancelled")
        #expect(error["status"] as? Int == 143)
        #expect(error["message"] as? String == "Stopped at 43 %; run the same command to go on.")
    }
}
