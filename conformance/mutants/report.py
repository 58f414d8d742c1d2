"""The results as a committed file, and the rates that docs/laws.md shows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from conformance.mutants.again import found_again
from conformance.mutants.known import KNOWN
from conformance.mutants.run import BUDGET, Outcome
from conformance.mutants.site import ROOT, Site

RESULTS: Final = ROOT / "conformance/results/mutants.json"
VERDICTS: Final = ("killed", "survived", "equivalent", "undecided")


def as_json(outcome: Outcome) -> dict[str, Any]:
    """An outcome as it is stored."""
    return asdict(outcome)


def read(path: Path = RESULTS) -> tuple[dict[str, Any], list[Outcome]]:
    """Return the stored results: what was run, and the outcomes, with the places where the faults are now."""
    if not path.exists():
        return {}, []
    stored = json.loads(path.read_text())
    outcomes = []
    for each in stored.pop("outcomes"):
        stored_site = each.pop("site")
        lines = tuple(stored_site.pop("lines"))
        outcomes.append(Outcome(Site(**stored_site, lines=lines), **each))
    return stored, found_again(outcomes)


def write(path: Path, about: dict[str, Any], outcomes: Sequence[Outcome]) -> None:
    """Store results, one outcome a line."""
    lines = ",\n".join(json.dumps(as_json(each)) for each in outcomes)
    head = json.dumps(about, indent=1).removesuffix("\n}")
    path.write_text(f'{head},\n "outcomes": [\n{lines}\n]}}\n')


def verdict(outcome: Outcome) -> str:
    """The verdict, with survivors that change no result told apart."""
    reason = KNOWN.get((outcome.site.package, outcome.change), "")
    if outcome.verdict != "killed" and reason.startswith("equivalent"):
        return "equivalent"
    return outcome.verdict


def rates(outcomes: Iterable[Outcome], key: Callable[[Outcome], str]) -> list[list[str]]:
    """Return rows of counts, grouped by `key`: the name, the number of faults, each verdict, and the kill rate.

    Equivalent faults do not count in the rate.
    """
    counts: dict[str, Counter[str]] = {}
    for each in outcomes:
        for name in (key(each), "all"):
            counts.setdefault(name, Counter())[verdict(each)] += 1
    rows = []
    for name in [*sorted(name for name in counts if name != "all"), *(["all"] if counts else [])]:
        count = counts[name]
        of = count.total() - count["equivalent"]
        rate = f"{100 * count['killed'] // of} %" if of else ""
        row = [name, str(count.total()), *(str(count[each]) for each in VERDICTS), rate]
        rows.append(row)
    return rows


def page() -> list[str]:
    """The section of docs/laws.md."""
    about, outcomes = read()
    if not outcomes:
        return []
    drawn = [each for each in outcomes if each.site.operator != "named"]
    named = [each for each in outcomes if each.site.operator == "named"]
    killed = sum(verdict(each) == "killed" for each in named)
    equivalent = sum(verdict(each) == "equivalent" for each in named)
    head = "| | faults | killed | survived | equivalent | undecided | rate |"
    rule = "|---|---:|---:|---:|---:|---:|---:|"
    return [
        "",
        "## Injected faults",
        "",
        "`nox -s mutants` puts single faults into the sources and runs the tests that mirror, name or try what",
        f"is changed. {about['date']}, seed {about['seed']}: {len(drawn)} faults, drawn alike from every operator of",
        "every package. *Equivalent* ones change no result (`conformance/mutants/known.py` says why),",
        f"*undecided* ones outlived what fitted into {BUDGET:g} seconds and count as not killed.",
        f"Of {len(named)} faults chosen by hand {killed} are killed, {equivalent} are equivalent.",
        "What survived at first and has a test now counts as killed.",
        "",
        *(head, rule),
        *(f"| {' | '.join(row)} |" for row in rates(drawn, lambda each: each.site.package)),
        "",
        *(head, rule),
        *(f"| {' | '.join(row)} |" for row in rates(drawn, lambda each: each.site.operator)),
    ]
