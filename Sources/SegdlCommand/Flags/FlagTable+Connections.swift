import SegmentedDownload

extension FlagTable {
    /// How many connections, and how much each request asks for.
    static let connectionFlags = [
        Flag(
            "jobs",
            "j",
            .init(placeholder: "N", example: "16"),
            in: .connections,
            "connections at once, 1 to 512, or auto",
            default: "8",
            details: """
                How many connections the whole run may have at once, from 1 to 512. With 'auto', as many as make it faster: it begins \
                with 8, tries up to 64 for as long as each step brings more, and fewer where those are enough.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.session.tunesConnections = value == "auto"
            options.session.jobs = value == "auto" ? mostTuned : try Value.integer(value, in: 1...512)
        },
        Flag(
            "segment-size",
            "s",
            .init(placeholder: "SIZE", example: "1M"),
            in: .connections,
            "size of a segment, 64K to 1G",
            default: "256K",
            details: """
                The size of the fixed segments that the journal records, from 64 KiB to 1 GiB. SIZE is a number of \
                bytes, or has one of the suffixes K, M, G and T (powers of 1024; KiB, KB and fractions such as 1.5M \
                too). A part file that is resumed keeps the size it was begun with.
                """
        ) { (value, options) throws(Flag.ValueError) in
            if let habit = Habits.segmentSize(value) { throw .sentence(habit) }
            options.request.segmentSize = try Value.size(value, in: 64 * 1024...1024 * 1024 * 1024)
        },
        Flag(
            "request-size",
            nil,
            .init(placeholder: "SIZE", example: "16M"),
            in: .connections,
            "most bytes that one request asks for, or auto",
            default: "auto",
            details: """
                The most bytes that one Range request asks for, rounded up to whole segments; for servers that want \
                short requests. With 'auto' a connection asks for all that it is to fetch. The same as the segment \
                size: one request for each segment.
                """
        ) { (value, options) throws(Flag.ValueError) in
            options.request.requestSize = value == "auto" ? nil : try Value.size(value, in: 1...Int64.max)
        },
    ]

    /// More than any server is known to need, and to bear.
    private static let mostTuned = 64
}
