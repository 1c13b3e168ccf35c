internal import JSONValue
internal import ListModel
internal import ListStore
internal import Microhttpd
internal import SampleLists

extension API {
    /// `GET /v1/samples`
    func listSamples(_ call: Call) -> Answer {
        let samples = Sample.allCases.map { sample -> JSONValue in
            ["id": .string(sample.id), "title": .string(sample.title), "summary": .string(sample.summary)]
        }
        let body: JSONValue = ["samples": .array(samples)]
        return .send(read(body.bytes, to: call))
    }

    /// `POST /v1/samples/{sample}`: puts the list into the state in which the sample starts.
    func installSample(_ call: Call) throws(Problem) -> Answer {
        guard let sample = call.arguments.first.flatMap(Sample.init), let list = ListID(sample.id) else {
            throw Problem(.notFound, "There is no such sample.")
        }
        let body = try decodeOptional(call, decoder.sampleBody)
        let seed = body.value.map { UInt64($0) } ?? Sample.defaultSeed
        let write = try write(.operations([.applySnapshot(sample.snapshot(seed: seed))]), body, call)
        _ = try call.mustNotExist()
        return answer(store.create(list, write), Asked(write, list, .list, call))
    }
}
