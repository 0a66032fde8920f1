/// No progress: messages, the line at the end, and errors.
package struct SilentPresenter: EntryPresenter {
    package var messages: EntryMessages

    /// No progress.
    package init(_ messages: MessageText) {
        self.messages = EntryMessages(messages)
    }

    package var interval: Duration? { nil }
}
