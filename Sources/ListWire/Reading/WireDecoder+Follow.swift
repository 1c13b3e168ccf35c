package import JSONValue
package import ListModel
package import Texts

// The body of `POST /v1/changes`. It names lists, and its other members are the parameters of `GET /v1/changes`.

extension WireDecoder {
    /// The form of a parameter as a member of a body.
    package enum ParameterForm: Sendable {
        case text, flag
        /// A parameter that may be repeated is an array of texts.
        case texts
    }

    /// Reads the lists that a stream follows, each with the version that the client knows, and the parameters.
    ///
    /// - Parameters:
    ///   - listsMax: The greatest number of lists.
    ///   - parameters: The parameters that may be members.
    ///   - add: Gets the texts of each parameter that is a member, and its index in `parameters`. With `errors` it also
    ///     gets those of a body that has an error.
    package func followBody(
        _ value: JSONSlice, listsMax: Int, _ parameters: [(name: ByteText, form: ParameterForm)],
        add: (_ index: Int, _ texts: [ByteText]) -> Void
    ) throws(WireError) -> [(list: ListID, since: Version?)] {
        let object = try WireObject(value, ["lists"] + parameters.map(\.name), expected: .follow, telling: errors)
        for (index, parameter) in parameters.enumerated() {
            let sent = try object.optional(parameter.name) { value throws(WireError) in
                try texts(value, parameter.form)
            }
            if let sent { add(index, sent) }
        }
        return try object.required(
            "lists", advising: #"For example: {"lists":[{"list":"groceries","since":"k3v9-42"}]}."#
        ) { value throws(WireError) in
            guard case .array(let values) = value.form, (1...listsMax).contains(values.count) else {
                throw WireError(.badCount(1...listsMax))
            }
            return try followedLists(value)
        }
    }

    private func texts(_ value: JSONSlice, _ form: ParameterForm) throws(WireError) -> [ByteText] {
        switch form {
        case .text: [try string(value)]
        case .flag: [try boolean(value) ? "true" : "false"]
        case .texts: try array(value, string)
        }
    }

    private func followedLists(_ value: JSONSlice) throws(WireError) -> [(list: ListID, since: Version?)] {
        var seen: Set<ListID> = []
        return try array(value) { value throws(WireError) in
            let object = try WireObject(value, ["list", "since"], expected: .followedList, telling: errors)
            let (list, since) = try both(
                object.required("list", advising: #"It is the id of a list: {"list":"groceries"}."#) {
                    value throws(WireError) in try first(listID(value), in: &seen)
                },
                object.optional(
                    "since", advising: #"Without "since" the stream begins with the whole list."#, version))
            return (list, since)
        }
    }
}
