package import Texts

/// What of a JSON value is no word of the vocabulary, and where.
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
        /// A member that the vocabulary does not have there.
        case unknownMember(ByteText, known: [ByteText])
        case missingMember
        /// One of several members is needed, and none is there.
        case missingOneOf([ByteText])
        /// A member that may not stand beside another.
        case conflictsWith(ByteText)
        case wrongType(Expected)
        /// No string where one of some words is needed.
        case noWord(allowed: [String])
        case unknownWord(ByteText, allowed: [String])
        /// No number where one within bounds is needed.
        case noNumber(ClosedRange<Double>)
        /// A number below or above what is allowed, or with a fraction where it counts.
        case outOfBounds(ClosedRange<Double>)
        /// An array or an object with fewer or more elements than allowed.
        case badCount(ClosedRange<Int>)
        /// A word that was there before.
        case repeatedWord
        /// The name of a kind, or of a registration, is of another form.
        case badName
        /// The name of a member of a content is empty or too long.
        case badField
        /// Groups in groups in groups.
        case tooDeep(max: Int)
        /// Something that has been told by itself.
        case noted
    }

    package let fault: Fault
    /// The form of the value that is wrong, or of the object around it; nil where the fault says it all.
    package private(set) var form: LayoutForm?
    /// From the inside out, as the error is passed on.
    private var steps: [Step] = []

    init(_ fault: Fault) {
        self.fault = fault
    }

    /// Where it is wrong, from the layout inwards; for a member that is missing, where it should be.
    package var path: [Step] { steps.reversed() }

    func at(_ step: Step) -> LayoutError {
        var error = self
        error.steps.append(step)
        return error
    }

    func at(_ key: ByteText) -> LayoutError { at(.member(key)) }

    /// The same error, seen from the layout.
    ///
    /// - Parameter path: The steps from there to where it was thrown.
    func below(_ path: [Step]) -> LayoutError {
        var error = self
        error.steps.append(contentsOf: path.reversed())
        return error
    }

    /// The same error, with the form of what is wrong.
    func of(_ form: LayoutForm) -> LayoutError {
        var error = self
        error.form = form
        return error
    }
}
