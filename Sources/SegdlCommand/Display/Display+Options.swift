extension Display {
    /// The display that the options and the terminal ask for.
    ///
    /// - Parameters:
    ///   - options: Progress mode and verbosity count.
    ///   - console: Where text goes.
    package convenience init(_ options: Options, _ console: Console) {
        let terminal = Terminal(fd: console.error.fd, environment: console.environment)
        let isJSON = options.progress == .json
        // Errors are for people, also where a program reads the events; the rest is in the events.
        let verbosity = isJSON && options.verbosity == .normal ? .quiet : options.verbosity
        let messages = MessageText(verbosity: verbosity, isASCII: !terminal.isUnicode)
        var channels = [Channel(Self.presenter(options, messages, terminal), console.error)]
        if isJSON { channels.append(Channel(JSONPresenter(), console.output)) }
        self.init(channels: channels, terminal: terminal, hasSeveralEntries: options.hasSeveralEntries)
    }

    private static func presenter(
        _ options: Options,
        _ messages: MessageText,
        _ terminal: Terminal
    ) -> any Presenter {
        let style = BarText.Style(isUnicode: terminal.isUnicode, isColored: terminal.isColored)
        guard options.verbosity != .quiet else { return SilentPresenter(messages) }
        return switch shape(options.progress, isCapable: terminal.isCapable, isForeground: terminal.isForeground) {
        case .bar: options.hasSeveralEntries ? BarListPresenter(messages) : BarPresenter(messages, style: style)
        case .plain: options.hasSeveralEntries ? PlainListPresenter(messages) : PlainPresenter(messages)
        case .auto, .json, .none: SilentPresenter(messages)
        }
    }

    /// What `auto` means here, and what becomes of `bar` on a terminal that obeys no control codes.
    ///
    /// - Parameters:
    ///   - mode: The mode asked for.
    ///   - isCapable: Whether there is a terminal that obeys control codes.
    ///   - isForeground: Whether `segdl` runs in its foreground.
    /// - Returns: A mode that is not `auto`.
    package static func shape(
        _ mode: Options.ProgressMode,
        isCapable: Bool,
        isForeground: Bool
    ) -> Options.ProgressMode {
        switch mode {
        case .auto: isCapable && isForeground ? .bar : .plain
        case .bar: isCapable ? .bar : .plain
        case .plain, .json, .none: mode
        }
    }
}
