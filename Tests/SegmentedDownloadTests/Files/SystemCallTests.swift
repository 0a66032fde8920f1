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

    @Test func `an interceptor can look on, fail a call, interrupt it, and take its place`() throws {
        let test = try FilesTestFolder()
        let part = try test.openPart()
        let log = EventLog()
        try SystemCall.withInterceptor { attempt, proceed throws(Errno) in
            guard attempt.name == .pwrite, test.name(ofDescriptor: attempt.fd) == test.names.part,
                case .writing(let bytes, let offset) = attempt.arguments
            else { return try proceed() }
            log.append("\(bytes.count) at \(offset)")
            switch log.events.count {
            case 1: throw Errno(rawValue: EINTR)
            case 2: return pwrite(attempt.fd, bytes.baseAddress, 2, off_t(offset))
            case 3: return try proceed()
            default: throw Errno(rawValue: EIO)
            }
        } _: {
            try Array("hello".utf8).withUnsafeBytes { try part.write($0, at: 7) }
            #expect(throws: Errno(rawValue: EIO)) {
                try Array("x".utf8).withUnsafeBytes { try part.write($0, at: 0) }
            }
        }
        #expect(log.events == ["5 at 7", "5 at 7", "3 at 9", "1 at 0"])
        #expect(try test.bytes(at: part.name) == [UInt8](repeating: 0, count: 7) + Array("hello".utf8))
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
