internal import COpenAPI
internal import HTTPTypes
internal import Microhttpd

/// The contract that this program was built with.
private let contract: [UInt8] = {
    var count = 0
    let start = liststate_openapi(&count)
    return Array(UnsafeBufferPointer(start: start, count: count))
}()

/// Made when the first client wants it.
private let codedContract = worthwhileGzip(contract)

extension API {
    /// `GET /openapi.yaml`
    func getContract(_ call: Call) -> Answer {
        .send(read(contract, .content(MediaType.yaml), to: call) { _ in codedContract })
    }
}
