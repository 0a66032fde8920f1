import SegmentedDownload

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    internal import CSegdlMalloc
    import Glibc
#endif

/// The command line program, as a library: `segdl`'s `main.swift` is one call into it.
public enum SegdlCommand {
    /// Runs the program with the process's arguments. Where a signal ended it, the process ends by that signal instead of
    /// returning.
    ///
    /// - Returns: The exit status.
    public static func run() -> Int32 {
        shareOneHeap()
        let console = Console.ofProcess()
        var arguments: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = CommandLine.unsafeArgv[index] else { break }
            // `CommandLine.arguments` would put U+FFFD in the place of what is no UTF-8, and another file would be written.
            guard let argument = String(validatingCString: bytes) else {
                let shown = Terminal.sanitised(String(cString: bytes))
                return failed(
                    DownloadError(.usage, "The argument '\(shown)' is not UTF-8: names of files and URLs must be."),
                    console
                )
            }
            arguments.append(argument)
        }
        return run(arguments: arguments, console: console)
    }

    /// The manual page, as `docs/segdl.1` holds it.
    package static func manualPage() -> String {
        ManualPage.text
    }

    /// Runs the program with streams and an environment of the caller's.
    package static func run(arguments: [String], console: Console) -> Int32 {
        // A reader that goes away is an error of write(2), which the streams take.
        _ = signal(SIGPIPE, SIG_IGN)
        occupyStandardDescriptors()
        do {
            var options = try CommandLineParser.parse(arguments)
            switch options.action {
            case .help: console.output.write(HelpText.text)
            case .version: console.output.write(versionText(transport: Session.transportVersion))
            case .download:
                let notes = try Preparation.complete(
                    &options,
                    environment: console.environment,
                    password: PasswordPrompt.ask
                )
                return download(options, try lists(options), notes, console)
            }
            return 0
        } catch {
            return failed(error, console)
        }
    }

    private static func failed(_ error: DownloadError, _ console: Console) -> Int32 {
        console.error.write(MessageText(verbosity: .normal, isASCII: false).failed(error))
        return error.kind.exitStatus
    }

    /// `segdl 0.1.0 (libcurl/7.88.1 …)`.
    package static func versionText(transport: String) -> String {
        "segdl \(SegmentedDownloadVersion.current) (\(transport))\n"
    }

    /// Opens the lists: one that can't be read ends the run before anything is fetched.
    private static func lists(_ options: Options) throws(DownloadError) -> [ListFile] {
        var lists: [ListFile] = []
        for source in options.lists { lists.append(try ListFile(source)) }
        return lists
    }

    private static func download(
        _ options: Options,
        _ lists: [ListFile],
        _ notes: [String],
        _ console: Console
    ) -> Int32 {
        let display = Display(options, console)
        for note in notes { display.handle(.note(note), of: 0) }
        let signals = StopSignals { signal in
            display.stop(by: signal)
            display.flush(waitingAtMost: .milliseconds(100))
        }
        let status = fetch(options, lists, display, signals)
        if let signal = signals.signal {
            display.flush(waitingAtMost: .milliseconds(100))
            SignalMask.die(of: signal)
        }
        display.flush()
        return status
    }

    private static func fetch(
        _ options: Options,
        _ lists: [ListFile],
        _ display: Display,
        _ signals: StopSignals
    ) -> Int32 {
        do {
            let session = try Session(options.session)
            // libcurl's handles must be gone before exit(3): OpenSSL's atexit handler against a late clean-up is a
            // double free.
            defer { session.close() }
            let run = CommandRun(options, session: RunningSession(session), display: display, signals: signals)
            return run.fetchAll(EntrySource(urls: options.urls, lists: lists))
        } catch {
            let failure = Failure(error)
            display.fail(failure, of: 1)
            return failure.status
        }
    }

    /// Before the first thread is made: glibc would give each of the first threads a heap of its own (mallopt(3)), which
    /// costs page faults at the start and 2 MiB for good. What a worker does for each byte allocates nothing.
    private static func shareOneHeap() {
        #if canImport(Glibc)
            // Fails under a sanitizer alone, which has no such heaps.
            _ = mallopt(M_ARENA_MAX, 1)
        #endif
    }

    /// Opens what the caller closed of 0, 1 and 2 (`2>&-`): the part file or a socket would get that number, and
    /// messages would be written into it.
    private static func occupyStandardDescriptors() {
        for fd in STDIN_FILENO...STDERR_FILENO where fcntl(fd, F_GETFD) == -1 {
            // The lowest free number is taken (open(2)), which is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
