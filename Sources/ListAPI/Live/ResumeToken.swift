internal import ListModel
internal import Texts

/// The resume point of a stream of a subscription: a short event id that tells how far the client is in each list.
///
/// A token names only lists of which the client has been told something since the subscription began. It means the same
/// to every server that has the subscription.
///
/// The text is the letter of its form, `a`, and base64url of numbers. Each number is in groups of seven bits, the
/// lowest group first. Each list begins with `index << 2 | kind`, where `index` is its index in the subscription.
/// Behind kind 0 comes the number of revisions since the beginning, and behind kind 1 another epoch (its length and
/// bytes) and a revision. Kind 2 is a list that is gone, and nothing follows.
///
/// For example, `aAAU` says that the first list is five revisions further.
struct ResumeToken {
    enum Place: Equatable {
        case at(Version)
        case gone
    }

    /// The keys are the indexes of lists in the subscription.
    private(set) var places: [Int: Place] = [:]

    init(_ places: [Int: Place]) { self.places = places }

    private static let form = UInt8(ascii: "a")

    /// Reads `Last-Event-ID`; nil if it is not a token of a subscription that began at these versions.
    init?(_ text: ByteText, since bases: [Version?]) {
        guard text.utf8.first == Self.form, var bytes = Self.decoded(text.utf8.dropFirst())?[...] else { return nil }
        var last = -1
        while !bytes.isEmpty {
            guard let head = Self.popNumber(&bytes), case let index = head >> 2, index > last, index < bases.count
            else { return nil }
            last = index
            switch head & 3 {
            case 0:
                guard let base = bases[index], let delta = Self.popNumber(&bytes),
                    case let revision = base.revision + delta, revision < 1 << 53
                else { return nil }
                places[index] = .at(Version(epoch: base.epoch, revision: revision))
            case 1:
                guard let count = Self.popNumber(&bytes), (1...32).contains(count), bytes.count >= count,
                    case let epoch = ByteText(decoding: Array(bytes.prefix(count))),
                    case () = bytes.removeFirst(count), let revision = Self.popNumber(&bytes),
                    let version = Version("\(epoch)-\(revision)")
                else { return nil }
                places[index] = .at(version)
            case 2: places[index] = .gone
            default: return nil
            }
        }
    }

    func text(since bases: [Version?]) -> ByteText {
        var bytes: [UInt8] = []
        for (index, place) in places.sorted(by: { $0.key < $1.key }) {
            switch place {
            case .gone: Self.append(index << 2 | 2, to: &bytes)
            case .at(let version):
                if let base = bases[index], base.epoch == version.epoch, base.revision <= version.revision {
                    Self.append(index << 2, to: &bytes)
                    Self.append(version.revision - base.revision, to: &bytes)
                } else {
                    Self.append(index << 2 | 1, to: &bytes)
                    Self.append(version.epoch.utf8.count, to: &bytes)
                    bytes += version.epoch.utf8
                    Self.append(version.revision, to: &bytes)
                }
            }
        }
        return ByteText(decoding: [Self.form] + Self.encoded(bytes))
    }

    // MARK: Numbers

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// Removes and returns a number of at most 56 bits; nil if the bytes are not one.
    private static func popNumber(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var number = 0
        for shift in stride(from: 0, to: 56, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    // MARK: Base64url (RFC 4648, section 5), without padding

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    private static func encoded(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 4 / 3 + 2)
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for place in 0...group.count { text.append(alphabet[bits >> (18 - 6 * place) & 63]) }
        }
        return text
    }

    private static func decoded(_ text: some Collection<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var (bits, count) = (0, 0)
        for character in text {
            guard let digit = alphabet.firstIndex(of: character) else { return nil }
            bits = (bits << 6 | digit) & 0xFFFF
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(bits >> count & 0xFF))
        }
        // Rejects leftover bits, so that each token has only one text.
        return count < 6 && bits & (1 << count - 1) == 0 ? bytes : nil
    }
}
