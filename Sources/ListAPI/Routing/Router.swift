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

    private struct Node: Sendable {
        var endpoints: [Endpoint] = []
        var literals: [(segment: String, node: Node)] = []
        /// Never beside literals: one segment decides.
        var parameter: [Node] = []

        mutating func add(_ endpoint: Endpoint, _ segments: ArraySlice<Substring>) {
            guard let first = segments.first else { return endpoints.append(endpoint) }
            if first.hasPrefix("{") {
                if parameter.isEmpty { parameter.append(Node()) }
                parameter[0].add(endpoint, segments.dropFirst())
            } else if let index = literals.firstIndex(where: { $0.segment == first }) {
                literals[index].node.add(endpoint, segments.dropFirst())
            } else {
                literals.append((String(first), Node()))
                literals[literals.count - 1].node.add(endpoint, segments.dropFirst())
            }
        }
    }

    private let root: Node

    init(_ endpoints: [Endpoint] = Endpoint.allCases) {
        var root = Node()
        for endpoint in endpoints {
            root.add(endpoint, endpoint.template.split(separator: "/", omittingEmptySubsequences: false).dropFirst())
        }
        self.root = root
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
            } else if let parameter = node.parameter.first {
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
