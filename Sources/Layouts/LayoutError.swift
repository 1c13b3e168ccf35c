package import Texts

/// The fault of a JSON value that is not a layout, and its place.
package struct LayoutError: Error, Sendable, Equatable {
    /// A step of a JSON pointer.
    package enum Step: Sendable, Equatable {
        case member(ByteText)
        case element(Int)
    }

    package enum Expected: Sendable, Equatable {
        case object, array, string, boolean, stringOrObject
    }

    package enum Fault: Sendable, Equatable {
        /// A member that the vocabulary does not know in this place.
        case unknownMember(ByteText, known: [ByteText])
        case missingMember
        /// One of these members is needed, and none is there.
        case missingOneOf([ByteText])
        /// The member may not stand beside this one.
        case conflictsWith(ByteText)
        case wrongType(Expected)
        /// The value is not a string, but must be one of some words.
        case noWord(allowed: [String])
        case unknownWord(ByteText, allowed: [String])
        /// The value is not a number, but must be one within these bounds.
        case noNumber(ClosedRange<Double>)
        /// A number outside these bounds, or a fraction in the place of a whole number.
        case outOfBounds(ClosedRange<Double>)
        /// An array or an object with fewer or more elements than allowed.
        case badCount(ClosedRange<Int>)
        /// A word that the array already has.
        case repeatedWord
        /// A name that does not match `[A-Za-z0-9._-]{1,64}`.
        case badName
        /// The name of a member of a content is empty or too long.
        case badField
        /// Groups are nested deeper than this.
        case tooDeep(max: Int)
        /// The details were noted as errors of their own, so this one is not reported.
        case noted
    }

    package let fault: Fault
    /// The form of the wrong value, or of the object around it; nil if the fault needs no example.
    package private(set) var form: LayoutForm?
    /// The steps of `path` in reverse order, because each reader adds its step as the error passes through it.
    private var steps: [Step] = []

    init(_ fault: Fault) {
        self.fault = fault
    }

    /// The place of the fault, from the layout inwards. For a missing member it is the place where the member should
    /// be.
    package var path: [Step] { steps.reversed() }

    func at(_ step: Step) -> LayoutError {
        var error = self
        error.steps.append(step)
        return error
    }

    func at(_ key: ByteText) -> LayoutError { at(.member(key)) }

    /// The same error, with its place counted from the layout.
    ///
    /// - Parameter path: The steps from the layout to the value whose reader threw the error.
    func below(_ path: [Step]) -> LayoutError {
        var error = self
        error.steps.append(contentsOf: path.reversed())
        return error
    }

    /// The same error, with the form that the value should have had.
    func of(_ form: LayoutForm) -> LayoutError {
        var error = self
        error.form = form
        return error
    }
}
