/// The amount of work, counted in rows that are looked at or moved. Tests use it to see that an algorithm is linear: a
/// clock would also measure how busy the machine is.
///
/// Only debug builds count. In other builds nothing of it is left.
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
