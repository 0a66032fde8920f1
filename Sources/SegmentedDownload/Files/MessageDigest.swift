internal import CSegdlLibcrypto

/// A digest under way: OpenSSL's EVP (EVP_DigestInit(3)). Confined to one queue.
///
/// All members throw `other` where OpenSSL is built or configured without the algorithm, or memory is out.
final class MessageDigest {
    private let algorithm: Checksum.Algorithm
    private let context: OpaquePointer

    init(_ algorithm: Checksum.Algorithm) throws(DownloadError) {
        let method =
            switch algorithm {
            case .md5: EVP_md5()
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            case .sha512: EVP_sha512()
            }
        guard let context = EVP_MD_CTX_new() else { throw Self.unavailable(algorithm) }
        self.algorithm = algorithm
        self.context = context
        guard EVP_DigestInit_ex(context, method, nil) == 1 else { throw Self.unavailable(algorithm) }
    }

    deinit { EVP_MD_CTX_free(context) }

    /// Takes bytes in their order.
    func update(_ bytes: UnsafeRawBufferPointer) throws(DownloadError) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else { throw Self.unavailable(algorithm) }
    }

    /// The digest of all bytes so far; the last call.
    func finish() throws(DownloadError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var count: UInt32 = 0
        guard EVP_DigestFinal_ex(context, &bytes, &count) == 1 else { throw Self.unavailable(algorithm) }
        return Array(bytes[..<Int(count)])
    }

    private static func unavailable(_ algorithm: Checksum.Algorithm) -> DownloadError {
        DownloadError(
            .other,
            "The system's OpenSSL makes no \(algorithm.rawValue); leave the checksum out, or give another kind."
        )
    }
}
