import Foundation
import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// The built `segdl`, run in a folder of its own.
struct SegdlBinary {
    let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = try Executables.product("segdl")
    }

    private static let patience = ["--retry-wait", "0.02", "--stall-timeout", "5"]

    func start(_ arguments: [String]) throws -> ChildProcess {
        try ChildProcess.start(path, Self.patience + arguments, directory: folder.path)
    }

    func run(_ arguments: [String]) throws -> ChildProcess.Result {
        try ChildProcess.run(path, Self.patience + arguments, directory: folder.path)
    }

    /// What the journal of a name records; `nil` where there is none that can be read.
    func journal(of name: String) -> (header: JournalHeader, bitmap: SegmentBitmap)? {
        guard let data = FileManager.default.contents(atPath: folder.path(name + ".segdl.journal")) else { return nil }
        let size = JournalLayout.pageByteCount
        func page(_ number: Int) -> [UInt8] { [UInt8](data.dropFirst(number * size).prefix(size)) }
        guard let header = try? JournalHeader(decoding: page(0)) else { return nil }
        var bitmap = SegmentBitmap(count: header.segmentCount)
        var damagedBlockCount = 0
        for group in 0..<JournalLayout.groupCount(segmentCount: header.segmentCount) {
            _ = JournalGroup(
                number: group,
                decoding: (page(1 + 2 * group), page(2 + 2 * group)),
                id: header.id,
                into: &bitmap,
                damagedBlockCount: &damagedBlockCount
            )
        }
        return (header, bitmap)
    }
}
