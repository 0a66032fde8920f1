import SegmentedDownloadCore
import Testing

/// Everything is compared with a plain `[Bool]`.
@Suite struct SegmentBitmapTests {
    static let sizes = [0, 1, 63, 64, 65, 127, 128, 129]

    @Test(arguments: sizes)
    func `a new bitmap has nothing finished`(count: Int) {
        let bitmap = SegmentBitmap(count: count)
        #expect(bitmap.count == count)
        #expect(bitmap.finishedCount == 0)
        #expect(bitmap.isFull == (count == 0))
        #expect(Array(bitmap.runs(of: true)) == [])
        #expect(Array(bitmap.runs(of: false)) == (count == 0 ? [] : [0..<count]))
    }

    @Test(arguments: sizes)
    func `each bit is set and cleared alone`(count: Int) {
        for index in 0..<count {
            var bitmap = SegmentBitmap(count: count)
            var model = [Bool](repeating: false, count: count)
            for value in [true, true, false, false, true] {
                bitmap[index] = value
                model[index] = value
                expectEqual(bitmap, model)
            }
        }
    }

    @Test(arguments: sizes)
    func `any range is counted as a plain loop counts it`(count: Int) {
        var random = SystemRandomNumberGenerator()
        var bitmap = SegmentBitmap(count: count)
        let model = (0..<count).map { _ in Bool.random(using: &random) }
        for (index, value) in model.enumerated() { bitmap[index] = value }
        for start in 0...count {
            for end in start...count {
                #expect(bitmap.finishedCount(in: start..<end) == model[start..<end].count { $0 })
            }
        }
    }

    @Test(arguments: sizes)
    func `filled from either end it is full at the last bit and never before`(count: Int) {
        for order in [Array(0..<count), (0..<count).reversed()] {
            var bitmap = SegmentBitmap(count: count)
            var model = [Bool](repeating: false, count: count)
            for index in order {
                #expect(!bitmap.isFull)
                bitmap[index] = true
                model[index] = true
                expectEqual(bitmap, model)
            }
            #expect(bitmap.isFull)
        }
    }

    @Test(arguments: sizes)
    func `any pattern gives the runs that a plain array gives`(count: Int) {
        var random = BitmapTestRandom(state: UInt64(count))
        for density in [1, 2, 8, 50] {
            var bitmap = SegmentBitmap(count: count)
            var model = [Bool](repeating: false, count: count)
            for index in 0..<count where Int.random(in: 0..<density, using: &random) == 0 {
                bitmap[index] = true
                model[index] = true
            }
            expectEqual(bitmap, model)
        }
    }

    @Test(arguments: sizes)
    func `a replaced word keeps the count of finished segments`(count: Int) {
        var bitmap = SegmentBitmap(count: count)
        for index in bitmap.words.indices {
            bitmap.replaceWord(index, with: bitmap.segmentMask(ofWord: index))
        }
        #expect(bitmap.isFull)
        #expect(bitmap.finishedCount == count)
        #expect(bitmap.segmentMask(ofWord: bitmap.words.count) == 0)
    }

    @Test func `a bit behind the last segment is an error of the program`() async {
        await #expect(processExitsWith: .failure) {
            var bitmap = SegmentBitmap(count: 65)
            bitmap.replaceWord(1, with: 2)
        }
    }

    private func expectEqual(_ bitmap: SegmentBitmap, _ model: [Bool]) {
        #expect((0..<bitmap.count).map { bitmap[$0] } == model)
        #expect(bitmap.finishedCount == model.count { $0 })
        for value in [false, true] {
            #expect(Array(bitmap.runs(of: value)) == runs(in: model, of: value))
            for start in 0...model.count {
                #expect(bitmap.firstIndex(of: value, from: start) == model[start...].firstIndex(of: value))
            }
        }
    }

    private func runs(in model: [Bool], of value: Bool) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for (index, bit) in model.enumerated() where bit == value {
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }
}

/// SplitMix64: the same numbers in every run.
private struct BitmapTestRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
