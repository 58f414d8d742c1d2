"""What the pages of tables share: least CPU times of libraries in turns, on one core, and figures in Markdown.

The libraries run in processes of their own, in turns of a few milliseconds, and the least CPU time of each counts,
summed over its threads: other load on the machine lengthens a round, and never shortens it. They share one core,
since the system counts the time of threads on another one by its ticks, which are as long as a round.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

from cases.base import Case
from run import Library, agree, libraries

ROUNDS: Final = 5
SECONDS: Final = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}
# Of a case the time of each library, or `error`.
Times = dict[str, dict[str, Any]]


def parser(description: str, page: Path) -> argparse.ArgumentParser:
    """The options of every page."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--jax-python", help="an interpreter that has jax: measure")
    options.add_argument("--again", help="measure the cases that this matches once more")
    options.add_argument("--only", default="", help="measure the cases that this matches alone")
    options.add_argument("--page", type=Path, default=page, help="the page of earlier figures")
    options.add_argument("--times", type=Path, help="a file of figures that count more")
    options.add_argument("--round", type=float, default=0.006, help="seconds of a round")
    return options


def figures(
    text: str,
    parts: Mapping[str, str],
    read: Callable[[str, str], tuple[str, dict[str, Any]] | None],
) -> Times:
    """The times and errors that a page has: `read` gets a part's key and a row, and gives the case and its times."""
    times: Times = {}
    within = ""
    for line in text.splitlines():
        if line.startswith("## "):
            within = next((key for key, title in parts.items() if titled(title) == line), "")
        elif error := re.fullmatch("- `([^`]+)`: `([^`]+)`", line):
            times[error[1]] = {"error": error[2]}
        elif within and (row := read(within, line)):
            times[row[0]] = row[1]
    return times


def write(
    options: argparse.Namespace,
    cases: Sequence[Case],
    figures: Callable[[str], Times],
    page: Callable[[Times], str],
    measuring: Callable[[], AbstractContextManager[Callable[[Case], dict[str, Any]]]],
) -> None:
    """Write a page with its earlier figures and the figures of `--times`, and measure what it lacks or is requested."""
    apart: Times = {}
    if options.times and options.times.exists():
        apart = json.loads(options.times.read_text())
    earlier = figures(options.page.read_text(encoding="utf-8")) if options.page.exists() else {}
    earlier |= apart
    times = {case.name: earlier[case.name] for case in cases if case.name in earlier}
    options.page.write_text(page(times), encoding="utf-8")
    if not options.jax_python:
        return
    with measuring() as measured:
        for case in cases:
            again = options.again and re.search(options.again, case.name)
            if (case.name in times and not again) or not re.search(options.only, case.name):
                continue
            times[case.name] = apart[case.name] = measured(case)
            print(case.name, times[case.name], flush=True)
            options.page.write_text(page(times), encoding="utf-8")
            if options.times:
                options.times.write_text(json.dumps(apart))


@contextmanager
def one_core(options: argparse.Namespace, group: str) -> Iterator[dict[str, Library]]:
    """The libraries' processes, which start when they are asked, on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    with tempfile.TemporaryDirectory() as bytecode, libraries(options, bytecode, group) as found:
        yield found


def least(
    group: str, case: Case, found: dict[str, Library], names: Sequence[str]
) -> dict[str, Any]:
    """The least time of each library, or what went wrong."""
    times: dict[str, float] = {}
    digests: dict[str, Any] = {}
    for done in range(ROUNDS):
        if done > 1 and sum(times.values()) > 1:  # of long calls two rounds are enough
            break
        for name in names:
            answer = found[name].ask(group, case)
            if "error" in answer:
                return {"error": f"{name}: {answer['error']}"}
            digests[name] = answer["digest"]
            times[name] = min(answer["seconds"][""], times.get(name, math.inf))
    if case.compared and not all(agree(digests["treadle"], each) for each in digests.values()):
        return {"error": "the results differ"}
    return times


def seconds(shown: str) -> float:
    """The time that `12.3 µs` says."""
    number, unit = shown.split()
    return float(number) * SECONDS[unit]


def titled(title: str) -> str:
    """The line above a part."""
    return f"## {title[0].upper()}{title[1:]}"


def failures(times: Times) -> list[str]:
    """The part of a page with what could not be compared; no lines if there is nothing."""
    failed = {name: each["error"] for name, each in times.items() if "error" in each}
    if not failed:
        return []
    lines = [f"- `{name}`: {shown(error)}" for name, error in sorted(failed.items())]
    return ["", "## Not compared", "", *lines]


def shown(error: str) -> str:
    """An error's beginning, which no Markdown interprets."""
    return "`" + error.replace("`", "'")[:140] + "`"
