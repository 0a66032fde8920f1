package import SegmentedDownload

/// A URL of a list, and what the lines below it say.
package struct ListEntry: Sendable, Equatable {
    /// The URL.
    package var url: String
    /// The file's name or path (`out=`).
    package var output: String?
    /// The folder that takes the place of `--directory` (`dir=`).
    package var directory: String?
    /// The digest that the file must have (`checksum=`).
    package var checksum: Checksum?
    /// Further header lines (`header=`).
    package var headers: [String] = []

    /// An entry.
    package init(url: String) {
        self.url = url
    }

    /// The request for it.
    ///
    /// - Parameter request: What each download of the run starts from.
    /// - Returns: That, with what the entry says.
    package func request(from request: DownloadRequest) -> DownloadRequest {
        var request = request
        request.url = url
        request.output = output ?? request.output
        request.directory = directory ?? request.directory
        request.checksum = checksum ?? request.checksum
        request.headers += headers
        return request
    }
}

extension ListEntry {
    /// A line below a URL sets one of these.
    enum Key: String, CaseIterable {
        case out, dir, checksum, header
    }

    /// Sets what a key stands for. Of a key that is there twice the last one counts, and every `header`.
    mutating func set(_ key: Key, _ value: String) throws(Flag.ValueError) {
        switch key {
        case .out: output = try Value.output(value)
        case .dir: directory = try Value.path(value)
        case .checksum: checksum = try Value.checksum(value)
        case .header: headers.append(try HeaderLine.checked(value))
        }
    }
}
