import SegmentedDownloadCore
import Testing

struct StatusKindTests {
    @Test func `every status has the kind of the table`() {
        let transient = Set([408, 425, 429]).union(Set(500...599).subtracting([501, 505]))
        for status in -1...1000 {
            let expected: StatusKind =
                switch status {
                case 200...299: .success
                case _ where [301, 302, 303, 307, 308].contains(status): .redirect
                case _ where [401, 407].contains(status): .authentication
                case _ where transient.contains(status): .transient
                default: .final
                }
            #expect(StatusKind(status: status) == expected, "status \(status)")
        }
    }
}
