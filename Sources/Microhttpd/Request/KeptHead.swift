internal import HTTPTypes
internal import Texts

/// The head of a request as values, which stay valid when the engine's memory is used for the next request.
public final class KeptHead: Sendable {
    let client: ClientAddress?
    let isSecure: Bool
    let visitor: (any Visitor)?
    let watcher: (any RequestWatcher)?
    let method: HTTPRequest.Method
    let path: ByteText
    let query: [QueryItem]
    /// The fields in order, with names in lower case.
    private let fields: [(name: ByteText, value: ByteText)]

    init(
        client: ClientAddress?, isSecure: Bool, visitor: (any Visitor)?, watcher: (any RequestWatcher)?,
        method: HTTPRequest.Method, path: ByteText, query: [QueryItem], fields: [(name: ByteText, value: ByteText)]
    ) {
        self.client = client
        self.isSecure = isSecure
        self.visitor = visitor
        self.watcher = watcher
        self.method = method
        self.path = path
        self.query = query
        self.fields = fields
    }

    func values(_ name: HTTPField.Name) -> [ByteText] {
        let name = ByteText(name.canonicalName)
        return fields.filter { $0.name == name }.map(\.value)
    }
}
