extension JSONValue {
    /// Applies a merge patch: a member of `patch` replaces the member of that name, and a null removes it.
    ///
    ///     {"a": {"b": 1, "c": 2}, "d": 3}  with  {"a": {"b": null}, "e": 4}
    ///     gives  {"a": {"c": 2}, "d": 3, "e": 4}
    ///
    /// Members keep their places, and new members follow in the order of the patch. If the patch is not an object, the
    /// result is the patch.
    ///
    /// - Complexity: O(*n* + *m*), *n* and *m* the sizes of both values.
    ///
    /// Source: RFC 7396 section 2.
    public func merging(patch: JSONValue) -> JSONValue {
        guard case .object(let patchObject) = patch else { return patch }
        guard case .object(let object) = self else {
            return .object(JSONObject().merging(patch: patchObject))
        }
        return .object(object.merging(patch: patchObject))
    }
}

extension JSONObject {
    /// Applies a merge patch to the object; see `JSONValue.merging(patch:)`.
    public func merging(patch: JSONObject) -> JSONObject {
        let changes = MemberIndex(patch.members)
        var isUsed = [Bool](repeating: false, count: patch.count)
        var result: [Member] = []
        for member in members {
            guard let position = changes.position(of: member.key) else {
                result.append(member)
                continue
            }
            isUsed[position] = true
            guard let value = member.value.merged(with: patch.members[position].value) else { continue }
            result.append((key: member.key, value: value))
        }
        for (position, member) in patch.members.enumerated() where !isUsed[position] {
            guard let value = JSONValue.null.merged(with: member.value) else { continue }
            result.append((key: member.key, value: value))
        }
        return JSONObject(distinct: result)
    }
}

extension JSONValue {
    /// The value of a member after its patch; nil if the patch removes the member.
    fileprivate func merged(with patch: JSONValue) -> JSONValue? {
        patch == .null ? nil : merging(patch: patch)
    }
}
