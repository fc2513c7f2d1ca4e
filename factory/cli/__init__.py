"""The command line: a thin skin. Each command's imports happen inside it; results go to stdout, progress to stderr.

Exit codes: 0 done or clean, 1 findings or a refused gate, 2 bad input or settings, 3 stopped and resumable.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from factory.cli import (
    anonymise,
    bank,
    cassettes,
    events,
    inputs,
    progress,
    review,
    scoring,
    setup,
    versions,
)
from factory.errors import FactoryError, Stopped

app = typer.Typer(
    name="factory",
    help="Turn a one-line topic into an audited forecasting benchmark of a real social event.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (
    setup,
    events,
    versions,
    anonymise,
    progress,
    review,
    inputs,
    bank,
    scoring,
    cassettes,
):
    module.register(app)


INTERRUPTED = 130
"""What typer returns for Ctrl-C."""
UsageError: type[Exception] = typer.BadParameter.__mro__[1]
"""typer may bring its own click, so its errors are known by the one that it exports."""


def print_version(wanted: bool) -> None:
    """The version, and nothing else."""
    if wanted:
        from factory import __version__

        print(f"factory {__version__}")
        raise typer.Exit


@app.callback()
def options(
    _version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=print_version, is_eager=True),
    ] = False,
) -> None:
    """Options before the command."""


def usage_sentence(error: Any) -> str:
    """A wrong option or argument as one sentence that names the command's own help."""
    names = []
    context = error.ctx
    while context is not None and context.parent is not None:
        names.append(context.info_name)
        context = context.parent
    command = " ".join(["factory", *reversed(names)])
    return f"factory: {error.format_message().rstrip('.')}; see `{command} --help`"


def main() -> None:
    """Run the command line; every expected error is one sentence on stderr and an exit code."""
    try:
        code = app(standalone_mode=False)
        if code == INTERRUPTED:
            raise Stopped("interrupted; run the same command again to go on")
        sys.exit(code)
    except UsageError as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            print(error, file=sys.stderr)
        else:
            print(usage_sentence(error), file=sys.stderr)
        sys.exit(2)
    except (typer.Abort, KeyboardInterrupt):
        print("\nfactory: interrupted; run the same command again to go on", file=sys.stderr)
        sys.exit(Stopped.exit_code)
    except FactoryError as error:
        print(f"factory: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        where = f" {error.filename}" if error.filename else ""
        print(
            f"factory: the system refused{where}: {error.strerror or error}; check the path, its permissions "
            "and the free space, then run again",
            file=sys.stderr,
        )
        sys.exit(2)
