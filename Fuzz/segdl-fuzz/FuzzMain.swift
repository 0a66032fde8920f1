import CSegdlFuzzer

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Runs one fuzz target under libFuzzer. The environment names the target, so that all arguments are libFuzzer's own:
/// it starts itself again with them to merge and to minimise.
@main
enum FuzzMain {
    static func main() {
        let name = getenv("SEGDL_FUZZ_TARGET").map { String(cString: $0) }
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            for target in FuzzTarget.all { print(target.name) }
            exit(name == nil ? 0 : 2)
        }
        FuzzTarget.selected = target
        var argc = CommandLine.argc
        var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let status = LLVMFuzzerRunDriver(&argc, &argv) { data, size in
            FuzzTarget.selected?.run(Array(UnsafeBufferPointer(start: data, count: size)))
            return 0
        }
        exit(status)
    }
}
