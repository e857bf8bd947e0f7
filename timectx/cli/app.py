"""Put the commands together, and turn every refusal into one line and an exit status."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click
from click.exceptions import Exit, NoArgsIsHelpError

from timectx import __version__
from timectx.cli.check import check_command
from timectx.cli.ending import BROKEN_PIPE, CLOSED, INTERRUPTED, let_go, why_lost
from timectx.cli.format import format_command
from timectx.cli.inspect import inspect_command
from timectx.cli.replay import replay_command
from timectx.cli.run import run_command
from timectx.cli.samples import samples_command
from timectx.cli.screen import clean, say, shortened
from timectx.cli.tune import tune_command
from timectx.errors import TimectxError

__all__ = ["main"]


class _Refusal(click.ClickException):
    """Carry one line to standard error, without usage above it."""

    exit_code = 2

    def show(self, file: IO[str] | None = None) -> None:
        if file is not None:
            file.write(f"{self.format_message()}\n")
            return
        try:
            say(self.format_message(), err=True)
        except OSError:  # there is no other place to say it
            let_go(sys.stderr)


class _Commands(click.Group):
    """Group commands whose return value is their exit status, and whose refusals are one line."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Read the options that stand before the command."""
        with _in_one_line(lambda: info_name or "timectx"):
            if sys.stdout is None:
                raise OSError(errno.EBADF, CLOSED)
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command and exit with what it returns: None or 0 fine, 1 faults found."""
        with _in_one_line(lambda: " ".join(filter(None, (ctx.command_path, ctx.invoked_subcommand)))):
            status = super().invoke(ctx)
        ctx.exit(status or 0)


@contextmanager
def _in_one_line(command: Callable[[], str]) -> Iterator[None]:
    try:
        yield
    except NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        name = error.ctx.command_path if error.ctx else command()
        raise _Refusal(f"{name}: {_sentence(error)} see {name} --help") from None
    except TimectxError as error:
        raise _Refusal(f"{command()}: {clean(shortened(str(error)))}") from None
    except KeyboardInterrupt:
        raise Exit(INTERRUPTED) from None
    except BrokenPipeError:
        let_go(sys.stdout, sys.stderr)
        raise Exit(BROKEN_PIPE) from None
    except OSError as error:
        let_go(sys.stdout)
        raise _Refusal(f"{command()}: {clean(why_lost(error))}") from None


def _sentence(error: click.UsageError) -> str:
    message = clean(shortened(" ".join(error.format_message().split())))
    message = (
        message.replace(". Did you", "; did you").replace(". (Did you", "; did you").replace("?)", "?").rstrip(".")
    )
    return f"{message[:1].lower()}{message[1:]}{'' if message.endswith('?') else ';'}"


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, message="timectx %(version)s")
def main() -> None:
    """Find out how often an agent should be told the time.

    A PATH is a session file or a folder of them; samples: stands for the sessions that come with
    timectx, samples:NAME for one of them.

    Exit status: 0 fine; 1 faults found, or a file that cannot be used; 2 wrong usage, or output that
    cannot be written; 130 stopped by Ctrl-C; 141 whoever read the output went away.
    """


for command in (
    tune_command,
    replay_command,
    inspect_command,
    check_command,
    format_command,
    run_command,
    samples_command,
):
    main.add_command(command)
