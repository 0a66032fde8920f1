internal import CSegdlShims
internal import SegmentedDownloadCore

/// A libcurl multi handle, driven by one worker's loop.
struct MultiHandle: ~Copyable {
    private let pointer: UnsafeMutableRawPointer
    /// Cleaning up closes the sockets that are left.
    let sockets = SocketTable()

    /// Ends a multi handle's poll, from any thread, for as long as the handle lives.
    ///
    /// Sendable: `curl_multi_wakeup` is the one call that libcurl allows from another thread.
    struct WakeUp: @unchecked Sendable {
        fileprivate let pointer: UnsafeMutableRawPointer

        func callAsFunction() { curl_multi_wakeup(pointer) }
    }

    private init(owning pointer: UnsafeMutableRawPointer) { self.pointer = pointer }

    /// - Parameter connectionCount: How many idle TCP connections are kept: one for each easy handle.
    static func make(connectionCount: Int) throws(CurlError) -> MultiHandle {
        guard let pointer = curl_multi_init() else { throw CurlError(CURLE_OUT_OF_MEMORY) }
        let handle = MultiHandle(owning: pointer)
        guard segdl_multi_set_max_connects(pointer, connectionCount) == CURLM_OK,
            segdl_multi_set_pipelining(pointer, Int(CURLPIPE_NOTHING)) == CURLM_OK
        else { throw CurlError(CURLE_FAILED_INIT) }
        return handle
    }

    deinit { curl_multi_cleanup(pointer) }

    var wakeUp: WakeUp { WakeUp(pointer: pointer) }

    func add(_ easy: UnsafeMutableRawPointer) throws(CurlError) {
        guard curl_multi_add_handle(pointer, easy) == CURLM_OK else { throw CurlError(CURLE_FAILED_INIT) }
    }

    /// Ends what the handle does; a body that has not come to its end takes its connection along.
    func remove(_ easy: UnsafeMutableRawPointer) {
        let code = curl_multi_remove_handle(pointer, easy)
        precondition(code == CURLM_OK, "A handle is removed by the multi handle that it was added to")
    }

    /// Does all that can be done without waiting.
    func perform() throws(CurlError) {
        var running: Int32 = 0
        let code = curl_multi_perform(pointer, &running)
        guard code == CURLM_OK else {
            throw CurlError(CURLE_FAILED_INIT, detail: String(cString: curl_multi_strerror(code)))
        }
    }

    /// Waits for a socket, for libcurl's own next timer, or for a wake-up.
    func poll(_ timeout: Duration) throws(CurlError) {
        let milliseconds = Int32(clamping: Int64(timeout.inSeconds * 1000))
        let code = curl_multi_poll(pointer, nil, 0, max(milliseconds, 1), nil)
        guard code == CURLM_OK else {
            throw CurlError(CURLE_FAILED_INIT, detail: String(cString: curl_multi_strerror(code)))
        }
    }

    /// The next transfer that has ended; `nil` where there is none.
    func nextEnded() -> (easy: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let easy = segdl_message_handle(message) else { continue }
            return (easy, segdl_message_result(message))
        }
        return nil
    }
}
