import Foundation

/// What went wrong in a helper, as a sentence; a test fails with it.
package struct TestSupportError: Error, CustomStringConvertible, Sendable {
    /// The sentence.
    package let description: String
    /// The errno behind it, where there is one.
    package let code: Int32?

    /// Makes an error of one sentence.
    package init(_ description: String) {
        self.description = description
        code = nil
    }

    /// Makes an error that ends with errno's own words.
    ///
    /// - Parameters:
    ///   - call: What failed, such as `open /tmp/x`.
    ///   - code: The errno; by default the thread's present one.
    package init(call: String, errno code: Int32 = errno) {
        description = "\(call): \(describe(errno: code))"
        self.code = code
    }
}
