#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

/// The time of day, for dates that servers send. Everything else is measured by a clock that nobody sets.
enum WallClock {
    /// Seconds since 1970; time(3).
    static var seconds: Int64 { Int64(time(nil)) }
}
