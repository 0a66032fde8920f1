import SegmentedDownloadCore
import SegmentedDownloadTestSupport

/// What a power cut may leave of the operations of a recording: everything that was synced, and of the rest anything.
struct CrashModel: Sendable {
    /// Which of the operations that no sync has covered yet are lost.
    enum Loss: CaseIterable, Sendable {
        /// None: the process was killed, the machine lives on.
        case nothing
        /// All of them.
        case everything
        /// Those behind a random point.
        case latest
        /// Those before a random point: the disk took the latest ones first.
        case earliest
        /// Each one or not.
        case some
        /// What became of names, and of the rest each one or not: names are committed on their own.
        case names
        /// Bytes alone, neither names nor sizes: the file system keeps a journal for those.
        case bytes
        /// Each one or not, and of each write each sector of 512 bytes or not.
        case torn512
        /// Each one or not, and of each write each sector of 4096 bytes or not.
        case torn4096

        fileprivate var sectorByteCount: Int? {
            switch self {
            case .torn512: 512
            case .torn4096: 4096
            default: nil
            }
        }
    }

    let start: FolderState
    let startNames: [String: Int]
    let log: [FileOperation]
    let inodes: [UInt64]

    init(_ recorder: OperationRecorder) {
        (log, inodes) = recorder.recorded
        start = recorder.start
        startNames = recorder.startNames
    }

    /// The folder after a cut.
    ///
    /// - Parameters:
    ///   - cut: The number of operations that were done.
    ///   - loss: What is lost of them.
    ///   - random: Makes the choices.
    func image(cut: Int, loss: Loss, random: inout SeededRandom) -> FolderState {
        let kept = keptOperations(cut, loss, &random)
        var state = FolderState()
        for (name, file) in names(cut, kept) {
            state.files[name] = .init(
                bytes: bytes(of: file, cut, kept, loss, &random),
                inode: inodes[file]
            )
        }
        return state
    }

    /// The folder as the program sees it after so many operations.
    func view(cut: Int) -> FolderState {
        var random = SeededRandom(seed: 0)
        return image(cut: cut, loss: .nothing, random: &random)
    }

    /// A file of the program's view, with no more than what is on the disk for sure.
    func syncedBytes(ofFileAt name: String, cut: Int) -> [UInt8]? {
        var random = SeededRandom(seed: 0)
        let kept = keptOperations(cut, .nothing, &random)
        guard let file = names(cut, kept)[name] else { return nil }
        let synced = keptOperations(cut, .everything, &random)
        return bytes(of: file, cut, synced, .everything, &random)
    }

    /// Which operations count: all that a sync has covered, and some of the others.
    private func keptOperations(_ cut: Int, _ loss: Loss, _ random: inout SeededRandom) -> [Bool] {
        var lastSync: [Int?: Int] = [:]
        for index in 0..<cut {
            switch log[index] {
            case .syncFolder: lastSync[nil] = index
            case .sync(let file): lastSync[file] = index
            default: break
            }
        }
        let point = Int.random(in: 0...cut, using: &random)
        return (0..<cut).map { index in
            let operation = log[index]
            if index < lastSync[operation.file] ?? -1 { return true }
            switch loss {
            case .nothing: return true
            case .everything: return false
            case .latest: return index < point
            case .earliest: return index >= point
            case .names: return operation.file != nil && Bool.random(using: &random)
            case .bytes: return !operation.isWrite
            case .some, .torn512, .torn4096: return Bool.random(using: &random)
            }
        }
    }

    private func names(_ cut: Int, _ kept: [Bool]) -> [String: Int] {
        var names = startNames
        for index in 0..<cut where kept[index] {
            switch log[index] {
            case .name(let name, let file): names[name] = file
            case .rename(let old, let new):
                // Of a file whose making was lost nothing can be renamed.
                if let file = names.removeValue(forKey: old) { names[new] = file }
            case .unlink(let name): names[name] = nil
            default: break
            }
        }
        return names
    }

    private func bytes(
        of file: Int,
        _ cut: Int,
        _ kept: [Bool],
        _ loss: Loss,
        _ random: inout SeededRandom
    ) -> [UInt8] {
        var bytes = startNames.first { $0.value == file }.flatMap { start.files[$0.key]?.bytes } ?? []
        let lastSync = log[..<cut].lastIndex { if case .sync(file) = $0 { true } else { false } } ?? -1
        // A sector that was lost holds what it held before, or nothing that makes sense.
        let leavesGarbage = Int.random(in: 0..<4, using: &random) == 0
        for index in 0..<cut where log[index].file == file {
            switch log[index] {
            case .resize(_, let size, let isGrowing) where kept[index]:
                bytes.resize(to: isGrowing ? max(bytes.count, Int(size)) : Int(size))
            case .write(_, let offset, let written):
                let isPending = index > lastSync
                guard isPending, let sector = loss.sectorByteCount else {
                    if kept[index] { bytes.put(written[...], at: Int(offset)) }
                    continue
                }
                bytes.tear(written, at: Int(offset), sector: sector, leavesGarbage, &random)
            default: break
            }
        }
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func resize(to byteCount: Int) {
        if byteCount < count {
            removeLast(count - byteCount)
        } else {
            self += [UInt8](repeating: 0, count: byteCount - count)
        }
    }

    fileprivate mutating func put(_ bytes: ArraySlice<UInt8>, at offset: Int) {
        if count < offset + bytes.count { resize(to: offset + bytes.count) }
        replaceSubrange(offset..<offset + bytes.count, with: bytes)
    }

    /// Writes some sectors of a piece.
    fileprivate mutating func tear(
        _ bytes: [UInt8],
        at offset: Int,
        sector: Int,
        _ leavesGarbage: Bool,
        _ random: inout SeededRandom
    ) {
        var place = offset
        while place < offset + bytes.count {
            let end = Swift.min((place / sector + 1) * sector, offset + bytes.count)
            if Bool.random(using: &random) {
                put(bytes[place - offset..<end - offset], at: place)
            } else if leavesGarbage {
                put([UInt8](repeating: UInt8.random(in: 0...255, using: &random), count: end - place)[...], at: place)
            }
            place = end
        }
    }
}
