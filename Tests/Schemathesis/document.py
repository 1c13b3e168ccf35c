"""openapi.yaml, with the rules that it keeps beside its schemas turned into schemas."""

import yaml

RULES = {"x-rules", "x-closed", "x-known-values"}


def load(path):
    # The parser in C is used, because the other one takes seconds.
    with open(path) as file:
        document = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for schema in document["components"]["schemas"].values():
        tighten(schema)
    for link in links(document):
        if "x-request-body" in link:
            link["requestBody"] = link.pop("x-request-body")
    return document


def links(document):
    yield from document["components"]["links"].values()
    for methods in document["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                yield from response.get("links", {}).values()


def tighten(schema):
    """Turns `x-rules`, `x-closed` and `x-known-values` into keywords, in the schema and in its parts."""
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, (dict, list)):
            tighten(value)
    if not isinstance(schema, dict) or not RULES & schema.keys():
        return
    if values := schema.pop("x-known-values", None):
        schema["enum"] = values
    if schema.pop("x-closed", False):
        schema["additionalProperties"] = False
    rules = schema.pop("x-rules", {})
    if rules.keys() & schema.keys():
        schema.setdefault("allOf", []).append(rules)
    else:
        schema.update(rules)
