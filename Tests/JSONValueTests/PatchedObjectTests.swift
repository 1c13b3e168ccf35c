import JSONValue
import TestSupport
import Testing

/// Patches that are collected and applied together give the same bytes as patches that are merged one by one.
@Suite struct PatchedObjectTests {
    @Test(arguments: Soak.seeds(200))
    func isMergingOneAfterTheOther(seed: UInt64) {
        var random = RandomObjects(seed: seed)
        var merged = random.object(depth: 3)
        var patched = PatchedObject(merged)
        for step in 0..<40 {
            let patch = random.object(depth: 3)
            merged = merged.merging(patch: patch)
            patched.merge(patch)
            let text = JSONValue.object(merged).bytes
            #expect(JSONValue.object(patched.object).bytes == text, "seed \(seed), step \(step)")
            #expect(patched.byteCount == text.count, "seed \(seed), step \(step)")
        }
    }

    @Test(arguments: Soak.seeds(50))
    func countsBytesAsTheyAreWritten(seed: UInt64) {
        var random = RandomObjects(seed: seed)
        let value = JSONValue.object(random.object(depth: 4))
        #expect(value.byteCount == value.bytes.count)
    }

    @Test func escapesCount() {
        for scalar in (0..<256).compactMap({ Unicode.Scalar($0) }) {
            let value = JSONValue.string(ByteText("a\(Character(scalar))b" as String))
            #expect(value.byteCount == value.bytes.count, "\(scalar.value)")
        }
    }

    /// Random objects with few names, so that patches meet existing members. Nulls delete members, and also occur
    /// within new objects.
    private struct RandomObjects {
        var random: SeededGenerator

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        mutating func object(depth: Int) -> JSONObject {
            var object = JSONObject()
            for _ in 0..<random.below(5) {
                object.set(value(depth: depth), for: random.pick(["a", "b", "c", "é\u{1}", "\""]))
            }
            return object
        }

        private mutating func value(depth: Int) -> JSONValue {
            switch random.below(depth > 0 ? 8 : 5) {
            case 0: .null
            case 1: .bool(random.once(in: 2))
            case 2: .integer(random.below(1_000))
            case 3: .string(random.pick(["", "x", "\n", "👍"]))
            case 4: .array([.null, .object(["n": .null])])
            default: .object(object(depth: depth - 1))
            }
        }
    }
}
