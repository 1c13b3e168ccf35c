import JSONValue
import ListStore
import TestSupport
import Testing

@testable import ListAPI
@testable import ListWire

// Tools for the cases of docs/model.md section 15 over HTTP: a server with high limits, lists as a line of text, and
// change sets in short words.

extension Harness {
    /// A harness with an empty store, with room for the samples and for lists of thousands of items.
    init(
        itemsMax: Int, historyVersionsMax: Int = 100, repeating: API.Configuration.Repeating? = nil
    ) throws {
        let limits = Store.Limits(
            itemsMax: itemsMax, sectionsMax: 1_000, contentBytesMax: 65_536, historyVersionsMax: historyVersionsMax,
            historyBytesMax: 1 << 26, receiptsMax: 10, receiptAgeMax: 100)
        var configuration = API.Configuration(
            bodyBytesMax: 1 << 20, listBodyBytesMax: 1 << 22, operationsMax: 100, contentBytesMax: 1 << 16,
            streamsPerListMax: 1000, queriesPerListMax: 100, heartbeatSeconds: 15,
            origins: .none, hosts: .these([]), requestID: { "made" }, identifier: Self.identifier(), observe: nil,
            observesSuccesses: false)
        configuration.repeating = repeating
        api = API(
            store: try Store(journal: nil, limits: limits, clock: { 0 }, token: { "e1" }), configuration: configuration)
    }

    /// A harness with one sample in its first state, at version `e1-1`.
    init(sample: String) throws {
        try self.init(itemsMax: 1_000)
        try #require(try ask("POST", "/v1/samples/\(sample)").status == 200)
    }

    /// A harness with the list `l` at version `e1-1`. The list has no hierarchy and is written as `A:a,b B:c`.
    init(_ notation: String, historyVersionsMax: Int = 100) throws {
        try self.init(itemsMax: 200_000, historyVersionsMax: historyVersionsMax)
        let sections = notation.split(separator: " ").map { section in
            let parts = section.split(separator: ":", omittingEmptySubsequences: false)
            let items = parts[1].split(separator: ",").map { #"{"id":"\#($0)"}"# }
            return #"{"id":"\#(parts[0])","items":[\#(items.joined(separator: ","))]}"#
        }
        try #require(try put("/v1/lists/l", #"{"sections":[\#(sections.joined(separator: ","))]}"#).status == 201)
    }

    func put(_ target: String, _ body: String) throws -> Reply { try ask("PUT", target, Self.json, body) }

    func post(_ target: String, _ body: String, _ fields: [String: String] = [:]) throws -> Reply {
        try ask("POST", target, Self.json.merging(fields) { $1 }, body)
    }

    /// The rows of a list as `A:a,b B:c`, without their hierarchy.
    func rows(_ list: String, view: String = "items") throws -> String {
        try ask("GET", "/v1/lists/\(list)?view=\(view)").json.rows
    }
}

extension Reply {
    /// The changes of a write's result, or of an answer to `changes`, in short words.
    var changes: String? { (json["changes"] ?? json).changeText }

    /// The warnings of a write, each as its code and the ids that it names. `without detail` follows if it has none.
    var warnings: [String] {
        parts(json["warnings"]).map { warning in
            let ids = parts(warning["items"] ?? warning["sections"]).map { $0.string?.description ?? "?" }
            let detail = warning["detail"]?.string == nil ? ["without detail"] : []
            return ([warning["code"]?.string?.description ?? "?"] + ids + detail).joined(separator: " ")
        }
    }
}

extension JSONValue {
    /// The ids of a snapshot as `A:a,b B:c`.
    fileprivate var rows: String {
        parts(self["sections"]).map { section in
            let items = parts(section["items"]).compactMap { $0["id"]?.string }
            return "\(section["id"]?.string ?? "?"):\(items.joined(separator: ","))"
        }.joined(separator: " ")
    }

    /// A change set in the words of docs/model.md section 15: `delS 1, del 0.3, ins 0.2, mov 0.1>1.0, cfg 0.2`.
    ///
    /// Nil for anything that is not a change set, such as a reset.
    var changeText: String? {
        guard self["from"] != nil, self["reset"] == nil else { return nil }
        let (sections, items) = (self["sections"], self["items"])
        var words = parts(sections?["deleted"]).map { "delS \(index($0["index"]))" }
        words += parts(sections?["inserted"]).map { "insS \(index($0["index"]))" }
        words += parts(sections?["moved"]).map { "movS \(index($0["from"]))>\(index($0["to"]))" }
        words += parts(sections?["reconfigured"]).map { "cfgS \(index($0["index"]))" }
        words += parts(sections?["reloaded"]).map { "rldS \(index($0["index"]))" }
        words += parts(items?["deleted"]).map { "del \(path($0))" }
        words += parts(items?["inserted"]).map { "ins \(path($0))" }
        words += parts(items?["moved"]).map { "mov \(path($0["from"]))>\(path($0["to"]))" }
        words += parts(items?["reconfigured"]).map { "cfg \(path($0))" }
        words += parts(items?["reloaded"]).map { "rld \(path($0))" }
        return words.joined(separator: ", ")
    }
}

/// The elements of an array; empty for any other value.
func parts(_ value: JSONValue?) -> [JSONValue] {
    value?.elements ?? []
}

private func index(_ value: JSONValue?) -> String {
    value?.integer.map(String.init) ?? "?"
}

private func path(_ value: JSONValue?) -> String { "\(index(value?["section"])).\(index(value?["index"]))" }
