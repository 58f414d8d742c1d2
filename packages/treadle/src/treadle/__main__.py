"""`python -m treadle doctor`: what is wrong with the installation; `python -m treadle trace program.py`: a watched run.

`python -m treadle report program.process*.treadle.json` makes one report of the parts that several processes wrote.

The exit code of the doctor is 0 if it finds nothing, and 1 if it does; `trace` ends with the exit code of the program.
It is 2 if the command cannot be understood. A program that imports JAX is traced by
`python -m treadle_jax -m treadle trace program.py`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import CodeType, TracebackType

import treadle
from treadle import environment, running

_USAGE = 2  # the exit code of a command that cannot be understood


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code.

    Args:
        arguments: the command and its arguments; `sys.argv[1:]` by default.
    """
    chosen = _parser().parse_args(arguments)
    try:
        import treadle_insight  # noqa: F401, PLC0415 - a distribution that need not be installed
    except ModuleNotFoundError as error:
        if error.name != "treadle_insight":
            raise
        print(f"treadle {chosen.command} needs treadle-insight", file=sys.stderr)
        print(
            "  fix: in a checkout of treadle, python -m pip install packages/insight",
            file=sys.stderr,
        )
        return _USAGE
    if chosen.command == "doctor":
        return _doctor(as_json=chosen.json)
    if chosen.command == "report":
        return _report(chosen.parts, Path(chosen.out))
    return _trace(chosen.program, chosen.arguments, Path(chosen.out))


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog="python -m treadle", description=treadle.__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser("doctor", help="say what is wrong with the installation")
    doctor.add_argument("--json", action="store_true", help="print the report as JSON")
    trace = commands.add_parser(
        "trace", help="run a program under `watch`; write an HTML report and a Perfetto trace"
    )
    trace.add_argument("--out", default=".", help="the folder of both files; else the current one")
    trace.add_argument("program", help="the program's file")
    trace.add_argument("arguments", nargs=argparse.REMAINDER, help="the program's own arguments")
    report = commands.add_parser(
        "report", help="make one HTML report of the parts that the processes of a program wrote"
    )
    report.add_argument("--out", default="report.treadle.html", help="the file of the report")
    report.add_argument("parts", nargs="+", help="the files program.process*.treadle.json")
    return parser


def _doctor(*, as_json: bool) -> int:
    """Examine the installation; return 1 if something is wrong."""
    from treadle_compiler.compile import disk_cache  # noqa: PLC0415 - what the other command does not need
    from treadle_insight.doctor import CacheFolder, Machine, examined  # noqa: PLC0415 - as above

    cache = disk_cache()
    folder = cache.named_folder if cache is not None and cache.enabled else None
    machine = replace(
        Machine.here(),
        cache=None if folder is None else CacheFolder.of(folder),
        unknown_variables=environment.unknown_variables(os.environ),
    )
    report = examined(machine)
    if as_json:
        print(report.json())
    else:
        report.show()
    return 1 if report.findings() else 0


def _trace(program: str, arguments: Sequence[str], folder: Path) -> int:
    """Run a program under `watch`, and write what was seen, also if it raises an exception, which comes out."""
    from treadle_insight import watch  # noqa: PLC0415 - a distribution that need not be installed

    try:
        code = running.code_of(program)
    except OSError as error:
        print(f"treadle trace: cannot read {program}: {error.strerror}", file=sys.stderr)
        return _USAGE
    except SyntaxError as error:
        _shown(error, None)
        return 1
    if not os.access(folder, os.W_OK | os.X_OK):
        print(f"treadle trace: cannot write to the folder {folder}", file=sys.stderr)
        return _USAGE
    seen = watch()
    folder = folder.absolute()  # the program may change the current one
    try:
        with seen:
            running.run_file(code, program, arguments)
    except Exception as error:
        # As Python does at the end of a process, without the frames of this file. What only ends a process goes on.
        _shown(error, _from_code(code, error.__traceback__))
        return 1
    finally:
        report = seen.report()
        report.title = os.path.basename(program)
        process = _process()
        stem = f"{folder / Path(program).stem}{'' if process is None else f'.process{process}'}"
        files = {".treadle.html": report.html(), ".perfetto.json": seen.perfetto()}
        if process is not None:
            files[".treadle.json"] = report.json()
        for ending, text in files.items():
            Path(stem + ending).write_text(text, encoding="utf-8")
        count = len(report.findings())
        said = "1 finding" if count == 1 else f"{count} findings"
        print(f"treadle trace: {said}, in {stem}.treadle.html", file=sys.stderr)
        print(f"treadle trace: {stem}.perfetto.json, for https://ui.perfetto.dev", file=sys.stderr)
    return 0


def _process() -> int | None:
    """Return the number of this process of the program; None if it is the only one."""
    from treadle_runtime import backends  # noqa: PLC0415 - which starts nothing

    peers = backends.peers
    return None if peers is None else peers.process


def _report(parts: Sequence[str], file: Path) -> int:
    """Make one report of the reports of several processes."""
    from treadle_insight import Report  # noqa: PLC0415 - a distribution that need not be installed

    reports = {}
    for part in parts:
        path = Path(part)
        number = path.name.removesuffix(".treadle.json").rpartition(".process")[2]
        try:
            reports[number] = Report.of_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print(f"treadle report: cannot read {part}: {error}", file=sys.stderr)
            return _USAGE
    try:
        file.write_text(Report.of_processes(reports).html(), encoding="utf-8")
    except OSError as error:
        print(f"treadle report: cannot write {file}: {error.strerror}", file=sys.stderr)
        return _USAGE
    print(f"treadle report: {file}", file=sys.stderr)
    return 0


def _shown(error: Exception, traceback: TracebackType | None) -> None:
    """Show an exception that was not caught."""
    sys.excepthook(type(error), error.with_traceback(traceback), traceback)


def _from_code(code: CodeType, traceback: TracebackType | None) -> TracebackType | None:
    """Return the part of a traceback that begins in some code."""
    part = traceback
    while part is not None and part.tb_frame.f_code is not code:
        part = part.tb_next
    return part or traceback


if __name__ == "__main__":
    sys.exit(main())
