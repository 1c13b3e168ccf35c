internal import HTTPTypes
internal import Microhttpd

extension API {
    /// `GET /openapi.yaml`: the contract that this program was built with.
    func getContract(_ call: Call) -> Answer {
        .send(json(PackageResources.openapi_yaml, .content(MediaType.yaml), to: call))
    }
}
