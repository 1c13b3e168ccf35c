internal import HTTPTypes

/// Finds the resource of a path: a tree of the templates' segments.
struct Router: Sendable {
    /// A resource and what the path says of it.
    struct Resource {
        /// The endpoints of the resource, at least one.
        let endpoints: [Endpoint]
        /// The decoded parameters of the template, from left to right.
        let arguments: [String]

        /// `OPTIONS` and, where there is a GET, `HEAD` included.
        var allowedMethods: [HTTPRequest.Method] {
            endpoints.map(\.method).flatMap { $0 == .get ? [.get, .head] : [$0] } + [.options]
        }

        func endpoint(_ method: HTTPRequest.Method) -> Endpoint? {
            let wanted = method == .head ? .get : method
            return endpoints.first { $0.method == wanted }
        }
    }

    /// What can follow the same first segments.
    private final class Node: Sendable {
        let endpoints: [Endpoint]
        let literals: [(segment: String, node: Node)]
        /// What any other segment leads to.
        let parameter: Node?

        /// - Parameter routes: Endpoints with what is left of their templates.
        init(_ routes: [(endpoint: Endpoint, segments: ArraySlice<Substring>)]) {
            endpoints = routes.filter(\.segments.isEmpty).map(\.endpoint)
            let longer = Dictionary(grouping: routes.filter { !$0.segments.isEmpty }) { $0.segments.first ?? "" }
            let next = longer.mapValues { Node($0.map { ($0.endpoint, $0.segments.dropFirst()) }) }
            literals = next.filter { !$0.key.hasPrefix("{") }.map { (String($0.key), $0.value) }
            parameter = next.first { $0.key.hasPrefix("{") }?.value
        }
    }

    private let root: Node

    init(_ endpoints: [Endpoint] = Endpoint.allCases) {
        root = Node(
            endpoints.map { ($0, $0.template.split(separator: "/", omittingEmptySubsequences: false).dropFirst()) })
    }

    /// The resource at `path`; nil if there is none. Segments are split before they are decoded.
    ///
    /// - Parameter path: As it was sent.
    /// - Throws: `bad_path` if a percent-encoding is broken or does not give UTF-8.
    func resource(at path: String) throws(Problem) -> Resource? {
        var node = root
        var arguments: [String] = []
        for raw in path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst() {
            guard let segment = decodedSegment(raw) else {
                throw Problem(.badPath, "A percent-encoding of the path is broken or does not give UTF-8.")
            }
            if let literal = node.literals.first(where: { $0.segment.utf8.elementsEqual(segment.utf8) }) {
                node = literal.node
            } else if let parameter = node.parameter {
                arguments.append(segment)
                node = parameter
            } else {
                return nil
            }
        }
        return node.endpoints.isEmpty ? nil : Resource(endpoints: node.endpoints, arguments: arguments)
    }

    private func decodedSegment(_ raw: Substring.UTF8View) -> String? {
        guard raw.contains(UInt8(ascii: "%")) else { return String(Substring(raw)) }
        return percentDecoded(raw)
    }
}
