import SegmentedDownloadCore
import SegmentedDownloadLocking
import SegmentedDownloadTestSupport
import Testing

@testable import SegmentedDownload

@Suite struct ConnectionBudgetTests {
    private static let origin = "http://a:80"

    /// A budget, and the downloads that it has opened, by the order in which they were admitted.
    private final class Bench: Sendable {
        let hosts: HostRecords
        let budget: ConnectionBudget
        private let opened = Locked<[Int]>([])

        init(jobs: Int, options: SessionOptions = SessionOptions()) {
            hosts = HostRecords(options)
            budget = ConnectionBudget(jobs: jobs, isTuned: false, hosts: hosts)
        }

        var openedNumbers: [Int] { opened.withLock { $0 } }

        func admit(_ number: Int, at origin: String? = nil) -> ConnectionAllotment {
            let allotment = budget.makeAllotment()
            let open: @Sendable () -> Void = { [self] in opened.withLock { $0.append(number) } }
            budget.admit(allotment, origin: origin, onGrant: {}, open: open)
            return allotment
        }

        /// As if so many had been served while another one was refused.
        func limit(to count: Int) {
            let now = hosts.now
            _ = hosts.with(ConnectionBudgetTests.origin) {
                $0.connections.refused(askedAt: now, others: .init(delivering: count, awaited: 0), now: now)
                    == $0.connections.refused(askedAt: now, others: .init(delivering: count, awaited: 0), now: now)
            }
        }
    }

    private func need(_ wanted: Int, idle: [Int] = [], at origin: String = Self.origin) -> ConnectionAllotment.Need {
        .init(origin: origin, idle: idle, wanted: wanted)
    }

    @Test("Each download is opened with one connection, as long as there are any")
    func opens() {
        let bench = Bench(jobs: 2)
        let allotments = (0..<3).map { bench.admit($0) }
        #expect(bench.openedNumbers == [0, 1])
        #expect(allotments.map(\.held) == [[0], [1], []])
        allotments[0].end()
        #expect(bench.openedNumbers == [0, 1, 2])
        #expect(allotments[2].held == [0])
    }

    @Test("No more are open than there are threads for, each with two others, where all of them block")
    func threads() {
        let bench = Bench(jobs: 512)
        let allotments = (0..<200).map { bench.admit($0) }
        #expect(bench.openedNumbers.count == 80)
        allotments[0].end()
        #expect(bench.openedNumbers.count == 81)
        // Those that wait would keep the bench, which keeps them.
        bench.budget.close()
    }

    @Test("Whose host bears no more is opened without a connection, asks nobody, and others pass")
    func borneNoMore() {
        let bench = Bench(jobs: 4)
        let first = bench.admit(0, at: Self.origin)
        bench.limit(to: 1)
        let second = bench.admit(1, at: Self.origin)
        let elsewhere = bench.admit(2, at: "http://b:80")
        #expect(bench.openedNumbers == [0, 1, 2])
        #expect([first, second, elsewhere].map(\.held) == [[0], [], [1]])
        first.end()
        #expect(second.held == [0])
    }

    @Test("A host's limit grows again beside streams and small files, and who waits gets the connection")
    func thriving() {
        var options = SessionOptions()
        options.growthPatience = .milliseconds(1)
        let bench = Bench(jobs: 4, options: options)
        let first = bench.admit(0, at: Self.origin)
        bench.limit(to: 1)
        let second = bench.admit(1, at: Self.origin)
        let start = bench.hosts.now
        while bench.hosts.now < start + .milliseconds(2) {}
        #expect(second.held.isEmpty)
        DownloadControl(hosts: bench.hosts, allotment: first, onEvent: { _ in }).tellOfHost(Self.origin)
        // Who waits looks each second.
        #expect(second.exchange(need(1)) == [1])
        #expect(second.held == [1])
    }

    @Test("What comes free goes to the download that was started first, before another is opened")
    func order() {
        let bench = Bench(jobs: 4)
        let allotments = (0..<2).map { bench.admit($0) }
        #expect(allotments[1].exchange(need(3)) == [1, 2, 3])
        #expect(allotments[0].exchange(need(2)) == [0])
        let third = bench.admit(2)
        // Of the two that come free one is the first's, and one opens the third.
        #expect(allotments[1].exchange(need(1, idle: [2, 3])) == [1])
        #expect(Set(allotments[0].held + third.held) == [0, 2, 3])
        #expect(allotments[0].held.count == 2)
        #expect(bench.openedNumbers == [0, 1, 2])
    }

    @Test("A connection with nothing to do stays until somebody else wants one")
    func idle() {
        let bench = Bench(jobs: 2)
        let first = bench.admit(0)
        #expect(first.exchange(need(2)) == [0, 1])
        #expect(first.exchange(need(1, idle: [1])) == [0, 1])
        let second = bench.admit(1)
        #expect(bench.openedNumbers == [0])
        #expect(first.exchange(need(1, idle: [1])) == [0])
        #expect(second.held == [1])
    }

    @Test("The downloads of one host have no more connections together than it bears, and each has a chance")
    func hostLimit() {
        let bench = Bench(jobs: 8)
        let allotments = (0..<2).map { bench.admit($0) }
        _ = bench.hosts.with(Self.origin) {
            $0.connections.refused(askedAt: .zero, others: .init(delivering: 2, awaited: 0), now: .zero)
        }
        #expect(allotments[0].exchange(need(8)).count == 2)
        #expect(allotments[1].exchange(need(8)).count == 1)
        let elsewhere = bench.admit(2)
        #expect(elsewhere.exchange(need(8, at: "http://b:80")).count == 5)
        #expect(allotments[0].othersCount(Self.origin) == 1)
        allotments[0].rest()
        #expect(allotments[1].held.count == 2)
    }

    @Test("A lone download may be lent what is free and its host bears; beside others, nothing is known")
    func spare() {
        let bench = Bench(jobs: 8)
        let first = bench.admit(0)
        #expect(first.exchange(need(1)) == [0])
        #expect(first.spareCount == 7)
        bench.limit(to: 3)
        #expect(first.spareCount == 2)
        bench.limit(to: 1)
        #expect(first.spareCount == 0)
        let elsewhere = Bench(jobs: 8)
        let both = (0..<2).map { elsewhere.admit($0) }
        #expect(both.map(\.spareCount) == [0, 0])
        let hosts = HostRecords(SessionOptions())
        let tuned = ConnectionBudget(jobs: 64, isTuned: true, hosts: hosts)
        let allotment = tuned.makeAllotment()
        tuned.admit(allotment, origin: nil, onGrant: {}, open: {})
        #expect(allotment.spareCount == 7)
    }

    @Test("A closed budget opens everything without a connection, and has no room")
    func closed() {
        let bench = Bench(jobs: 1)
        let allotments = (0..<3).map { bench.admit($0) }
        #expect(bench.openedNumbers == [0])
        bench.budget.close()
        #expect(bench.openedNumbers == [0, 1, 2])
        #expect(allotments[1].held.isEmpty)
        #expect(!bench.budget.waitForRoom())
        _ = bench.admit(3)
        #expect(bench.openedNumbers == [0, 1, 2, 3])
    }

    @Test("No connection is held twice or lost, and everything is opened in order", arguments: 1...100)
    func random(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let jobs = Int.random(in: 1...9, using: &random)
        let bench = Bench(jobs: jobs)
        var allotments: [ConnectionAllotment] = []
        var live: [Int] = []
        for _ in 0..<300 {
            if live.isEmpty || Int.random(in: 0..<4, using: &random) == 0 {
                live.append(allotments.count)
                allotments.append(bench.admit(allotments.count))
            }
            let opened = Set(bench.openedNumbers)
            let candidates = live.filter(opened.contains)
            guard let number = candidates.randomElement(using: &random) else { continue }
            let allotment = allotments[number]
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                allotment.end()
                live.removeAll { $0 == number }
            case 1: allotment.rest()
            default:
                let idle = allotment.held.filter { _ in Bool.random(using: &random) }
                let wanted = Int.random(in: 0...jobs, using: &random)
                _ = allotment.exchange(need(wanted, idle: idle, at: Bool.random(using: &random) ? "a" : "b"))
            }
            let held = live.flatMap { allotments[$0].held }
            #expect(held.count == Set(held).count && held.count <= jobs)
            #expect(held.allSatisfy { (0..<jobs).contains($0) })
        }
        for number in live { allotments[number].end() }
        while bench.openedNumbers.count < allotments.count {
            for number in live { allotments[number].end() }
        }
        #expect(bench.openedNumbers == Array(0..<allotments.count))
        #expect(bench.budget.waitForRoom())
    }
}
