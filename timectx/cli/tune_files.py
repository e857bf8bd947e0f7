"""Write what tuning found into files: rows as CSV or Parquet, the report, the recommended scenario."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from msgspec import Struct

from timectx.cli.options import PATH
from timectx.cli.scenarios import scenario_words
from timectx.cli.screen import clean, counted, note, say
from timectx.cli.targets import STDOUT, check_target, write_whole
from timectx.cli.tuning import Tuned
from timectx.cost import PriceEntry, packaged_prices, split_model
from timectx.formats import read_sessions
from timectx.replay import Run, replay_session

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["Outputs", "output_options"]

_Command = TypeVar("_Command", bound=Callable[..., Any])


class Outputs(Struct, frozen=True, kw_only=True):
    """
    Hold where results go beside the screen; None = nowhere.

    `csv` may be ``-``, standard output. `names` says whether the report may name sessions and files.
    """

    csv: str | None = None
    parquet: str | None = None
    report: str | None = None
    scenario: str | None = None
    names: bool = False

    def check(self, inputs: Iterable[str], *, as_json: bool) -> None:
        """
        Refuse files that must not be written, before any work is done.

        Parameters
        ----------
        inputs : iterable of str
            The files that are read.
        as_json : bool
            Whether standard output is taken.

        Raises
        ------
        click.UsageError
            If a file is an input, a session log, or named twice; or a package is missing.
        """
        if as_json and self.csv == STDOUT:
            raise click.UsageError(f"--json and --csv {STDOUT} both print; leave one of them away")
        files = [each for each in (self.csv, self.parquet, self.report, self.scenario) if each not in (None, STDOUT)]
        read = list(inputs)
        for at, each in enumerate(filter(None, files)):
            check_target(each, read)
            if any(Path(each).resolve() == Path(other or "").resolve() for other in files[:at]):
                raise click.UsageError(f"{each} is named for two results; name another")
        if self.parquet is not None:
            _check_parquet()

    def write(self, tuned: Tuned) -> None:
        """
        Write each result that was asked for.

        Parameters
        ----------
        tuned : Tuned
            What tuning found.

        Raises
        ------
        click.UsageError
            If a file cannot be written.
        """
        for path, content in ((self.csv, _csv), (self.parquet, _parquet)):
            if path is not None and not tuned.sessions:
                note("no session to compare" if path == STDOUT else f"{path} was not written: there is no row for it")
            elif path is not None:
                _put(path, content(tuned.frame))
        if self.scenario is not None and tuned.best is None:
            note(f"{self.scenario} was not written: there is no recommendation")
        elif self.scenario is not None and tuned.best is not None:
            _put(self.scenario, tuned.scenarios[tuned.best.scenario].to_toml())
        if self.report is not None:
            _put(self.report, _report(tuned, names=self.names))


_OPTIONS: Final = (
    click.option("--csv", type=PATH, metavar="FILE", help="Write a row for each session and scenario; - prints them."),
    click.option("--parquet", type=PATH, metavar="FILE", help="The same, as Parquet (needs pyarrow)."),
    click.option("--report", type=PATH, metavar="FILE", help="Write a page with figures, tables and inputs (HTML)."),
    click.option("--names", is_flag=True, help="Let the report name sessions and files."),
    click.option("--write-scenario", "scenario_to", type=PATH, metavar="TOML", help="Write the recommended scenario."),
)


def output_options(command: _Command) -> _Command:
    """
    Give a command the options that say where results go.

    Parameters
    ----------
    command : callable
        It takes `outputs`, an `Outputs`.

    Returns
    -------
    callable
        The same, with options.
    """

    @wraps(command)
    def collected(scenario_to: str | None, **values: Any) -> Any:
        parts = {name: values.pop(name) for name in ("csv", "parquet", "report", "names")}
        return command(outputs=Outputs(scenario=scenario_to, **parts), **values)

    made: Any = collected
    for option in reversed(_OPTIONS):
        made = option(made)
    return made  # type: ignore[no-any-return]


def _put(path: str, content: str | bytes) -> None:
    if path == STDOUT and isinstance(content, str):
        say(content.removesuffix("\n"))
    else:
        write_whole(path, content)


def _csv(frame: DataFrame) -> str:
    rows = frame.drop(columns="staleness_counts")
    for name in ("session", "path", "model"):  # texts from elsewhere
        rows[name] = rows[name].map(clean, na_action="ignore")
    return str(rows.to_csv(index=False, lineterminator="\n"))


def _parquet(frame: DataFrame) -> bytes:
    plain = frame.copy()
    plain.attrs = {}
    target = BytesIO()
    plain.to_parquet(target, index=False)
    return target.getvalue()


def _check_parquet() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise click.UsageError("--parquet needs pyarrow: pip install 'timectx[parquet]'") from None


def _report(tuned: Tuned, *, names: bool) -> str:
    from timectx.report import report_html  # brings matplotlib

    return report_html(
        tuned.frame,
        tuned.best,
        names=names,
        refusal=str(tuned.refusal or ""),
        scenarios=[*tuned.scenarios.values()],
        inputs=_inputs(tuned),
        prices=_prices(tuned),
        runs=_runs(tuned),
    )


def _inputs(tuned: Tuned) -> dict[str, str]:
    words = dict.fromkeys(scenario_words(each) for each in tuned.scenarios.values())
    keep = tuned.request.keep
    left_out = f"{keep.words()}; {counted(tuned.frame.attrs['filtered'], 'session')} left out" if keep else "none"
    return {"measured with": "; ".join(words), "filter": left_out}


def _prices(tuned: Tuned) -> list[PriceEntry]:
    """Return the entries of every model that was billed, each once."""
    prices = tuned.request.prices or packaged_prices()
    models = dict.fromkeys(name for cell in tuned.frame["model"].dropna() for name in str(cell).split(", "))
    named = (entry for model in models for entry in prices.named(*split_model(model)))
    return list({id(entry): entry for entry in named}.values())


def _runs(tuned: Tuned) -> list[Run]:
    """Replay the longest session under the recommended setting; none where there is no recommendation."""
    if tuned.best is None or not tuned.sessions:
        return []
    frame = tuned.frame
    path = frame["path"].iloc[int(frame["steps"].to_numpy().argmax())]
    sessions, _ = read_sessions([path])
    return [replay_session(each, tuned.scenarios[tuned.best.scenario]) for each in sessions]
