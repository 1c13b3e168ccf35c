internal import HTTPTypes
internal import JSONValue
internal import Microhttpd
internal import Texts

extension API {
    /// `GET /`: the page that shows lists. A program that asks for JSON gets links instead.
    func getPage(_ call: Call) throws(Problem) -> Answer {
        guard !call.head.prefersJSON else {
            let body: JSONValue = [
                "name": "ListState", "version": .string(ByteText(Self.version)),
                "links": [
                    "contract": "/openapi.yaml", "reference": "/docs", "lists": "/v1/lists", "problems": "/problems",
                ],
            ]
            return .send(read(body.bytes, to: call))
        }
        return try send("page/index.html", .content("text/html; charset=utf-8") + guarding, call)
    }

    /// `GET /page/{file}`: a script, a style sheet or an image of the page.
    func getPageFile(_ call: Call) throws(Problem) -> Answer {
        guard let name = call.arguments.first, let type = MediaType.ofPageFile(name) else {
            throw Problem(.notFound, "The page has no such file.")
        }
        try requireAcceptable(type, call)
        return try send("page/\(name)" as ByteText, .content(type) + guarding, call)
    }

    /// `GET /docs`: the contract as a page, made of openapi.yaml.
    func getReference(_ call: Call) throws(Problem) -> Answer {
        try send("reference.html", .content("\(MediaType.html); charset=utf-8") + guarding, call)
    }

    /// `GET /client.js`: the client in JavaScript, a module for pages and for Node.
    func getClient(_ call: Call) throws(Problem) -> Answer {
        try send("client.js", .content("\(MediaType.javaScript); charset=utf-8") + guarding, call)
    }

    /// `GET /client.d.ts`: the types of the client, for TypeScript.
    func getClientTypes(_ call: Call) throws(Problem) -> Answer {
        try send("client.d.ts", .content("\(MediaType.text); charset=utf-8") + guarding, call)
    }

    /// Checks `Accept` against the type of this file. The endpoint as a whole has several types.
    private func requireAcceptable(_ type: ByteText, _ call: Call) throws(Problem) {
        let values = call.head.fields(.accept)
        guard !values.isEmpty, !MediaRanges(values.joined(separator: ",")).accepts(MediaType.name(of: type)) else {
            return
        }
        throw Problem(.notAcceptable, "The file is \(type): send the header Accept: \(MediaType.name(of: type)).")
    }
}

extension MediaType {
    /// The media type of a file by its name; nil if the page has no files of that kind. The page itself is only at `/`.
    fileprivate static func ofPageFile(_ name: ByteText) -> ByteText? {
        switch name.split(at: ".").last {
        case "js": "\(javaScript); charset=utf-8"
        case "css": "\(css); charset=utf-8"
        case "svg": svg
        default: nil
        }
    }

    fileprivate static func name(of type: ByteText) -> ByteText { type.split(at: ";")[0] }
}

/// The page may load only its own files and may talk only to its own server, whatever the contents of lists hold
/// (Content Security Policy Level 3).
let guarding: Response.Fields = [
    Response.Field(
        "Content-Security-Policy",
        """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; \
        base-uri 'none'; form-action 'none'; frame-ancestors 'none'
        """),
    // For browsers that do not know frame-ancestors.
    Response.Field("X-Frame-Options", "DENY"),
    Response.Field("Referrer-Policy", "no-referrer"),
    Response.Field("Cross-Origin-Resource-Policy", "same-origin"),
    Response.Field("Cross-Origin-Opener-Policy", "same-origin"),
]
