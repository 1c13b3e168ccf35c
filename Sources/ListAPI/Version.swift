internal import CAssets

extension API {
    /// The version of the program and of its contract. openapi.yaml and CHANGELOG.md name the same version.
    public static let version = "0.1.0"
    /// The commit that the program was built from, or `unknown`.
    public static var commit: String { String(cString: liststate_commit()) }
}
