"""`python -m treadle`, or `treadle`: the command line; docs/command-line.md describes it for users.

The exit code is 0 if all is well, 1 if something was found or a program failed, and 2 if the command cannot be
understood or carried out; `trace` and `run` end with the exit code of the program. A program that imports JAX is traced
by `python -m treadle_jax -m treadle trace program.py`.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import treadle
from treadle.commands import USAGE, cache, programs

_OF_INSIGHT = ("doctor", "trace", "report")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code.

    Args:
        arguments: the command and its arguments; `sys.argv[1:]` by default.
    """
    chosen = _parser().parse_args(arguments)
    try:
        return _run(chosen)
    except BrokenPipeError:  # the reader of the output has ended, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(chosen: argparse.Namespace) -> int:
    if chosen.command in _OF_INSIGHT:
        return _insight(chosen)
    if chosen.command == "env":
        treadle.print_environment_info()
        return 0
    if chosen.command == "cache":
        as_json = getattr(chosen, "json", False)
        return cache.cache(chosen.action, yes=getattr(chosen, "yes", False), as_json=as_json)
    if chosen.command == "check-jax":
        return programs.check_jax(chosen.paths)
    checks = [name for name in programs.CHECKS if getattr(chosen, name)]
    return programs.run(chosen.program, chosen.arguments, checks, strict=chosen.strict)


def _insight(chosen: argparse.Namespace) -> int:
    """Run a command that treadle_insight carries out."""
    if importlib.util.find_spec("treadle_insight") is None:
        print(f"treadle {chosen.command} needs treadle-insight", file=sys.stderr)
        print(
            "  fix: python -m pip install packages/insight (in a checkout of treadle)",
            file=sys.stderr,
        )
        return USAGE
    from treadle.commands import insight  # noqa: PLC0415 - it imports treadle_insight

    if chosen.command == "doctor":
        return insight.doctor(as_json=chosen.json)
    if chosen.command == "report":
        return insight.report(chosen.parts, Path(chosen.out))
    return insight.trace(chosen.program, chosen.arguments, Path(chosen.out))


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    as_module = Path(sys.argv[0]).name == "__main__.py"
    parser = argparse.ArgumentParser(
        prog="python -m treadle" if as_module else "treadle",
        description=(treadle.__doc__ or "").partition("\n\n")[0],
    )
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser("doctor", help="say what is wrong with the installation")
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")
    commands.add_parser("env", help="print the versions and devices that a report of a fault needs")
    _add_cache(
        commands.add_parser("cache", help="list, measure, clear or verify compiled programs")
    )
    run = commands.add_parser("run", help="run a program under chosen checks")
    for name, (_, help) in programs.CHECKS.items():
        run.add_argument(f"--{name}", action="store_true", dest=name, help=help)
    run.add_argument("--strict", action="store_true", help="turn on `treadle.config.strict()`")
    _add_program(run)
    trace = commands.add_parser(
        "trace", help="run a program under `watch`; write an HTML report and a Perfetto trace"
    )
    trace.add_argument("--out", default=".", help="the folder of both files; else the current one")
    _add_program(trace)
    report = commands.add_parser(
        "report", help="make one HTML report of the parts that the processes of a program wrote"
    )
    report.add_argument("--out", default="report.treadle.html", help="the file of the report")
    report.add_argument("parts", nargs="+", help="the files program.process*.treadle.json")
    check = commands.add_parser(
        "check-jax", help="report the names of JAX's that a program takes and treadle lacks"
    )
    check.add_argument("paths", nargs="+", help="files and folders, which are read, not run")
    return parser


def _add_cache(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True)
    for name, help in (("ls", "list the programs"), ("size", "print their number and size")):
        action = actions.add_parser(name, help=help)
        action.add_argument("--json", action="store_true", help="print JSON")
    clear = actions.add_parser("clear", help="remove all; without --yes, say what would be removed")
    clear.add_argument("--yes", action="store_true", help="remove them")
    actions.add_parser("verify", help="look for damaged programs")


def _add_program(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("program", help="the program's file")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")


if __name__ == "__main__":
    sys.exit(main())
