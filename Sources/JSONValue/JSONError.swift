public import Texts

/// The reason why some bytes are not a JSON document, and the place of the fault.
public struct JSONError: Error, Sendable, Equatable {
    /// The fault, as a value. Its sentence for people is made elsewhere.
    public enum Reason: Sendable, Equatable {
        /// There are no bytes, or only white space.
        case empty
        /// The bytes end where more were needed.
        case unexpectedEnd
        /// A byte that no value, separator or closing bracket can have in its place.
        case unexpectedByte
        /// The document is complete, but more than white space follows it.
        case trailingBytes
        /// The document begins with the byte order mark of UTF-8 or UTF-16.
        case byteOrderMark
        /// More arrays and objects inside each other than the reader allows; see `JSONValue.depthMax`.
        case tooDeep
        /// A member name that the same object already has. Names are compared after their escapes are resolved.
        ///
        /// The name may be as long as the document.
        case duplicateKey(ByteText)
        /// Bytes that are not UTF-8: an overlong form, a code point above U+10FFFF, a surrogate, or an incomplete
        /// sequence.
        case invalidUTF8
        /// A `\u` escape of a surrogate that has no partner, or of two in the wrong order.
        case loneSurrogate
        /// A raw character below U+0020 in a string.
        case controlCharacter
        /// A backslash that begins none of the escapes of RFC 8259.
        case invalidEscape
        /// A number with a leading zero, or without a digit in a place that needs one.
        case invalidNumber
        /// A number of more than `JSONNumber.literalBytesMax` bytes.
        case numberTooLong
    }

    /// The part of JSON that the document needed at the place of the fault.
    public enum Expected: Sendable, Equatable {
        case value
        /// The first element of an array, or the array's closing bracket.
        case valueOrArrayEnd
        /// The name of a member, behind a comma.
        case name
        /// The name of the first member of an object, or the object's closing bracket.
        case nameOrObjectEnd
        case colon
        case commaOrArrayEnd
        case commaOrObjectEnd
        /// The rest of `true`, `false` or `null`.
        case word
        case digit
        /// The rest of a string, with its closing quote.
        case stringEnd
    }

    /// The fault.
    public let reason: Reason
    /// The index of the byte at which the fault was found, from 0. For `.empty` and `.unexpectedEnd` it is the number
    /// of bytes.
    ///
    /// For a fault in an escape it is the index of the backslash. For a duplicate key, a number too long and invalid
    /// UTF-8 it is the index of the first byte of that key, number or sequence.
    public let offset: Int
    /// The part that is missing; nil if no single part is.
    public let expected: Expected?

    /// Makes an error.
    public init(reason: Reason, offset: Int, expected: Expected? = nil) {
        self.reason = reason
        self.offset = offset
        self.expected = expected
    }
}
