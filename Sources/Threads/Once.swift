public import Synchronization

/// A value that is made when it is first asked for.
///
/// The first caller makes it, and callers that come meanwhile wait for it. The source is freed once the value is made.
/// From then on, reading the value costs one atomic load.
public final class Once<Source: Sendable, Value: AnyObject & Sendable>: Sendable {
    private enum State {
        case source(Source)
        case value(Value)
    }

    @usableFromInline let made = AtomicLazyReference<Value>()
    private let state: Locked<State>
    private let make: @Sendable (Source) -> Value

    /// - Parameter make: Makes the value from the source. It must not ask for the value itself.
    public init(from source: Source, _ make: @escaping @Sendable (Source) -> Value) {
        state = Locked(.source(source))
        self.make = make
    }

    @inlinable public var value: Value { made.load() ?? makeOrWait() }

    /// Whether the value can be had at once.
    public var isMade: Bool { made.load() != nil }

    @usableFromInline func makeOrWait() -> Value {
        state.withLock { state in
            switch state {
            case .value(let value): return value
            case .source(let source):
                let value = make(source)
                state = .value(value)
                return made.storeIfNil(value)
            }
        }
    }
}
