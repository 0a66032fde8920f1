import SegmentedDownloadCore
import Testing

@Suite struct SegmentLedgerTests {
    private func ledger(length: Int64 = 1000, segmentSize: Int64 = 300, finished: [Int] = []) -> SegmentLedger {
        let plan = SegmentPlan(length: length, segmentSize: segmentSize)
        var bits = SegmentBitmap(count: plan.segmentCount)
        for index in finished { bits[index] = true }
        return SegmentLedger(plan: plan, finished: bits)
    }

    @Test("A segment is finished by its last byte and not before, in whatever order its bytes come")
    func lastByte() {
        var ledger = ledger()
        ledger.wrote(450..<600)
        ledger.wrote(300..<449)
        #expect(ledger.takeFreshlyFinished().isEmpty)
        ledger.wrote(449..<450)
        #expect(ledger.takeFreshlyFinished() == [1])
        #expect(ledger.takeFreshlyFinished().isEmpty)
        #expect(ledger.finishedByteCount == 300)
    }

    @Test("One write may finish several segments and begin others")
    func span() {
        var ledger = ledger()
        ledger.wrote(299..<1000)
        #expect(ledger.takeFreshlyFinished() == [1, 2, 3])
        #expect(!ledger.isComplete)
        ledger.wrote(0..<299)
        #expect(ledger.takeFreshlyFinished() == [0])
        #expect(ledger.isComplete)
    }

    @Test("What a journal has is neither missing nor counted again")
    func resumed() {
        let ledger = ledger(finished: [0, 3])
        #expect(ledger.missingRanges == [300..<900])
        #expect(ledger.finishedByteCount == 400)
        #expect(ledger.finishedByteCount(in: 200..<950) == 150)
    }

    @Test("The finished bytes of any range are those of a plain loop")
    func anyRange() {
        let ledger = ledger(length: 40, segmentSize: 3, finished: [0, 1, 4, 7, 8, 9, 13])
        for start in Int64(0)...40 {
            for end in start...40 {
                let count = (start..<end).count { ledger.finished[Int($0 / 3)] }
                #expect(ledger.finishedByteCount(in: start..<end) == Int64(count))
            }
        }
    }

    @Test("An empty file is complete from the start")
    func empty() {
        #expect(ledger(length: 0).isComplete)
    }
}
