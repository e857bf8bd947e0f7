"""Read YAML as plain data: a date stays a text, and no field is given twice."""

from __future__ import annotations

from typing import Any

import yaml

__all__ = ["load_plain"]

_TIMESTAMP = "tag:yaml.org,2002:timestamp"


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
        If it is no YAML, asks for Python objects, or gives a field twice.

    Examples
    --------
    >>> load_plain("{start: 2026-07-15T09:00:00+08:00, say: hello}")
    {'start': '2026-07-15T09:00:00+08:00', 'say': 'hello'}
    """
    return yaml.load(text, _PlainLoader)  # a SafeLoader: it makes nothing but plain data


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
