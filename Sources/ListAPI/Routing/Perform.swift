internal import HTTPTypes
internal import Microhttpd

extension API {
    /// The one place that knows which function answers which endpoint.
    func perform(_ call: Call) throws(Problem) -> Answer {
        switch call.endpoint {
        case .listLists: try listLists(call)
        case .postList: try postList(call)
        case .getList: try getList(call)
        case .putList: try putList(call)
        case .patchList: try patchList(call)
        case .deleteList: try deleteList(call)
        case .getSection: try getSection(call)
        case .putSection: try putSection(call)
        case .patchSection: try patchSection(call)
        case .deleteSection: try deleteSection(call)
        case .postItems: try postItems(call)
        case .getItem: try getItem(call)
        case .patchItem: try patchItem(call)
        case .deleteItem: try deleteItem(call)
        case .star: try setStarred(true, call)
        case .unstar: try setStarred(false, call)
        case .toggleStar: try toggleStar(call)
        case .expand: try setExpanded(true, call)
        case .collapse: try setExpanded(false, call)
        case .listTransactions: try listTransactions(call)
        case .postTransaction: try postTransaction(call)
        case .postReorder: try postReorder(call)
        case .undo: try undo(call)
        case .redo: try redo(call)
        case .restoreList: try restoreList(call)
        case .getChanges: try getChanges(call)
        case .followLists: try followLists(call)
        case .postChanges: try postChanges(call)
        case .getSubscription: try getSubscription(call)
        case .listEmoji: try listEmoji(call)
        case .listEmojiCategories: listEmojiCategories(call)
        case .listSamples: listSamples(call)
        case .installSample: try installSample(call)
        case .stepSample: try stepSample(call)
        case .getHealth: getHealth(call)
        case .getReadiness: try getReadiness(call)
        case .getContract: try getContract(call)
        case .listProblems: listProblems(call)
        case .getProblem: try getProblem(call)
        case .getPage: try getPage(call)
        case .getPageFile: try getPageFile(call)
        }
    }
}

extension Endpoint {
    /// Every method that some resource has.
    static let allMethods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
}
