"""docs/compatibility.md: what the jobs, the imports and the libraries' own tests found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from conformance.clients import releases
from conformance.clients.comparing import LOOSE, TOLERANCE
from conformance.clients.libraries import JOBS, LIBRARIES
from conformance.clients.suite_reasons import reasons as why

HERE = Path(__file__).resolve().parent
PAGE: Final = HERE.parent.parent / "docs/compatibility.md"
SUITES: Final = HERE / "stored/suites"
FURTHER: Final = HERE / "stored/further.json"


class Job(NamedTuple):
    """A job's outcome: how many of its results agree, and what is wrong."""

    job: str
    agree: int
    of: int
    problems: list[str]
    known: list[str]
    seconds: float


class Imports(NamedTuple):
    """How many of a library's modules could be imported, and what is wrong with the others."""

    library: str
    done: int
    of: int
    problems: list[str]


def _cell(texts: list[str]) -> str:
    return "; ".join(texts).replace("|", "/") or "none"


_HEAD: Final = """| library | version | modules imported | results that agree | which do not, and why |
|---|---|---|---|---|"""


def _row(*cells: str | None) -> str:
    """A row under `_HEAD`."""
    return f"|{'|'.join([f' {cell} ' if cell else ' ' for cell in cells])}|"


def _rows(results: list[Job], imported: list[Imports]) -> list[str]:
    """Return the rows of the jobs, then the rows of libraries that are only imported."""
    modules = {LIBRARIES[each.library]: each for each in imported}
    rows = []
    for each in results:
        name = JOBS[each.job]
        nnx = each.job == "flax_nnx"
        of = modules[name]
        rows.append(
            _row(
                f"{name}{' (nnx)' if nnx else ''}",
                releases.installed(name),
                "" if nnx else f"{of.done} of {of.of}",
                f"{each.agree} of {each.of}",
                _cell([*each.problems, *each.known, *([] if nnx else of.problems)]),
            )
        )
    for name, of in modules.items():
        if name not in JOBS.values():
            done = f"{of.done} of {of.of}"
            rows.append(_row(name, releases.installed(name), done, "", _cell(of.problems)))
    return rows


def _further() -> str:
    """The section of further libraries."""
    if not FURTHER.exists():
        return "None has been run."
    rows = []
    for library, each in sorted(json.loads(FURTHER.read_text()).items()):
        modules, failed = each["modules"], each["not imported"]
        problems = [*each["problems"], *[f"{name}: {error}" for name, error in failed.items()]]
        done = f"{modules - len(failed)} of {modules}"
        agree = f"{each['agree']} of {each['results']}"
        rows.append(_row(library, each["version"], done, agree, _cell(problems)))
    return f"""The same of libraries that use many of these, run by `nox -s clients-further`, which CI does not.

{_HEAD}
{chr(10).join(rows)}"""


def _sampled(found: dict[str, Any]) -> str:
    """Return the sentence about the files of a suite of which only a sample was run."""
    files = [
        f"one in {sample['each']} of the tests of `{path}`, {sample['tests']} of them"
        for path, sample in found["sampled"].items()
    ]
    return (
        f"Run of {found['library']} as a sample, the same tests on both sides: {'; '.join(files)}."
    )


def _suites() -> str:
    """The section of the libraries' own tests."""
    found = [json.loads(path.read_text()) for path in sorted(SUITES.glob("*.json"))]
    if not found:
        return "The libraries' own tests have not been run."
    rows = []
    reasons = []
    left_out = [
        f"Not run of {each['library']}: {each['without']}." for each in found if each.get("without")
    ]
    left_out += [_sampled(each) for each in found if each.get("sampled")]
    for each in found:
        treadle, jax = each["treadle"], each["jax"]
        rows.append(
            f"| {each['library']} | {each['version']} | {jax.get('passed', 0)} | {treadle.get('passed', 0)} "
            f"| {each['both']} | {len(each['only_treadle'])} |"
        )
        for reason, count in why(each).items():
            reasons.append(f"| {each['library']} | {count} | {reason.replace('|', '/')} |")
    return f"""The tests that the source archives ship, run by `nox -s clients-suites` on JAX and under the hook. A test
counts against treadle where it passes on JAX and not on treadle.

| library | version | pass on JAX | pass on treadle | pass on both | fail on treadle only |
|---|---|---:|---:|---:|---:|
{chr(10).join(rows)}

{chr(10).join(left_out)}

| library | tests | why they fail |
|---|---:|---|
{chr(10).join(reasons)}

The archives of diffrax, equinox, jaxopt, jaxtyping, lineax and optimistix ship no tests."""


_THEIR_OWN: Final = "## Their own tests\n\n"


def renew_suites() -> None:
    """Rewrite the page's last section, about the libraries' own tests."""
    before, heading, _ = PAGE.read_text().partition(_THEIR_OWN)
    PAGE.write_text(f"{before}{heading}{_suites()}\n")


def write(results: list[Job], imported: list[Imports]) -> None:
    """Write the page."""
    rows = _rows(results, imported)
    PAGE.write_text(f"""# Libraries of JAX on treadle

Released wheels, unmodified, run by `python -m treadle_jax`; written by `python -m conformance.clients.run --write` with
jaxlib {releases.installed("jaxlib")} on the CPU. Every module that JAX can import is imported. Each library
has one job, a script of `conformance/clients/`; its results are compared with the results of the same script on JAX,
to {TOLERANCE:g} of their size ({len(LOOSE)} to more: `LOOSE` in `comparing.py` has the reasons). The releases are
pinned in [`requirements.txt`](../conformance/clients/requirements.txt); `nox -s clients-long` tries the newest ones.

{_HEAD}
{chr(10).join(rows)}

{_further()}

What this does not show: accelerators, on which this table has not been made.

Names that a library imports and treadle lacks raise an error when they are used: `treadle_jax/wanted.py` lists
them.

{_THEIR_OWN}{_suites()}
""")
