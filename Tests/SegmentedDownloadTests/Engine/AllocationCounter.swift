import CSegdlAllocationCounter

/// Counts what the calling thread takes from the heap.
enum AllocationCounter {
    /// Whether allocations can be counted here.
    static let isAvailable = segdl_can_count_allocations() == 1

    /// Runs a body.
    ///
    /// - Returns: How many blocks it allocated or resized, on this thread.
    static func count<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> Int {
        segdl_begin_counting_allocations()
        defer { _ = segdl_end_counting_allocations() }
        try body()
        return segdl_end_counting_allocations()
    }
}
