"""The command line: a thin skin. Each command's imports happen inside it; results go to stdout, progress to stderr.

Exit codes: 0 done or clean, 1 findings or a refused gate, 2 bad input or settings, 3 stopped and resumable.
"""

from __future__ import annotations

import sys

import typer

from factory.cli import bank, cassettes, events, inputs, setup
from factory.errors import FactoryError

app = typer.Typer(
    name="factory",
    help="Turn a one-line topic into an audited forecasting benchmark of a real social event.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for module in (setup, events, inputs, bank, cassettes):
    module.register(app)


def main() -> None:
    """Run the command line; every expected error is one sentence on stderr and an exit code."""
    try:
        app()
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
