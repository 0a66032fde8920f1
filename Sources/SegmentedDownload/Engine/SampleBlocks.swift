internal import SegmentedDownloadCore

/// Proves that two sources of bytes are one: blocks of 16 KiB at the start, at the end and at random places, fetched
/// and compared.
struct SampleBlocks {
    static let blockSize: Int64 = 16 * KiB
    private static let randomCount = 2
    /// On resume, blocks of one repeated byte prove nothing: others are looked for, so often.
    private static let attemptsForTellingBlock = 16

    let pool: WorkerPool
    let control: DownloadControl
    let scope: OriginScope
    let options: SessionOptions
    let url: HTTPURL
    let resource: Resource

    /// Compares what a part file holds with the server's bytes.
    ///
    /// - Parameters:
    ///   - held: Ranges that are finished, ascending and not empty.
    /// - Returns: Whether all blocks are equal.
    func matchesPartFile(_ file: PartFile, held: [Range<Int64>]) throws(DownloadError) -> Bool {
        guard let first = held.first, let last = held.last else { return true }
        var places = [Self.block(from: first.lowerBound, in: first), Self.block(upTo: last.upperBound, in: last)]
        for _ in 0..<Self.randomCount {
            if let place = try tellingPlace(in: held, of: file) { places.append(place) }
        }
        return try matches(places) { place throws(DownloadError) in try Self.read(place, of: file) }
    }

    /// Compares a file at its final name with the server's bytes. Places are drawn blindly, and one block is taken in
    /// each hole: a half-finished preallocated file of another program must not pass.
    func matchesFile(_ file: borrowing ReadOnlyFile, length: Int64) throws(DownloadError) -> Bool {
        let whole = 0..<length
        var places = [Self.block(from: 0, in: whole), Self.block(upTo: length, in: whole)]
        for _ in 0..<Self.randomCount { places.append(Self.randomBlock(in: whole)) }
        for hole in try file.holes(limit: 8) { places.append(Self.block(from: hole.lowerBound, in: whole)) }
        return try matches(places) { place throws(DownloadError) in try file.read(place) }
    }

    private func matches(
        _ places: [Range<Int64>],
        read: (Range<Int64>) throws(DownloadError) -> [UInt8]
    ) throws(DownloadError) -> Bool {
        for place in Set(places).sorted(by: { $0.lowerBound < $1.lowerBound }) where !place.isEmpty {
            guard let theirs = try fetch(place) else { return false }
            if try read(place) != theirs { return false }
        }
        return true
    }

    // MARK: Places

    private static func block(from offset: Int64, in range: Range<Int64>) -> Range<Int64> {
        offset..<offset + min(blockSize, range.upperBound - offset)
    }

    private static func block(upTo end: Int64, in range: Range<Int64>) -> Range<Int64> {
        end - min(blockSize, end - range.lowerBound)..<end
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

    /// - Returns: `nil` where the server has another resource there now.
    private func fetch(_ place: Range<Int64>) throws(DownloadError) -> [UInt8]? {
        var retry = RetryPolicy(options)
        let check = ResponseCheck(resource: resource, asked: .range(place))
        while true {
            let request = SingleRequest(pool: pool, control: control) { head in
                switch check.verdict(for: head) {
                case .accept(let end): .accept(end: end)
                case .reject(let rejection): .reject(rejection)
                }
            }
            let answer = try request.send(
                scope.request(.get, url, range: place),
                connection: 0,
                body: .memory(limit: Int(Self.blockSize))
            )
            guard case .ended(let outcome, let body) = answer else { throw .stopped }
            switch outcome {
            case .completed: return body.count == Int(place.upperBound - place.lowerBound) ? body : nil
            case .rejected(.lengthChanged), .rejected(.validatorsChanged), .rejected(.captive): return nil
            default: break
            }
            let error = DownloadError.outcome(
                outcome,
                url,
                carriesCredentials: url.origin == scope.url.origin
            )
            guard outcome.isTransient else { throw error }
            switch retry.failed(at: control.now, retryAfter: outcome.retryAfter(now: WallClock.seconds)) {
            case .giveUp(let reason): throw error.given(up: reason)
            case .retry(let time, _): try control.sleep(until: time)
            }
        }
    }
}
