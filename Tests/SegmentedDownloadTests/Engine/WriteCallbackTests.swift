@testable import SegmentedDownload
import SegmentedDownloadCore
import SegmentedDownloadTestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What libcurl's write callback costs for each piece of body that goes to the part file.
@Suite(.enabled(if: AllocationCounter.isAvailable, "allocations can't be counted"))
struct WriteCallbackTests {
    /// What libcurl hands over at most.
    private static let piece = [UInt8](repeating: 7, count: 16 * 1024)
    private static let pieceCount = 64

    @Test func `the counter sees an allocation`() {
        var kept: [[UInt8]] = []
        let count = AllocationCounter.count { kept.append([UInt8](repeating: 1, count: kept.capacity + 1)) }
        #expect(count > 0)
    }

    // In a process of its own: in this one other tests watch the system calls, and what they note is allocated here.
    @Test func `pieces of body are gathered and written without an allocation`() async {
        await #expect(processExitsWith: .success) {
            let setup = try CallbackSetup(FilesTestFolder(), length: Int64(Self.piece.count * Self.pieceCount))
            // The first one judges the head; with the last of them the first full buffer is written, and whatever is
            // made once is there.
            for _ in 0..<16 { #expect(setup.receive(Self.piece) == Self.piece.count) }
            #expect(setup.writer.written == 16 * Int64(Self.piece.count))
            let count = AllocationCounter.count {
                for _ in 16..<Self.pieceCount { setup.receive(Self.piece) }
            }
            #expect(count == 0, "\(count) in \(Self.pieceCount - 16) pieces")
            #expect(setup.writer.written == Int64(Self.piece.count * Self.pieceCount))
        }
    }
}

@Suite struct FailedWriteTests {
    /// libcurl 7.88 goes on delivering after an error within `curl_easy_pause`: those bytes would get the place of the ones
    /// that could not be written.
    @Test func `after a write that failed nothing more is taken`() throws {
        let folder = try FilesTestFolder()
        let setup = try CallbackSetup(folder, length: 1024 * 1024)
        let piece = [UInt8](repeating: 7, count: 256 * 1024)
        #expect(folder.failing([.pwrite: ENOSPC]) { setup.receive(piece) } == 0)
        #expect(setup.receive(piece) == 0)
        #expect(setup.writer.received == 0)
        #expect(setup.writer.written == 0)
    }
}

/// A transfer whose answer is accepted, as a worker holds it while libcurl delivers.
private final class CallbackSetup {
    let writer: RangeWriter
    private let transfer: Transfer
    private let easy: EasyHandle
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)

    init(_ folder: FilesTestFolder, length: Int64) throws {
        let part = try folder.openPart()
        let keeper = JournalKeeper(
            partFile: part,
            journal: nil,
            syncs: true,
            takeFinished: { [] },
            onRoom: {},
            onFailure: { _ in }
        )
        writer = RangeWriter(file: part, keeper: keeper, range: 0..<length)
        writer.attach(buffer)
        let request = TransferRequest(
            method: .get,
            url: try HTTPURL("http://127.0.0.1/file"),
            headers: [],
            referer: nil,
            credentials: nil,
            cookies: nil,
            certificate: nil,
            route: .direct,
            cookieJar: CookieJar()
        )
        transfer = Transfer(connection: 0, request: request, owner: AcceptingOwner(), body: .file(writer))
        easy = try EasyHandle.make(ConnectionSettings(SessionOptions()), share: ShareHandle(), sockets: nil)
        transfer.easy = easy.pointer
    }

    deinit { buffer.deallocate() }

    /// Does what the write callback does.
    @discardableResult
    func receive(_ bytes: [UInt8]) -> Int {
        bytes.withUnsafeBytes { transfer.receive($0) }
    }
}

/// Takes every answer, and is told of nothing else.
final class AcceptingOwner: TransferOwner {
    func decide(_ head: ResponseHead, for transfer: Transfer) -> HeadDecision { .accept(end: nil) }
    func transferIsHeld(_ transfer: Transfer, head: ResponseHead) {}
    func transferDidProgress(_ transfer: Transfer) {}
    func transferDidShorten(_ transfer: Transfer, end: Int64) {}
    func transferDidEnd(_ transfer: Transfer, _ outcome: TransferOutcome) {}
}
