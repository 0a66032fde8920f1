/// What `Content-Encoding` says of a body that was asked for without any (RFC 9110 §8.4).
///
/// Two things hide behind it. A server that compresses on the fly sends other bytes than the file's. A server that
/// labels an archive's own compression (`x.tar.gz` as `application/x-tar`, encoded with gzip) sends the file as it is,
/// and it must be kept so, or no published digest fits.
package enum ContentCoding {
    /// The ends of names, and the media types, of files that are compressed with a coding themselves.
    private static let marks: [(codings: [String], suffixes: [String], mediaTypes: [String])] = [
        (
            ["gzip", "x-gzip"], [".gz", ".tgz", ".taz", ".gzip", ".svgz"],
            [
                "application/gzip", "application/x-gzip", "application/x-tgz", "application/x-tar",
                "application/x-gtar", "application/x-compressed-tar", "application/x-gtar-compressed",
            ]
        ),
        (["compress", "x-compress"], [".z", ".taz"], ["application/x-compress", "application/x-tar"]),
        (["br"], [".br"], []),
        (["zstd"], [".zst", ".tzst"], ["application/zstd", "application/x-tar"]),
        (["bzip2", "x-bzip2"], [".bz2", ".tbz", ".tbz2"], ["application/x-bzip2", "application/x-tar"]),
        (["xz", "x-xz"], [".xz", ".txz"], ["application/x-xz", "application/x-tar"]),
    ]

    /// Whether a coding is the label of a file that is compressed itself.
    ///
    /// - Parameters:
    ///   - coding: The field's value in lower case.
    ///   - path: The URL's path, still percent-encoded.
    ///   - mediaType: `type/subtype` in lower case.
    package static func isLabel(_ coding: String, ofFileAt path: String, mediaType: String?) -> Bool {
        let path = String(decoding: path.utf8.map(ASCII.lowercased), as: UTF8.self)
        return marks.contains { mark in
            mark.codings.contains(coding)
                && (mark.suffixes.contains { path.hasSuffix($0) }
                    || mediaType.map { mark.mediaTypes.contains($0) } ?? false)
        }
    }
}
