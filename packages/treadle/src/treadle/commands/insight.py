"""`treadle doctor`, `treadle trace` and `treadle report`: the commands that treadle_insight carries out.

That distribution need not be installed: the commands are called only where it is, and import it then.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from treadle import environment, running
from treadle.commands import USAGE
from treadle.commands.programs import code_to_run, show_uncaught
from treadle_compiler import disk_cache
from treadle_runtime import backends


def doctor(*, as_json: bool) -> int:
    """Examine the installation; return 1 if something is wrong.

    Args:
        as_json: whether the report is printed as JSON.
    """
    from treadle_insight.doctor import CacheFolder, Machine, examined  # noqa: PLC0415 - see above

    cache = disk_cache()
    folder = cache.named_folder if cache is not None and cache.enabled else None
    machine = replace(
        Machine.here(),
        cache=None if folder is None else CacheFolder.of(folder),
        unknown_variables=environment.unknown_variables(os.environ),
    )
    found = examined(machine)
    if as_json:
        print(found.json())
    else:
        found.show()
    return 1 if found.findings() else 0


def trace(program: str, arguments: Sequence[str], folder: Path) -> int:
    """Run a program under `watch`, and write what was seen, also if it raises an exception.

    Args:
        program: the program's file.
        arguments: the program's own arguments.
        folder: the folder of the report and of the Perfetto trace.
    """
    from treadle_insight import watch  # noqa: PLC0415 - see above

    code = code_to_run("trace", program)
    if isinstance(code, int):
        return code
    if not os.access(folder, os.W_OK | os.X_OK):
        print(f"treadle trace: cannot write to the folder {folder}", file=sys.stderr)
        return USAGE
    seen = watch()
    folder = folder.absolute()  # the program may change the current one
    try:
        with seen:
            running.run_file(code, program, arguments)
    except Exception as error:
        show_uncaught(error, code)  # what only ends a process goes on
        return 1
    finally:
        page = seen.report()
        page.title = os.path.basename(program)
        process = _process()
        stem = f"{folder / Path(program).stem}{'' if process is None else f'.process{process}'}"
        files = {".treadle.html": page.html(), ".perfetto.json": seen.perfetto()}
        if process is not None:
            files[".treadle.json"] = page.json()
        for ending, text in files.items():
            Path(stem + ending).write_text(text, encoding="utf-8")
        count = len(page.findings())
        said = "1 finding" if count == 1 else f"{count} findings"
        print(f"treadle trace: {said}, in {stem}.treadle.html", file=sys.stderr)
        print(f"treadle trace: {stem}.perfetto.json, for https://ui.perfetto.dev", file=sys.stderr)
    return 0


def _process() -> int | None:
    """Return the number of this process of the program; None if it is the only one."""
    peers = backends.peers
    return None if peers is None else peers.process


def report(parts: Sequence[str], file: Path) -> int:
    """Make one report of the reports of several processes.

    Args:
        parts: the files of the reports.
        file: the file of the report to write.
    """
    from treadle_insight import Report  # noqa: PLC0415 - see above

    reports = {}
    for part in parts:
        path = Path(part)
        number = path.name.removesuffix(".treadle.json").rpartition(".process")[2]
        try:
            reports[number] = Report.of_json(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            print(f"treadle report: cannot read {part}: {error}", file=sys.stderr)
            return USAGE
    try:
        file.write_text(Report.of_processes(reports).html(), encoding="utf-8")
    except OSError as error:
        print(f"treadle report: cannot write {file}: {error.strerror}", file=sys.stderr)
        return USAGE
    print(f"treadle report: {file}", file=sys.stderr)
    return 0
