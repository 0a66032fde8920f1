import SegmentedDownloadTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs one download and compares what it brought with what was served.
///
/// - Parameter look: Is given the folder's path before anybody reads what is in it.
/// - Throws: ``BenchError`` where the command fails or the bytes are wrong.
func fetch(
    _ resource: Resource,
    with command: Contender.Command,
    from server: any BenchServer,
    _ workplace: Workplace,
    look: (String) throws -> Void = { _ in }
) throws -> RunCost {
    let directory = try workplace.emptiedDownloads(movesAside: resource.contents.count > 1)
    try warmMemory(byteCount: resource.contents.values.reduce(0) { $0 + $1.length }, in: directory)
    // What an earlier run left to be written would stand in the way of this one's sync.
    sync()
    let cost = try run(server.clientPrefix + command(resource.url, directory, "file"))
    try look(directory)
    for (name, content) in resource.contents {
        if let difference = try content.difference(fromFileAt: "\(directory)/\(name)") {
            throw BenchError("Wrong bytes: \(difference).")
        }
    }
    return cost
}

/// Runs one download and kills it (`SIGKILL`).
///
/// - Returns: The path of the journal that it left or, where it had ended before, `nil`.
func fetch(
    _ resource: Resource,
    with command: Contender.Command,
    killedAfter seconds: Double,
    from server: any BenchServer,
    _ workplace: Workplace
) throws -> String? {
    let directory = try workplace.emptiedDownloads()
    sync()
    let command = server.clientPrefix + command(resource.url, directory, "file")
    return try run(command, killedAfter: seconds) ? directory + "/file.segdl.journal" : nil
}
