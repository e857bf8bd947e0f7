"""Read YAML as plain data: a date stays a text, and no field is given twice."""

from __future__ import annotations

import math
from typing import Any, Final

import yaml

__all__ = ["load_plain"]

_MAX_DEPTH: Final = 100
_MAX_PARTS: Final = 1_000_000
_TIMESTAMP: Final = "tag:yaml.org,2002:timestamp"


def load_plain(text: str) -> Any:
    """
    Read one YAML document.

    Parameters
    ----------
    text : str
        YAML, or JSON.

    Returns
    -------
    object
        Mappings, lists, texts, numbers, true, false and null. What looks like a date is a text.

    Raises
    ------
    yaml.YAMLError
        If it is no YAML, asks for Python objects, gives a field twice, or holds what JSON does not.

    Examples
    --------
    >>> load_plain("{start: 2026-07-15T09:00:00+08:00, say: hello}")
    {'start': '2026-07-15T09:00:00+08:00', 'say': 'hello'}
    """
    value = yaml.load(text, _PlainLoader)  # a SafeLoader: it makes nothing but plain data
    _check_plain(value)
    return value


def _check_plain(value: Any) -> None:
    """Refuse what no JSON text holds: numbers that are none, other objects, and structures that hold themselves."""
    waiting, seen = [(value, 0)], 0
    while waiting:
        item, depth = waiting.pop()
        seen += 1
        if depth > _MAX_DEPTH or seen > _MAX_PARTS:
            raise yaml.YAMLError("it is nested too deeply, holds itself or unfolds to too much")
        if isinstance(item, dict) and all(isinstance(key, str) for key in item):
            waiting += [(inner, depth + 1) for inner in item.values()]
        elif isinstance(item, list):
            waiting += [(inner, depth + 1) for inner in item]
        elif isinstance(item, float) and not math.isfinite(item):
            raise yaml.YAMLError(f"{item} is no number that JSON holds")
        elif item is not None and not isinstance(item, str | int | float | bool):
            raise yaml.YAMLError(f"{item!r} is no plain data")


class _PlainLoader(yaml.SafeLoader):
    """Make plain data alone."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Refuse a field that is given twice."""
        named = [key.value for key, _ in node.value if isinstance(key, yaml.ScalarNode)]
        twice = next((name for name in named if named.count(name) > 1), None)
        if twice is not None:
            raise yaml.constructor.ConstructorError(None, None, f"{twice!r} is given twice", node.start_mark)
        return super().construct_mapping(node, deep)


_PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in found if tag != _TIMESTAMP]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
