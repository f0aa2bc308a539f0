"""A JSON Schema as Markdown: one entry for each field, with its type, its constraints and an example."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from docs.from_code.markdown import code, entry, escaped

__all__ = ["described"]

_BOUNDS = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
    "pattern": "matches `{}`",
    "maxLength": "up to {} characters",
}
_PLAIN = {"integer": "whole number", "array": "list", "boolean": "true or false", "string": "text", "null": "null"}


def described(schema: Mapping[str, Any], *, examples: Mapping[str, Any], prefix: str) -> str:
    """A section for the schema itself and for each object that it defines.

    ``examples`` holds the fields of a real document; ``prefix`` keeps the targets of two schemas apart.
    """
    models = {"": schema, **schema.get("$defs", {})}
    sections = []
    for title, model in models.items():
        if "properties" not in model:
            continue
        head = f"\n({prefix}-{title.lower()})=\n## {title}\n\n{_text(model)}\n\n" if title else ""
        required = model.get("required", ())
        entries = [
            _entry(name, field, required=name in required, example=None if title else examples.get(name), prefix=prefix)
            for name, field in model["properties"].items()
        ]
        sections.append(head + "\n".join(entries))
    return "\n".join(sections)


def _entry(name: str, field: Mapping[str, Any], *, required: bool, example: Any, prefix: str) -> str:
    facts = [_type(field, prefix), *_constraints(field), *([] if required else ["optional"])]
    default = field.get("default")
    return entry(
        name,
        "; ".join(facts),
        _text(field),
        "" if required or default in (None, []) else f"Default: {code(json.dumps(default))}",
        "" if example is None else f"Example: {code(_short(example))}",
    )


def _text(field: Mapping[str, Any]) -> str:
    text = escaped(" ".join(str(field.get("description", "")).split()))
    return text if not text or text.endswith((".", "…")) else f"{text}."


def _type(field: Mapping[str, Any], prefix: str) -> str:
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2]
        return f"[{name}](#{prefix}-{name.lower()})"
    if "const" in field:
        return code(json.dumps(field["const"]))
    if "enum" in field:
        return " or ".join(code(json.dumps(value)) for value in field["enum"])
    if choices := field.get("anyOf") or field.get("oneOf"):
        return " or ".join(dict.fromkeys(_type(choice, prefix) for choice in choices))
    if field.get("type") == "array" and "items" in field:
        return f"list of {_type(field['items'], prefix)}"
    if field.get("type") == "object" and isinstance(field.get("additionalProperties"), Mapping):
        return f"object: names to {_type(field['additionalProperties'], prefix)}"
    return _PLAIN.get(str(field.get("type")), str(field.get("type", "any value")))


def _constraints(field: Mapping[str, Any]) -> Iterator[str]:
    for key, words in _BOUNDS.items():
        if key in field:
            yield words.format(field[key]).replace("at least 1 entries", "at least one entry")
    if field.get("minLength") == 1:
        yield "not empty"


def _short(value: Any) -> str:
    """A value on one line: of a list the first entry, of an object the fields that are text."""
    if isinstance(value, Mapping):
        said = [f"{json.dumps(name)}: {_short(part)}" for name, part in value.items() if isinstance(part, str)]
        return f"{{{', '.join([*said, *(['…'] if len(said) < len(value) else [])])}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join([*map(_short, value[:1]), *(['…'] if len(value) > 1 else [])])}]"
    return json.dumps(value, ensure_ascii=False)
