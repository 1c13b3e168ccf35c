public import Texts

/// Why some bytes are not a JSON document, and where.
public struct JSONError: Error, Sendable, Equatable {
    /// What is wrong; prose is made elsewhere.
    public enum Reason: Sendable, Equatable {
        /// Nothing, or nothing but white space.
        case empty
        /// The bytes end where more were needed.
        case unexpectedEnd
        /// A byte that no value, separator or closing bracket can have in its place.
        case unexpectedByte
        /// The document is complete, but more than white space follows it.
        case trailingBytes
        /// The document begins with the byte order mark of UTF-8 or UTF-16.
        case byteOrderMark
        /// More arrays and objects inside each other than `JSONValue.depthMax` and what may stand around them.
        case tooDeep
        /// A member name seen before in the same object, compared after its escapes are resolved.
        ///
        /// The name is as long as the client made it.
        case duplicateKey(ByteText)
        /// Overlong, above U+10FFFF, an encoded surrogate, or a sequence that breaks off.
        case invalidUTF8
        /// A `\u` escape of half a surrogate pair, or of a pair in the wrong order.
        case loneSurrogate
        /// A raw character below U+0020 in a string.
        case controlCharacter
        /// A backslash that begins none of the escapes of RFC 8259.
        case invalidEscape
        /// A number with a leading zero, or without a digit where one is due.
        case invalidNumber
        /// A number of more than `JSONNumber.literalBytesMax` bytes.
        case numberTooLong
    }

    /// The thing that the document needed at a place.
    public enum Expected: Sendable, Equatable {
        case value
        /// The first element of an array, or its end.
        case valueOrArrayEnd
        /// The name of a member, behind a comma.
        case name
        /// The name of the first member of an object, or the object's end.
        case nameOrObjectEnd
        case colon
        case commaOrArrayEnd
        case commaOrObjectEnd
        /// The rest of `true`, `false` or `null`.
        case word
        case digit
        /// More of a string, and its closing quote.
        case stringEnd
    }

    /// What is wrong.
    public let reason: Reason
    /// The byte it was found at, counted from 0; the length of the input for `.empty` and `.unexpectedEnd`.
    ///
    /// For an escape this is its backslash, for a duplicate key and a number too long their first byte, for
    /// invalid UTF-8 the first byte of the sequence.
    public let offset: Int
    /// The thing that should have been there; nil where no one thing is missing.
    public let expected: Expected?

    /// Makes an error.
    public init(reason: Reason, offset: Int, expected: Expected? = nil) {
        self.reason = reason
        self.offset = offset
        self.expected = expected
    }
}
