import SegmentedDownloadCore
import SegmentedDownloadTestSupport
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

    @Test("What is held and what is missing is known to the byte, and parts of a segment may come in any order")
    func parts() {
        var ledger = ledger(finished: [2])
        ledger.wrote(10..<20)
        ledger.wrote(250..<420)
        ledger.wrote(20..<30)
        #expect(ledger.missingRanges == [0..<10, 30..<250, 420..<600, 900..<1000])
        #expect(ledger.heldRanges == [10..<30, 250..<420, 600..<900])
        #expect(ledger.heldByteCount == 20 + 170 + 300)
        #expect(ledger.finishedByteCount == 300)
        ledger.wrote(0..<10)
        ledger.wrote(30..<250)
        #expect(ledger.takeFreshlyFinished() == [0])
        #expect(ledger.missingRanges == [420..<600, 900..<1000])
        ledger.forgetUnfinished()
        #expect(ledger.missingRanges == [300..<600, 900..<1000])
        #expect(ledger.heldByteCount == 600)
    }

    @Test("Bytes that are written in any order are those of a plain array", arguments: 0..<20)
    func anyOrder(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var ledger = ledger(length: 101, segmentSize: 7)
        var isWritten = [Bool](repeating: false, count: 101)
        while let start = isWritten.indices.filter({ !isWritten[$0] }).randomElement(using: &random) {
            let limit = isWritten[start...].firstIndex(of: true) ?? isWritten.count
            let end = Int.random(in: start + 1...limit, using: &random)
            ledger.wrote(Int64(start)..<Int64(end))
            for index in start..<end { isWritten[index] = true }
            let held = ledger.heldRanges
            #expect((0..<101).allSatisfy { byte in isWritten[byte] == held.contains { $0.contains(Int64(byte)) } })
            #expect(ledger.heldByteCount == Int64(isWritten.count { $0 }))
            #expect(zip(held, held.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
        }
        #expect(ledger.isComplete)
        #expect(ledger.missingRanges.isEmpty)
    }

    @Test("An empty file is complete from the start")
    func empty() {
        #expect(ledger(length: 0).isComplete)
    }
}
