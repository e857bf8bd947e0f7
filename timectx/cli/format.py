"""Print one reading as the model reads it, and what it costs."""

from __future__ import annotations

from typing import Final

import click

from timectx.cli.options import COUNT, EDITION, INSTANT, INTERVAL, ZONE, json_option
from timectx.cli.screen import print_json, say
from timectx.reading import (
    BrowserZone,
    Edition,
    Reading,
    check_browser_zone,
    display_zone,
    format_reading,
    line_count,
    zone_database_release,
)
from timectx.replay.meter import estimate_reading_tokens

__all__ = ["format_command"]

_LINES_WITH_BROWSER: Final = 3


@click.command("format", short_help="Print one reading and its price.")
@click.argument("time", metavar="TIME", type=INSTANT, required=False)
@click.option("--time", "time_option", type=INSTANT, help="The same, as an option.")
@click.option("--zone", type=ZONE, required=True, help="Zone shown where the browser's is not known.")
@click.option("--browser-zone", "browsers", multiple=True, help="Zone a browser sent along; may be repeated.")
@click.option("--turn", type=COUNT, default=1, show_default=True)
@click.option("--step", type=COUNT, default=1, show_default=True)
@click.option("--elapsed", type=INTERVAL, help="Time since the baseline, such as 5m; without it: unavailable.")
@click.option("--edition", type=EDITION, default="readme", show_default=True)
@json_option
def format_command(
    time: int | None,
    time_option: int | None,
    zone: str,
    browsers: tuple[str, ...],
    turn: int,
    step: int,
    elapsed: int | None,
    edition: Edition,
    as_json: bool,
) -> None:
    """Print one reading as the model reads it, and its price in tokens.

    TIME is epoch milliseconds, or ISO 8601 with an offset or Z. It has to be given: nothing here
    looks at the clock.
    """
    time_ms = _one_time(time, time_option)
    browser_zone = _browser_zone(browsers) if line_count(edition) == _LINES_WITH_BROWSER else None
    if browsers and browser_zone is None:
        raise click.UsageError(f"readings of edition {edition} name no browser zone; leave --browser-zone away")
    shown = display_zone(browser_zone, zone)
    text = format_reading(Reading(turn, step, time_ms, shown, elapsed, browser_zone, edition))
    price = estimate_reading_tokens(text)
    if as_json:
        print_json(
            {
                "turn": turn,
                "step": step,
                "time_ms": time_ms,
                "edition": edition,
                "zone": shown,
                "text": text,
                "price_tokens": price,
                "zone_database": zone_database_release(),
            }
        )
    else:
        say(f"{text}\n\nprice: {price} tokens")


def _one_time(argument: int | None, option: int | None) -> int:
    given = [value for value in (argument, option) if value is not None]
    if len(given) != 1:
        found = "two times" if given else "no time"
        raise click.UsageError(f"{found}; give one, as epoch milliseconds or as in 2026-07-15T09:01:01+08:00")
    return given[0]


def _browser_zone(names: tuple[str, ...]) -> BrowserZone:
    zones = tuple(sorted({check_browser_zone(name) for name in names}))
    return BrowserZone("missing" if not zones else "resolved" if len(zones) == 1 else "mixed", zones)
