internal import ListDiff
internal import ListModel
internal import ListStore
internal import ListWire
internal import Microhttpd

extension API {
    /// `GET /v1/lists/{list}/sections/{section}`
    func getSection(_ call: Call) throws(Problem) -> Answer {
        var query = try call.query.rows()
        let snapshot = try snapshot(call)
        let id = try call.sectionID()
        guard let section = snapshot.state.handle(of: id) else { throw .noSuchSection(id) }
        guard !query.isWhole else {
            return versioned(snapshot.version, call) {
                snapshot.body(of: section, WholeRows(snapshot.state, query.view))
            }
        }
        query.sections = [id]
        return versioned(snapshot.version, call) {
            snapshot.body(of: section, ViewedRows(query, of: snapshot.state))
        }
    }

    /// `PUT /v1/lists/{list}/sections/{section}`. A section that does not exist is created behind all others.
    func putSection(_ call: Call) throws(Problem) -> Answer {
        let (list, section) = (try call.listID(), try call.sectionID())
        let body = try decode(call) { decoder, body throws(WireError) in
            try decoder.sectionSnapshotBody(body, section: section, list: list)
        }
        var write = try write(.operations([.applySectionSnapshot(body.value)]), body, call)
        write.isSnapshot = true
        write.newSection = try call.mustNotExist() ? section : nil
        return try submit(write, to: list, .list, call)
    }

    /// `PATCH /v1/lists/{list}/sections/{section}`
    func patchSection(_ call: Call) throws(Problem) -> Answer {
        let section = try call.sectionID()
        let body = try decode(call) { decoder, body throws(WireError) in try decoder.sectionPatchBody(body) }
        let write = try write(.operations([.updateSection(section, body.value)]), body, call)
        return try submit(write, to: call.listID(), .section(section), call)
    }

    /// `DELETE /v1/lists/{list}/sections/{section}`
    func deleteSection(_ call: Call) throws(Problem) -> Answer {
        let section = try call.sectionID()
        let body = try plainBody(call)
        var write = try write(.operations([.deleteSections([section])]), body, call)
        // A write without a base cannot have missed a deletion, so a section that does not exist is 404.
        write.isStrict = write.isStrict || write.base == nil
        return try submit(write, to: call.listID(), .section(section), call)
    }
}
