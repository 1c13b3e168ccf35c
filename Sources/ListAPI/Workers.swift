internal import HTTPTypes
internal import ListModel
internal import Microhttpd
internal import Threads

/// The threads that do the work by which loops would hold up others.
typealias Workers = WorkerPool<Errand.Client, Errand.Subject>

/// The work of a worker: for whom, and the part of a list that it is about.
struct Errand {
    enum Client: Hashable {
        case tenant(Tenant)
        /// All followers of a list, who get the same updates.
        case followers(ListID)
    }

    /// A part of the work on a list. Each part takes turns with the others, so that a short read does not wait for
    /// searches of the same list.
    struct Subject: Hashable {
        enum Part {
            case writes
            case reads
            /// Reads that look at each row, because they filter or sort.
            case searches
            case updates
        }

        let list: ListID
        let part: Part
    }

    private let client: Client?
    /// Nil for a request that is not about one list.
    private let subject: Subject?

    init(of head: RequestHead, _ router: Router) {
        let caller = (head.visitor as? Visit)?.caller
        client = (caller?.tenant ?? head.client.map(Tenant.address)).map(Client.tenant)
        guard let resource = try? router.resource(at: head.path),
            let list = resource.arguments.first.flatMap({ ListID($0) })
        else {
            subject = nil
            return
        }
        let isWrite = resource.endpoint(head.method)?.isWrite == true
        subject = Subject(list: list, part: isWrite ? .writes : head.mayLookAtEachRow ? .searches : .reads)
    }

    /// The updates of a list for its followers.
    init(updating list: ListID) {
        client = .followers(list)
        subject = Subject(list: list, part: .updates)
    }

    fileprivate func run(by workers: Workers, _ work: @escaping Workers.Work) {
        // The writes of a list are done one at a time, so that no two workers wait for one list.
        workers.run(for: client, on: subject, isAlone: subject?.part == .writes, work)
    }
}

extension Workers {
    func run(_ errand: Errand, _ work: @escaping Work) { errand.run(by: self, work) }
}

extension RequestHead {
    /// Whether a request names a parameter by which rows are selected or ordered.
    var mayLookAtEachRow: Bool {
        query.contains { item in formDecoded(item.name).map(Self.searching.contains) ?? false }
    }

    private static let searching: Set<ByteText> = Set(
        [QueryParameter.filter, .starred, .kind, .where, .sort, .expanded, .previousFilter].map {
            ByteText($0.rawValue)
        })
}
