package import JSONValue
package import Layouts
import ListWire

extension Layout {
    /// Reads the JSON form of a layout, as the server does.
    ///
    /// - Throws: The first error.
    package init(_ value: JSONValue) throws {
        let limits = WireDecoder.Limits(contentBytesMax: .max, operationsMax: 0)
        self = try WireDecoder(limits: limits) { "" }.parsedLayout(JSONSlice(value))
    }
}
