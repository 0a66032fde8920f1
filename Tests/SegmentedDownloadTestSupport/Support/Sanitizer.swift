import Foundation

/// Whether the tests, and the programs built with them, run under a sanitizer.
package enum Sanitizer {
    /// Its run-time library is there: memory is several times as much then, and needs more address space than a limit
    /// leaves.
    package static let isActive: Bool = {
        let program = dlopen(nil, RTLD_LAZY)
        return ["__tsan_init", "__asan_init"].contains { (name: String) in dlsym(program, name) != nil }
    }()
}
