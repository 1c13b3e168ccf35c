import ArgumentParser

/// A server that a command asks instead of opening a folder.
struct RemoteOption: ParsableArguments {
    @Option(
        help: """
            The server that has the lists, instead of a folder: https://lists.example.org, or http:// and an address of this \
            machine.
            """)
    var url: ServerAddress?
    @OptionGroup var credential: TokenOptions

    /// Nil if no server is named.
    func server(besides place: FolderOption) throws -> RemoteServer? {
        guard let url else { return nil }
        guard place.data == nil else { throw ValidationError("One of --data and --url.") }
        return RemoteServer(address: url, token: try credential.secret())
    }
}
