/// The lines of an export are refused, or make lists.
func tryLines(_ input: [UInt8]) -> Int32 {
    var reader = ImportReader()
    do {
        for line in input.split(separator: UInt8(ascii: "\n")) {
            guard let list = try reader.add(Array(line)) else { continue }
            require(!list.id.rawValue.isEmpty, "a list has no id")
        }
    } catch {
        require(!error.text.isEmpty, "a refusal says nothing")
        // It is printed on a terminal.
        require(error.text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a refusal has control characters")
    }
    return 0
}
