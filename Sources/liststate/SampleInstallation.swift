import ListDiff
import ListModel
import ListStore
import Threads
import SampleLists
import Texts

/// The lines that `liststate samples` prints.
var sampleLines: [String] {
    let width = Sample.allCases.map(\.id.count).max() ?? 0
    return Sample.allCases.map { sample in
        let padding = String(repeating: " ", count: width - sample.id.count + 2)
        return sample.id + padding + sample.summary.description
    }
}

extension Store {
    /// Makes the lists of the samples that are missing. A list that exists is never changed. Other servers over the same
    /// journal may do this at the same time.
    ///
    /// - Throws: `.samples` if one could not be written.
    func installMissingSamples() throws(Failure) {
        for sample in Sample.allCases {
            guard let id = ListID(ByteText(sample.id)), !contains(id) else { continue }
            let start = sample.snapshot(seed: Sample.defaultSeed)
            let write = Write(.operations([.applySnapshot(start)]), label: "sample")
            let submission = create(id, write, mustNotExist: true)
            if case .success = submission.result, submission.durability?.isKept ?? true { continue }
            // Another server may have made it meanwhile.
            guard listing(id) != nil else { throw .samples(sample.id) }
        }
    }
}

extension Durability {
    /// Waits for the sync, and returns whether the commit is on the disk.
    var isKept: Bool {
        let outcome = Locked<Bool?>(nil)
        whenDone { result in outcome.change { $0 = (try? result.get()) != nil } }
        return outcome.wait(until: { $0 != nil }, then: { $0 == true })
    }
}
