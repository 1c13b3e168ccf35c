internal import COpenAPI
internal import HTTPTypes
internal import Microhttpd

/// The contract that this program was built with.
private let contract: [UInt8] = {
    var count = 0
    let start = liststate_openapi(&count)
    return Array(UnsafeBufferPointer(start: start, count: count))
}()

extension API {
    /// `GET /openapi.yaml`
    func getContract(_ call: Call) -> Answer {
        .send(json(contract, .content(MediaType.yaml), to: call))
    }
}
