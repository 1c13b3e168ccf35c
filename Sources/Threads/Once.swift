public import Synchronization

/// A value that whoever asks for it first makes, and whoever asks meanwhile waits for.
///
/// What it is made from is kept until then and no longer. Once it is made, asking costs an atomic load.
public final class Once<Source: Sendable, Value: AnyObject & Sendable>: Sendable {
    private enum State {
        case source(Source)
        case value(Value)
    }

    @usableFromInline let made = AtomicLazyReference<Value>()
    private let state: Locked<State>
    private let make: @Sendable (Source) -> Value

    /// - Parameter make: Must not ask for the value itself.
    public init(from source: Source, _ make: @escaping @Sendable (Source) -> Value) {
        state = Locked(.source(source))
        self.make = make
    }

    @inlinable public var value: Value { made.load() ?? makeOrWait() }

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
