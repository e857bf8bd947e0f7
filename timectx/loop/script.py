"""Read what a scripted agent lives through from YAML."""

from __future__ import annotations

import re
from typing import Final

import msgspec
import yaml

from timectx.errors import ScenarioError
from timectx.loop.plain_yaml import load_plain
from timectx.loop.script_check import check_script
from timectx.loop.script_parts import Call, CompactionPlan, Failure, Prompt, Reply, Script, Steer

__all__ = ["Call", "CompactionPlan", "Failure", "Prompt", "Reply", "Script", "Steer", "check_script", "parse_script"]

_MISFIT: Final = re.compile(r"(?P<what>.*) - at \$\.?(?P<place>.*)")
"""How msgspec names a value that does not fit."""


def parse_script(text: str) -> Script:
    """
    Read a script from YAML.

    Parameters
    ----------
    text : str
        A mapping with the fields of `Script`; JSON is YAML too.

    Returns
    -------
    Script
        Checked by `check_script`.

    Raises
    ------
    ScenarioError
        Kind ``script`` where the text is no YAML or does not fit; the message names the field.

    Examples
    --------
    >>> parse_script("{session: one, prompts: [{say: hello}]}").prompts[0].replies[0].text
    'done'
    """
    try:
        script = msgspec.convert(load_plain(text), Script)
    except (yaml.YAMLError, msgspec.ValidationError, RecursionError, ValueError) as error:
        raise ScenarioError(f"not a script: {_told(error)}", kind="script") from None
    check_script(script)
    return script


def _told(error: Exception) -> str:
    """Return what is wrong with a text, and in which line of it where that is known."""
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        return f"line {error.problem_mark.line + 1}: {error.problem}"
    text = " ".join(str(error).split()).replace("`", "")
    found = _MISFIT.fullmatch(text)
    what, place = (found["what"], f"at {found['place']}: ") if found else (text, "")
    return f"{place}{what[:1].lower()}{what[1:]}"
