package import JSONValue

extension JSONSlice {
    /// The value as it stands in a document of its own.
    package init(_ value: JSONValue) throws(JSONError) {
        try self.init(checking: value.bytes, levelsAround: 64)
    }
}
