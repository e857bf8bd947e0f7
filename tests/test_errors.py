"""Every refusal has one root, a kind, and a builtin class that plain handlers know."""

from __future__ import annotations

import copy
import pickle

import pytest

from timectx import errors

ERRORS = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
WARNINGS = [getattr(errors, name) for name in errors.__all__ if name.endswith("Warning")]


@pytest.mark.parametrize("branch", ERRORS, ids=lambda branch: branch.__name__)
def test_an_error_says_its_message_and_keeps_its_kind(branch: type[errors.TimectxError]) -> None:
    """The text is the message alone, whichever builtin the branch also is, and survives pickling and copying."""
    error = branch("no such thing: 'x'", kind="some-kind")
    again = [error, pickle.loads(pickle.dumps(error)), copy.copy(error)]
    assert [(type(one), str(one), one.kind) for one in again] == [(branch, "no such thing: 'x'", "some-kind")] * 3


@pytest.mark.parametrize(
    "branch", [one for one in ERRORS if one is not errors.TimectxError], ids=lambda branch: branch.__name__
)
def test_a_branch_is_a_timectx_error_and_a_builtin_one(branch: type[errors.TimectxError]) -> None:
    """One except clause catches all of them, or those of one builtin kind."""
    assert issubclass(branch, errors.TimectxError)
    assert issubclass(branch, ValueError | LookupError | OSError)


def test_an_error_needs_no_kind() -> None:
    """Where the class says it all, the kind is empty."""
    assert errors.UnitError("bad").kind == ""


@pytest.mark.parametrize("branch", WARNINGS, ids=lambda branch: branch.__name__)
def test_every_warning_can_be_silenced_at_its_root(branch: type[Warning]) -> None:
    """A filter on the root covers them all."""
    assert issubclass(branch, errors.TimectxWarning)


def test_every_name_is_an_error_or_a_warning() -> None:
    """The tables above miss nothing that the module offers, and the root comes with its branches."""
    found = {*ERRORS, *WARNINGS}
    assert len(found) == len(errors.__all__)
    assert errors.TimectxError in found
