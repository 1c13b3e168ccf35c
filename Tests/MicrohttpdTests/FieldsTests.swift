import Microhttpd
import TestSupport
import Testing

@Suite struct FieldsTests {
    private func all(_ fields: Response.Fields) -> [String] {
        var all: [String] = []
        fields.forEach { all.append("\(String(cString: $0)): \(String(cString: $1))") }
        return all
    }

    /// Values of every length up to twice the room with which fields begin.
    @Test func keepsEveryValueBehindItsName() {
        var fields: Response.Fields = []
        var wanted: [String] = []
        for length in 0...520 {
            let value = String((0..<length).map { Character(Unicode.Scalar(UInt8(33 + ($0 + length) % 90))) })
            fields.append("X-Number", ByteText("\(length)"))
            fields.append(Response.Field("X-Value", ByteText(value)))
            wanted += ["X-Number: \(length)", "X-Value: \(value)"]
        }
        #expect(all(fields) == wanted)
    }

    @Test(arguments: ["a\0", "\0", "a\0b", "a\0X-Other\0b", "\0\0\0"])
    func noValueBecomesAFurtherField(_ value: String) {
        var fields: Response.Fields = [Response.Field("X-First", ByteText(value))]
        fields.append("X-Second", Array(value.utf8)[...])
        fields.append("X-Last", "end")
        let rest = value.prefix { $0 != "\0" }
        #expect(all(fields) == ["X-First: \(rest)", "X-Second: \(rest)", "X-Last: end"])
    }

    @Test func aCopyIsChangedAlone() {
        let first: Response.Fields = [Response.Field("A", "1")]
        var copy = first
        copy.append("B", "2")
        #expect(all(first) == ["A: 1"])
        #expect(all(copy) == ["A: 1", "B: 2"])
        #expect(all(first + copy) == ["A: 1", "A: 1", "B: 2"])
        #expect(all([] + first) == ["A: 1"])
    }
}
