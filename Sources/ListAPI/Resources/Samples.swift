internal import Access
internal import JSONValue
internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd
internal import SampleLists
internal import Texts

extension API {
    /// `GET /v1/samples`
    func listSamples(_ call: Call) -> Answer {
        let samples = Sample.allCases.map { sample -> JSONValue in
            var json: JSONObject = [
                "id": .string(ByteText(sample.id)), "title": .string(sample.title), "summary": .string(sample.summary),
            ]
            if sample.moves { json.set(true, for: "moves") }
            return .object(json)
        }
        let body: JSONValue = ["samples": .array(samples)]
        return .send(read(body.bytes, to: call))
    }

    /// `POST /v1/samples/{sample}`: puts the list into the state in which the sample starts.
    func installSample(_ call: Call) throws(Problem) -> Answer {
        guard let sample = call.arguments.first.flatMap({ Sample(rawText: $0) }), let list = ListID(ByteText(sample.id))
        else {
            let names = KnownNames(call.arguments.first ?? "", among: Sample.allCases.map { ByteText($0.id) })
            throw Problem(.notFound, "\(names.sentence("sample")) GET /v1/samples lists all of them.")
        }
        let body = try decodeOptional(call) { decoder, body throws(WireError) in try decoder.sampleBody(body) }
        let seed = body.value.map { UInt64($0) } ?? Sample.defaultSeed
        let write = try write(.operations([.applySnapshot(sample.snapshot(seed: seed))]), body, call)
        _ = try call.mustNotExist()
        return try answer(store.create(list, write), Asked(write, list, .list, call), call)
    }

    /// `POST /v1/samples/{sample}/step`: one step of a sample that moves, computed from the state of its list.
    ///
    /// With `run` the server goes on by itself, or stops and makes no step.
    ///
    /// The step is written with the version of that state as its base. So it is rebased if another client writes in
    /// between.
    func stepSample(_ call: Call) throws(Problem) -> Answer {
        guard let sample = call.arguments.first.flatMap({ Sample(rawText: $0) }), sample.moves,
            let list = ListID(ByteText(sample.id))
        else {
            throw Problem(
                .notFound,
                "There is no such sample, or it has no steps. GET /v1/samples has \"moves\" for those with steps.")
        }
        var body = try decodeOptional(call) { decoder, body throws(WireError) in try decoder.stepBody(body) }
        let snapshot = try find(list)?.read { $0.snapshot() }
        body.base = body.base ?? snapshot?.version
        // A sample that moves by itself need not be told.
        let (seed, run) = (body.value.seed.map { UInt64($0) }, sample.movesByItself ? nil : body.value.run)
        let operations = run == false ? [] : snapshot.map { sample.step(from: $0.state, seed: seed) } ?? []
        let write = try write(.operations(operations), body, call)
        _ = try call.mustNotExist()
        let submission = store.submit(list, write)
        if let run, !write.isDryRun, case .success(let result) = submission.result, !result.isReplay {
            moving?.run(sample, run)
        }
        return try answer(submission, Asked(write, list, .list, call), call)
    }
}
