import JSONValue
import Layouts
import ListModel
internal import Texts

extension WireDecoder {
    /// A layout: a word of the vocabulary, within the limit of minified bytes. It is kept as it was sent.
    func layout(_ value: JSONValue) throws(WireError) -> JSONText {
        guard let errors else {
            do throws(LayoutError) { _ = try Layout(value) } catch { throw WireError(error) }
            return try object(value)
        }
        let wrong = Layout.errors(in: value, most: WireErrors.most)
        for error in wrong { errors.note(WireError(error)) }
        guard wrong.isEmpty else { throw WireError(.noted) }
        return try object(value)
    }
}

extension WireError {
    fileprivate init(_ error: LayoutError) {
        self = error.path.reversed().reduce(WireError(error.fault.wireFault)) { $0.at(Step($1)) }
            .advising(error.form?.advice)
    }
}

extension WireError.Step {
    fileprivate init(_ step: LayoutError.Step) {
        switch step {
        case .member(let key): self = .member(key)
        case .element(let index): self = .element(index)
        }
    }
}

extension LayoutError.Fault {
    /// The same fault as elsewhere in a body, or one that only layouts have.
    fileprivate var wireFault: WireFault {
        switch self {
        case .unknownMember(let name, let known): .unknownMember(KnownNames(name, among: known))
        case .missingMember: .missingMember
        case .missingOneOf(let keys): .missingOneOf(keys)
        case .conflictsWith(let key): .conflictsWith(key)
        case .unknownWord(let word, let allowed): .unknownValue(KnownNames(word, among: allowed))
        case .noWord(let allowed): .noWord(allowed.map { ByteText($0) })
        case .wrongType(.object): .wrongType(expected: .object)
        case .wrongType(.array): .wrongType(expected: .array)
        case .wrongType(.string): .wrongType(expected: .string)
        case .wrongType(.boolean): .wrongType(expected: .boolean)
        case .wrongType(.stringOrObject): .wrongType(expected: .stringOrObject)
        case .badName: .invalidFormat(.kind)
        case .noNumber(let range): .noNumber(range)
        case .outOfBounds(let range): .numberOutOfBounds(range)
        case .badCount(let range): .badCount(range)
        case .repeatedWord: .repeatedWord
        case .badField: .badField
        case .tooDeep(let max): .groupsTooDeep(max: max)
        case .noted: .noted
        }
    }
}

extension LayoutForm {
    /// How a value of this form is written.
    fileprivate var advice: String { "\(words) \(example)." }

    private var words: StaticString {
        switch self {
        case .layout: #"Its kind is "list", "grid" or "orthogonal":"#
        case .list: "A layout of rows:"
        case .grid: "A grid of two columns:"
        case .orthogonal: "Cards beside each other:"
        case .group: #"A group of two columns; its direction is "horizontal" or "vertical":"#
        case .groupItem: "An item that takes half of its group's width:"
        case .variant: "Three columns where there is room:"
        case .condition: #"{"sectionEmpty":true}, or a width in points:"#
        case .dimension:
            #"Points, {"absolute":44} or {"estimated":44}; or a fraction of the container, {"fractionalHeight":1} or"#
        case .spacing: "Points between neighbours:"
        case .insets: "Points at each edge:"
        case .supplementary: "A header above its section:"
        case .badge: "A badge that shows a member of the content:"
        case .offset: "How far to the right and down, in parts of the badge or as \"absolute\" in points:"
        case .point: "To the right and down:"
        case .decoration: "A background behind the items of a section:"
        case .cells: "A cell for each kind of item:"
        case .cell: "A cell with two texts:"
        case .accessory: "The name alone, or with the appearances in which it is shown:"
        case .background: "A colour and round corners:"
        case .length: "In points, for example"
        case .fraction: "It is a fraction of the container: 1 is all of it, half of it is"
        case .coordinate: "In points, or in parts of the badge, to the right or down, for example"
        case .count: "It is how many items share the group evenly, such as"
        case .zIndex: "What has a greater one is nearer, such as"
        }
    }
}
