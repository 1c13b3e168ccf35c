// The signatures of SwiftUI that the documentation uses, for a check of types where there is no SwiftUI.
//
// Source: Apple's documentation of iOS 17.

@_exported public import Foundation
@_exported public import Observation

@MainActor public protocol View {
    associatedtype Body: View
    @ViewBuilder @MainActor var body: Self.Body { get }
}

extension Never: View { public var body: Never { fatalError() } }
extension View where Body == Never { public var body: Never { fatalError() } }

extension Optional: View where Wrapped: View { public typealias Body = Never }

@resultBuilder public enum ViewBuilder {
    public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<
        (repeat each Content)
    > {
        TupleView()
    }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<Yes: View, No: View>(first: Yes) -> ConditionalContent<Yes, No> {
        ConditionalContent()
    }
    public static func buildEither<Yes: View, No: View>(second: No) -> ConditionalContent<Yes, No> {
        ConditionalContent()
    }
}

public struct TupleView<Content>: View { public typealias Body = Never }
public struct ConditionalContent<Yes: View, No: View>: View { public typealias Body = Never }

public struct Text: View {
    public typealias Body = Never
    public init<Content: StringProtocol>(_ content: Content) {}
}

public struct Image: View {
    public typealias Body = Never
    public init(systemName: String) {}
}

public struct Spacer: View {
    public typealias Body = Never
    public init() {}
}

public struct HStack<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

public struct Button<Label: View>: View {
    public typealias Body = Never
    public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Label) {}
}

public struct Section<Parent: View, Content: View>: View {
    public typealias Body = Never
}
extension Section where Parent == Text {
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {}
}

public struct List<Content: View>: View {
    public typealias Body = Never
    public init(@ViewBuilder content: () -> Content) {}
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content: View>: View {
    public typealias Body = Never
    public init(_ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content)
    {
    }
}
extension ForEach where ID == Data.Element.ID, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {}
}
extension ForEach {
    public func onMove(perform action: ((IndexSet, Int) -> Void)?) -> ForEach { self }
    public func onDelete(perform action: ((IndexSet) -> Void)?) -> ForEach { self }
}

extension View {
    public func padding(_ edges: Edge.Set = .all, _ length: CGFloat? = nil) -> some View { self }
    public func task(_ action: @escaping @Sendable @isolated(any) () async -> Void) -> some View { self }
    public func navigationTitle<Title: StringProtocol>(_ title: Title) -> some View { self }
}

public enum Edge {
    public struct Set: OptionSet, Sendable {
        public let rawValue: Int8
        public init(rawValue: Int8) { self.rawValue = rawValue }
        public static let leading = Set(rawValue: 2)
        public static let all = Set(rawValue: 15)
    }
}

@propertyWrapper public struct State<Value> {
    public init(wrappedValue: Value) {}
    public var wrappedValue: Value {
        get { fatalError() }
        nonmutating set {}
    }
}
