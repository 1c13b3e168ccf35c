package import Texts

/// A cell registration: how the items of one kind are shown.
package struct Cell: Sendable, Equatable {
    /// A configuration of `UIListContentConfiguration`, or one of two that it does not have.
    package enum Configuration: Sendable, Equatable {
        case cell, valueCell, subtitleCell, header
        /// Shows one large text in the middle.
        case emoji
        /// A configuration that the client has registered by this name.
        case custom(ByteText)
    }

    package enum Alignment: String, CaseIterable, Sendable {
        case leading, center
    }

    /// The lines between rows.
    package enum Separators: String, CaseIterable, Sendable {
        case none
        /// A line below each row except the last of its section.
        case between
        case all
    }

    package var configuration: Configuration
    /// The member of the content that is shown as the text, as with `secondaryText` and `image`. Nil stands for the
    /// first of `text`, `title` and `name` that the content has.
    package var text: ByteText?
    package var secondaryText: ByteText?
    /// The member of the content that holds the name of a symbol.
    package var image: ByteText?
    /// The member of the content that holds the id of a list: whoever selects the row is shown that list.
    package var opens: ByteText?
    package var alignment: Alignment
    package var background: Background?
    package var separators: Separators?
    package var accessories: [Accessory]

    package init(
        _ configuration: Configuration, text: ByteText? = nil, secondaryText: ByteText? = nil, image: ByteText? = nil,
        opens: ByteText? = nil, alignment: Alignment = .leading, background: Background? = nil,
        separators: Separators? = nil,
        accessories: [Accessory] = []
    ) {
        self.configuration = configuration
        self.text = text
        self.secondaryText = secondaryText
        self.image = image
        self.opens = opens
        self.alignment = alignment
        self.background = background
        self.separators = separators
        self.accessories = accessories
    }
}

/// An accessory of a cell (`UICellAccessory`).
package struct Accessory: Sendable, Equatable {
    package enum Name: String, CaseIterable, Sendable {
        case disclosure, outlineDisclosure, reorder
        /// A star that is shown while the item is starred.
        case star
        /// A switch that shows a member of the content.
        case `switch`
        /// A checkmark that is shown while a member of the content is true, or always if no member is named.
        case checkmark
        case detail, delete, insert, multiselect
        /// Shows a member of the content as a text.
        case label
        /// Shows a member of the content, and a menu in which the user chooses its value.
        case popUpMenu
        /// A view that the client has registered by a name.
        case custom
    }

    package enum Displayed: String, CaseIterable, Sendable {
        case always, whenEditing
    }

    package var name: Name
    /// The name of a custom accessory's view.
    package var registration: ByteText?
    /// The member of the content that the accessory shows; nil stands for `enabled` of a switch.
    package var field: ByteText?
    /// The texts among which the user of a pop-up menu chooses.
    package var options: [ByteText] = []
    package var displayed: Displayed
    /// The accessory is shown in lists of these appearances; empty stands for all.
    package var appearances: [ListAppearance]

    package init(_ name: Name, displayed: Displayed = .always, in appearances: [ListAppearance] = []) {
        self.name = name
        self.displayed = displayed
        self.appearances = appearances
    }

    package static let disclosure = Accessory(.disclosure)
    package static let outlineDisclosure = Accessory(.outlineDisclosure)
    package static let reorder = Accessory(.reorder)
    package static let star = Accessory(.star)
}

extension Accessory.Name {
    package var needsField: Bool { self == .label || self == .popUpMenu }
    package var takesField: Bool { needsField || self == .switch || self == .checkmark }
    /// Whether the name alone is an accessory.
    package var standsAlone: Bool { !needsField && self != .custom }
}

/// The background of a cell, a section, a header, a footer or a badge (`UIBackgroundConfiguration`).
package struct Background: Sendable, Equatable {
    package var color: Color?
    /// The member of the content that gives the hue of the colour, from 0 to 1.
    package var hue: ByteText?
    package var corner: Double
    package var stroke: Color?
    /// The width in points; nil is the thinnest line that the screen can show.
    package var strokeWidth: Double?

    package init(
        color: Color? = nil, hue: ByteText? = nil, corner: Double = 0, stroke: Color? = nil, strokeWidth: Double? = nil
    ) {
        self.color = color
        self.hue = hue
        self.corner = corner
        self.stroke = stroke
        self.strokeWidth = strokeWidth
    }
}

/// A colour by its role (`UIColor`, standard and interface colours).
package enum Color: String, CaseIterable, Sendable {
    case systemRed, systemOrange, systemYellow, systemGreen, systemMint, systemTeal, systemCyan, systemBlue
    case systemIndigo, systemPurple, systemPink, systemBrown
    case systemGray, systemGray2, systemGray3, systemGray4, systemGray5, systemGray6
    case label, secondaryLabel, separator, systemBackground, secondarySystemBackground, tint, clear
}

extension Cell.Configuration {
    /// The names of the configurations in the JSON form.
    package enum Word: String, CaseIterable, Sendable {
        case cell, valueCell, subtitleCell, header, emoji, custom
    }

    var word: Word {
        switch self {
        case .cell: .cell
        case .valueCell: .valueCell
        case .subtitleCell: .subtitleCell
        case .header: .header
        case .emoji: .emoji
        case .custom: .custom
        }
    }
}
