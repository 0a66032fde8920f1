import SegmentedDownloadCore
import Testing

@Suite struct CRC32Tests {
    @Test(
        arguments: [
            ("", 0), ("a", 0xE8B7_BE43), ("123456789", 0xCBF4_3926),
            ("The quick brown fox jumps over the lazy dog", 0x414F_A339),
        ] as [(String, UInt32)]
    )
    func `the published check values come out`(text: String, expected: UInt32) {
        var checksum = CRC32()
        checksum.update(text.utf8)
        #expect(checksum.value == expected)
    }

    @Test func `bytes may come in pieces`() {
        var checksum = CRC32()
        checksum.update("1234".utf8)
        checksum.update("".utf8)
        checksum.update("56789".utf8)
        #expect(checksum.value == 0xCBF4_3926)
    }
}
