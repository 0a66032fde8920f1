import SegmentedDownload
import Testing

@Suite struct LockHolderTests {
    private static let text = """
        1: POSIX  ADVISORY  WRITE 11 fe:00:77 0 EOF
        2: FLOCK  ADVISORY  WRITE 4711 fe:00:77 0 EOF
        2: -> FLOCK  ADVISORY  WRITE 12 fe:00:78 0 EOF
        3: FLOCK  ADVISORY  WRITE 13 00:1a:77 0 EOF
        4: FLOCK  ADVISORY  WRITE -1 fe:01:79 0 EOF
        5: FLOCK  ADVISORY
        6: FLOCK  ADVISORY  WRITE 14 103:12345:80 0 EOF

        """

    @Test func `the holder of an flock is found by device and inode, and nobody else is`() {
        func holder(_ major: UInt64, _ minor: UInt64, _ inode: UInt64) -> Int32? {
            // As the C library's makedev(3) packs them.
            let device = (minor & 0xFF) | (major & 0xFFF) << 8 | (minor & ~0xFF) << 12 | (major & ~0xFFF) << 32
            return LockHolder.processID(inLocks: Self.text, device: device, inode: inode)
        }
        #expect(holder(0xFE, 0, 77) == 4711)
        #expect(holder(0, 0x1A, 77) == 13)
        #expect(holder(0x103, 0x12345, 80) == 14)
        // Waits only; held by a process that can't be seen; of another inode, or device.
        for other in [holder(0xFE, 0, 78), holder(0xFE, 1, 79), holder(0xFE, 0, 79), holder(0xFF, 0, 77)] {
            #expect(other == nil)
        }
    }
}
