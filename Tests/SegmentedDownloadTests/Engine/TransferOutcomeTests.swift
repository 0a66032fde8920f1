import SegmentedDownloadCore
import Testing

@testable import SegmentedDownload

@Suite struct TransferOutcomeTests {
    /// Codes of libcurl: 6 and 5 are names, of the host and the proxy, that nobody knows; 7 is a refused connection, 56 a
    /// reset one, and 60 a certificate that is not trusted.
    @Test(
        "A host has refused a connection too many only where it has been asked",
        arguments: zip([7, 56, 6, 5, 60] as [UInt32], [true, true, false, false, false])
    )
    func failures(code: UInt32, expected: Bool) {
        #expect(TransferOutcome.failed(CurlError(.init(rawValue: code))).mayBePushback == expected)
    }

    @Test(
        "Refusals that may pass, 403 and a page in the file's place may be for a connection too many, others not",
        arguments: zip(
            [
                .status(429, retryAfter: nil), .status(403, retryAfter: nil), .captive, .status(404, retryAfter: nil),
                .encoded,
            ]
                as [Rejection],
            [true, true, true, false, false]
        )
    )
    func rejections(rejection: Rejection, expected: Bool) {
        #expect(TransferOutcome.rejected(rejection).mayBePushback == expected)
    }
}
