import Foundation
import SegmentedDownload
import Testing

@Suite struct SystemCallTests {
    @Test func `a call that a signal interrupts is made again`() throws {
        var calls = 0
        let result = try SystemCall.call(.pwrite, -1) { () -> Int in
            calls += 1
            errno = EINTR
            return calls < 3 ? -1 : 7
        }
        #expect(result == 7)
        #expect(calls == 3)
    }

    @Test func `a failure carries errno`() {
        #expect(throws: Errno(rawValue: ENOSPC)) {
            try SystemCall.call(.pwrite, -1) { () -> Int in
                errno = ENOSPC
                return -1
            }
        }
    }

    @Test func `an error says what the system says`() {
        #expect(Errno(rawValue: ENOSPC).description == "No space left on device, errno \(ENOSPC)")
    }

    @Test(arguments: [
        (ENOSPC, "make room"), (EACCES, "choose a folder that you may write to"), (ENAMETOOLONG, "a shorter name"),
        (EMFILE, "ulimit -n"), (EIO, "check the disk"),
    ])
    func `an error that one can do something about says what`(number: Int32, remedy: String) {
        let error = Errno(rawValue: number).localFileError("Could not open", path: "a/b")
        #expect(error.kind == .localFile)
        #expect(error.message.hasPrefix("Could not open 'a/b'; "))
        #expect(error.message.contains(remedy))
        #expect(error.message.hasSuffix("."))
    }
}
