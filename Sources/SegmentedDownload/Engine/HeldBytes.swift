internal import SegmentedDownloadCore

/// What a part file holds already of a file that comes as one stream: those bytes are compared, and the others
/// written. Confined to the worker of the stream's connection.
final class HeldBytes {
    private let file: PartFile
    private let ledger: SegmentLedger

    /// - Parameter ledger: What is finished.
    init(file: PartFile, ledger: SegmentLedger) {
        self.file = file
        self.ledger = ledger
    }

    /// Writes what is not held, and compares the rest with what is.
    ///
    /// - Parameters:
    ///   - bytes: The stream's bytes.
    ///   - offset: The first one's offset in the file.
    /// - Returns: Whether the held bytes are equal. Behind the first difference nothing is written.
    func pass(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Bool {
        var rest = bytes[...]
        var place = offset
        while !rest.isEmpty {
            let segment = ledger.plan.segment(containing: place)
            let end = ledger.plan.byteRange(ofSegment: segment).upperBound
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Int(clamping: end - place)))
            if ledger.finished[segment] {
                guard try isHeld(piece, at: place) else { return false }
            } else {
                try file.write(piece, at: place)
            }
            rest = rest.dropFirst(piece.count)
            place += Int64(piece.count)
        }
        return true
    }

    private func isHeld(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Errno) -> Bool {
        try file.bytes(offset..<offset + Int64(bytes.count)).elementsEqual(bytes)
    }
}
