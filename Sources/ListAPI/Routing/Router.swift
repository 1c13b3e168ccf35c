internal import HTTPTypes
internal import Texts

/// Finds the resource of a path: a tree of the templates' segments.
struct Router: Sendable {
    /// A resource, with the parameters of the path that led to it.
    struct Resource {
        /// The endpoints of the resource, at least one.
        let endpoints: [Endpoint]
        let arguments: Arguments

        /// The methods of the endpoints and `OPTIONS`, and `HEAD` if there is a `GET`.
        var allowedMethods: [HTTPRequest.Method] {
            endpoints.map(\.method).flatMap { $0 == .get ? [.get, .head] : [$0] } + [.options]
        }

        func endpoint(_ method: HTTPRequest.Method) -> Endpoint? {
            let wanted = method == .head ? .get : method
            return endpoints.first { $0.method == wanted }
        }
    }

    /// The decoded parameters of a path; no template has more than two.
    struct Arguments {
        private(set) var first: ByteText?
        private(set) var last: ByteText?

        fileprivate mutating func append(_ argument: ByteText) {
            if first == nil { first = argument }
            last = argument
        }
    }

    /// A segment in the tree of templates, with the segments that can follow it.
    private final class Node: Sendable {
        let endpoints: [Endpoint]
        let literals: [(segment: [UInt8], node: Node)]
        /// The node for a segment that is none of `literals`; nil if the templates have no parameter here.
        let parameter: Node?

        /// - Parameter routes: Endpoints, each with the segments of its template that are left.
        init(_ routes: [(endpoint: Endpoint, segments: ArraySlice<Substring>)]) {
            endpoints = routes.filter(\.segments.isEmpty).map(\.endpoint)
            let longer = Dictionary(grouping: routes.filter { !$0.segments.isEmpty }) { $0.segments.first ?? "" }
            let next = longer.mapValues { Node($0.map { ($0.endpoint, $0.segments.dropFirst()) }) }
            literals = next.filter { !$0.key.hasPrefix("{") }.map { (Array($0.key.utf8), $0.value) }
            parameter = next.first { $0.key.hasPrefix("{") }?.value
        }

        func literal(_ segment: Span<UInt8>) -> Node? {
            // The loop is by index, because iterating would retain and release each element.
            for index in literals.indices where isSame(literals[index].segment, segment) {
                return literals[index].node
            }
            return nil
        }
    }

    private let root: Node

    init(_ endpoints: [Endpoint] = Endpoint.allCases) {
        root = Node(
            endpoints.map { ($0, $0.template.split(separator: "/", omittingEmptySubsequences: false).dropFirst()) })
    }

    /// The resource at `path`; nil if there is none. The path is split into segments before they are decoded. A
    /// parameter cannot be empty.
    ///
    /// - Parameter path: The path as it was sent.
    /// - Throws: `bad_path` if a percent-encoding is broken or does not give UTF-8.
    func resource(at path: ByteText) throws(Problem) -> Resource? {
        let bytes = path.utf8.span
        var node = root
        var arguments = Arguments()
        var end = segment(bytes, from: 0).end
        while end < bytes.count {
            let start = end + 1
            let segment = segment(bytes, from: start)
            end = segment.end
            let raw = bytes.extracting(start..<end)
            let decoded = segment.isEncoded ? try decodedSegment(raw) : nil
            let literal = if let decoded { node.literal(decoded.utf8.span) } else { node.literal(raw) }
            if let literal {
                node = literal
            } else if let parameter = node.parameter, start < end {
                arguments.append(decoded ?? ByteText(decoding: raw))
                node = parameter
            } else {
                return nil
            }
        }
        return node.endpoints.isEmpty ? nil : Resource(endpoints: node.endpoints, arguments: arguments)
    }

    private func decodedSegment(_ raw: Span<UInt8>) throws(Problem) -> ByteText {
        guard let decoded = percentDecoded(raw) else {
            throw Problem(
                .badPath, "The path has a percent-encoding that is broken or does not give UTF-8: % itself is %25.")
        }
        return decoded
    }

    /// The end of the segment that begins at `start`, and whether it holds a percent-encoding.
    private func segment(_ path: Span<UInt8>, from start: Int) -> (end: Int, isEncoded: Bool) {
        var end = start
        var isEncoded = false
        while end < path.count {
            let byte = path[end]
            guard byte != UInt8(ascii: "/") else { break }
            isEncoded = isEncoded || byte == UInt8(ascii: "%")
            end += 1
        }
        return (end, isEncoded)
    }
}

private func isSame(_ left: [UInt8], _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in left.indices where left[index] != right[index] { return false }
    return true
}
