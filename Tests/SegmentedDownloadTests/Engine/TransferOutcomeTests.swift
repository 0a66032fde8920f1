import CSegdlShims
import SegmentedDownloadCore
import Testing

@testable import SegmentedDownload

@Suite struct TransferOutcomeTests {
    @Test(
        "A host has refused a connection too many only where it has been asked",
        arguments: zip(
            [
                CURLE_COULDNT_CONNECT, CURLE_RECV_ERROR, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY,
                CURLE_PEER_FAILED_VERIFICATION,
            ].map(\.rawValue),
            [true, true, false, false, false]
        )
    )
    func failures(code: UInt32, expected: Bool) {
        #expect(TransferOutcome.failed(CurlError(CURLcode(rawValue: code))).mayBePushback == expected)
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
