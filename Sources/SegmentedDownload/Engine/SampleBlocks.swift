internal import SegmentedDownloadCore

/// Proves that two sources of bytes are one: blocks of 16 KiB at the start, at the end and at random places, fetched
/// and compared.
struct SampleBlocks {
    static let blockSize: Int64 = 16 * KiB
    private static let randomCount = 2
    /// A file up to this length is compared whole.
    private static let wholeSize = 4 * blockSize
    /// Evenly spread ones, where nothing else speaks for the bytes.
    private static let spreadCount: Int64 = 16
    /// On resume, blocks of one repeated byte prove nothing: others are looked for, so often.
    private static let attemptsForTellingBlock = 16
    /// How often a block is asked for again after an answer that is no part as asked for.
    private static let toleratedRefusals = 1

    let pool: WorkerPool
    let control: DownloadControl
    let scope: OriginScope
    let options: SessionOptions
    let url: HTTPURL
    let resource: Resource

    /// What a comparison came to.
    enum Comparison {
        case same
        case different
        /// The server's ranges can't be used.
        case impossible
    }

    /// Why a block could not be had.
    private enum Refusal: Error {
        case isChanged
        case hasNoRanges
        case failed(DownloadError)
    }

    /// Compares what a part file holds with the server's bytes.
    ///
    /// - Parameters:
    ///   - held: Ranges that are finished, ascending and not empty.
    ///   - isOnlyProof: Whether nothing else speaks for the bytes: blocks spread evenly over them are compared too.
    func compare(
        _ file: PartFile,
        held: [Range<Int64>],
        isOnlyProof: Bool = false
    ) throws(DownloadError) -> Comparison {
        guard let first = held.first, let last = held.last else { return .same }
        var places = [Self.block(from: first.lowerBound, in: first), Self.block(upTo: last.upperBound, in: last)]
        for _ in 0..<Self.randomCount {
            if let place = try tellingPlace(in: held, of: file) { places.append(place) }
        }
        if isOnlyProof { places += Self.spreadPlaces(in: held) }
        return try compare(places) { place throws(DownloadError) in try Self.read(place, of: file) }
    }

    /// Compares a file at its final name with the server's bytes. Places are drawn blindly, and one block is taken in
    /// each hole: a half-finished preallocated file of another program must not pass.
    func compare(_ file: borrowing ReadOnlyFile, length: Int64) throws(DownloadError) -> Comparison {
        let whole = 0..<length
        // As many requests as blocks would cost more than the whole of it.
        guard length > Self.wholeSize else {
            return try compare([whole]) { place throws(DownloadError) in try file.read(place) }
        }
        var places = [Self.block(from: 0, in: whole), Self.block(upTo: length, in: whole)]
        for _ in 0..<Self.randomCount { places.append(Self.randomBlock(in: whole)) }
        for hole in try file.holes(limit: 8) { places.append(Self.block(from: hole.lowerBound, in: whole)) }
        return try compare(places) { place throws(DownloadError) in try file.read(place) }
    }

    private func compare(
        _ places: [Range<Int64>],
        read: (Range<Int64>) throws(DownloadError) -> [UInt8]
    ) throws(DownloadError) -> Comparison {
        for place in Set(places).sorted(by: { $0.lowerBound < $1.lowerBound }) where !place.isEmpty {
            let theirs: [UInt8]
            do throws(Refusal) {
                theirs = try fetch(place)
            } catch {
                switch error {
                case .isChanged: return .different
                case .hasNoRanges: return .impossible
                case .failed(let error): throw error
                }
            }
            if try read(place) != theirs { return .different }
        }
        return .same
    }

    // MARK: Places

    private static func block(from offset: Int64, in range: Range<Int64>) -> Range<Int64> {
        offset..<offset + min(blockSize, range.upperBound - offset)
    }

    private static func block(upTo end: Int64, in range: Range<Int64>) -> Range<Int64> {
        end - min(blockSize, end - range.lowerBound)..<end
    }

    /// Blocks in even steps over what is held, as if it were one piece.
    private static func spreadPlaces(in held: [Range<Int64>]) -> [Range<Int64>] {
        let total = held.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        let step = max(total / spreadCount, 1)
        var places: [Range<Int64>] = []
        var next: Int64 = 0
        var passed: Int64 = 0
        for range in held {
            let length = range.upperBound - range.lowerBound
            while next < passed + length, places.count < Int(spreadCount) {
                places.append(block(from: range.lowerBound + next - passed, in: range))
                next += step
            }
            passed += length
        }
        return places
    }

    private static func randomBlock(in range: Range<Int64>) -> Range<Int64> {
        block(from: Int64.random(in: range), in: range)
    }

    private func tellingPlace(in held: [Range<Int64>], of file: PartFile) throws(DownloadError) -> Range<Int64>? {
        for _ in 0..<Self.attemptsForTellingBlock {
            guard let range = held.randomElement() else { return nil }
            let place = Self.randomBlock(in: range)
            let bytes = try Self.read(place, of: file)
            if bytes.contains(where: { $0 != bytes[0] }) { return place }
        }
        return nil
    }

    private static func read(_ place: Range<Int64>, of file: PartFile) throws(DownloadError) -> [UInt8] {
        do throws(Errno) {
            return try file.bytes(place)
        } catch {
            throw error.localFileError("Could not read", path: file.path)
        }
    }

    // MARK: The server's bytes

    private func fetch(_ place: Range<Int64>) throws(Refusal) -> [UInt8] {
        var retry = RetryPolicy(options, answered: true)
        var bytes: [UInt8] = []
        var refusedCount = 0
        while true {
            let (outcome, body) = try ask(for: place.lowerBound + Int64(bytes.count)..<place.upperBound)
            switch outcome {
            case .completed where !body.isEmpty:
                // Some servers send less than asked for.
                bytes += body
                guard bytes.count < Int(place.upperBound - place.lowerBound) else { return bytes }
                continue
            case .rejected(.lengthChanged), .rejected(.validatorsChanged), .rejected(.captive): throw .isChanged
            case .rejected(let rejection) where rejection.isAboutRanges:
                refusedCount += 1
                guard refusedCount <= Self.toleratedRefusals else { throw .hasNoRanges }
                continue
            default: break
            }
            try wait(after: outcome, &retry)
        }
    }

    private func wait(after outcome: TransferOutcome, _ retry: inout RetryPolicy) throws(Refusal) {
        let error = scope.error(of: outcome, at: url)
        guard outcome.isTransient else { throw .failed(error) }
        do throws(DownloadError) {
            try control.waitToRetry(url, after: error, &retry, telling: nil)
        } catch {
            throw .failed(error)
        }
    }

    private func ask(for place: Range<Int64>) throws(Refusal) -> (outcome: TransferOutcome, body: [UInt8]) {
        // Bytes are compared here: an ETag that differs from answer to answer must not speak against them.
        let check = ResponseCheck(resource: resource.ignoringTag, asked: .range(place))
        let request = SingleRequest(pool: pool, control: control) { .init(check.verdict(for: $0)) }
        do throws(DownloadError) {
            let answer = try request.send(
                scope.request(.get, url, range: place),
                body: .memory(limit: Int(place.upperBound - place.lowerBound))
            )
            guard case .ended(let outcome, let body) = answer else { throw control.stopped }
            return (outcome, body)
        } catch {
            throw .failed(error)
        }
    }
}
