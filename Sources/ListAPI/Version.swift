extension API {
    /// The one version of program and contract; openapi.yaml and CHANGELOG.md name the same.
    public static let version = "0.1.0"
}
