// The names that snippets of the pages take from their surroundings.

import Foundation

struct Session: Sendable { func token() async throws -> String { "" } }

let (url, folder, session) = (URL(filePath: "/"), URL(filePath: "/"), Session())

func show(_ text: String) {}
