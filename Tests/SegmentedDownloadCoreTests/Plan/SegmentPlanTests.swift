import SegmentedDownloadCore
import Testing

@Suite struct SegmentPlanTests {
    static let segmentSize = 256 * KiB
    static let lengths: [Int64] = [
        0, 1, 2, segmentSize - 1, segmentSize, segmentSize + 1, 8 * segmentSize - 1, 8 * segmentSize,
        8 * segmentSize + 1, 7_919, 1_000_003,
    ]

    @Test("The segments tile the file without gap or overlap", arguments: lengths)
    func tiles(length: Int64) {
        let plan = SegmentPlan(length: length, segmentSize: Self.segmentSize)
        var offset: Int64 = 0
        for index in 0..<plan.segmentCount {
            let bytes = plan.byteRange(ofSegment: index)
            #expect(bytes.lowerBound == offset)
            #expect(!bytes.isEmpty)
            #expect(bytes.upperBound - bytes.lowerBound == Self.segmentSize || index == plan.segmentCount - 1)
            #expect(plan.segment(containing: bytes.lowerBound) == index)
            #expect(plan.segment(containing: bytes.upperBound - 1) == index)
            offset = bytes.upperBound
        }
        #expect(offset == length)
    }

    @Test("The number of segments is right at the edges")
    func counts() {
        let size = Self.segmentSize
        let expected: [(Int64, Int)] = [
            (0, 0), (1, 1), (size - 1, 1), (size, 1), (size + 1, 2), (2 * size, 2), (2 * size + 1, 3),
        ]
        for (length, count) in expected {
            #expect(SegmentPlan(length: length, segmentSize: size).segmentCount == count)
        }
    }

    @Test("2 TiB and the largest possible length do not overflow", arguments: [2 * 1024 * GiB, Int64.max - 1, .max])
    func hugeLengths(length: Int64) {
        for size in [64 * KiB, 256 * KiB, 1 * GiB] {
            let plan = SegmentPlan(length: length, segmentSize: size)
            let last = plan.byteRange(ofSegment: plan.segmentCount - 1)
            #expect(last.upperBound == length)
            #expect(plan.byteRange(ofSegments: 0..<plan.segmentCount) == 0..<length)
            #expect(plan.boundary(atOrAfter: length - 1) == length)
        }
        #expect(SegmentPlan(length: 2 * 1024 * GiB, segmentSize: 64 * KiB).segmentCount == 33_554_432)
    }

    @Test("Boundaries round up, and the end of the file counts as one")
    func boundaries() {
        let plan = SegmentPlan(length: 1000, segmentSize: 300)
        let expected: [(Int64, Int64)] = [
            (0, 0), (1, 300), (299, 300), (300, 300), (301, 600), (901, 1000), (1000, 1000),
        ]
        for (offset, boundary) in expected { #expect(plan.boundary(atOrAfter: offset) == boundary) }
    }

    @Test("A request size is rounded up to whole segments")
    func wholeSegments() {
        let plan = SegmentPlan(length: 1000, segmentSize: 300)
        let expected: [(Int64, Int64)] = [(0, 300), (1, 300), (300, 300), (301, 600), (.max, .max)]
        for (size, whole) in expected { #expect(plan.wholeSegments(size) == whole) }
    }

    @Test("Consecutive segments are one range of bytes; none are an empty one")
    func runs() {
        let plan = SegmentPlan(length: 1000, segmentSize: 300)
        #expect(plan.byteRange(ofSegments: 1..<3) == 300..<900)
        #expect(plan.byteRange(ofSegments: 2..<4) == 600..<1000)
        #expect(plan.byteRange(ofSegments: 2..<2).isEmpty)
    }
}
