import Foundation

/// A door that threads wait at with `poll`, together with their socket; once open it stays open.
final class Gate: Sendable {
    /// Polls as hung up when the gate is open.
    let readEnd: Int32
    private let writeEnd: Monitor<Int32?>

    /// Makes a closed gate.
    init() throws(TestSupportError) {
        let ends = try makePipe()
        readEnd = ends.readEnd
        writeEnd = Monitor(ends.writeEnd)
    }

    /// Lets everyone through.
    func open() {
        writeEnd.withLock { fd in
            if let fd { close(fd) }
            fd = nil
        }
    }

    deinit {
        open()
        close(readEnd)
    }
}
