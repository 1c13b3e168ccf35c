/// How much work is done, counted in rows looked at or moved: how tests see that an algorithm is linear, where a clock
/// would tell them how busy the machine is.
///
/// Counted in debug builds alone; in others nothing is left of it.
package enum Steps {
    #if DEBUG
        /// - Safety: `@unchecked` is sound because the count is a task-local value that only the task that made it adds
        ///   to.
        private final class Count: @unchecked Sendable {
            var total = 0
        }

        @TaskLocal private static var current: Count?

        /// How many steps `body` takes.
        package static func taken(by body: () throws -> Void) rethrows -> Int {
            let count = Count()
            try $current.withValue(count) { try body() }
            return count.total
        }
    #endif

    /// Notes steps that are about to be taken.
    @inline(__always)
    package static func add(_ count: @autoclosure () -> Int) {
        #if DEBUG
            if let current { current.total += count() }
        #endif
    }
}
