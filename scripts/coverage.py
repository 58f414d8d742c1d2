"""Write `docs/coverage.md`: which of the names that users of JAX look for treadle has, and why it lacks the others.

`scripts/coverage.py --write docs/coverage.md` writes; `--check` compares. A name that is neither there nor has a
reason in `coverage_reasons.txt`, and a reason for a name that is there, are errors.
"""

from __future__ import annotations

import fnmatch
import importlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from expected import expected

import treadle
import treadle.numpy as tnp

TIERS = ("T1", "T2", "T3")
REASONS = Path(__file__).parent / "coverage_reasons.txt"


class Lacking(NamedTuple):
    """A name that treadle does not have."""

    namespace: str
    name: str
    tier: str


def owners() -> dict[str, object]:
    """Return the object with the members that sections named `... members` list."""
    x = tnp.ones((2, 2))
    doubled = treadle.jit(lambda x: 2 * x)
    lowered = doubled.lower(x)
    return {
        "Array": x,
        "Array.at[...]": x.at[0],
        "config": treadle.config,
        "custom_jvp": treadle.custom_jvp(lambda x: x),
        "custom_vjp": treadle.custom_vjp(lambda x: x),
        "jit(f)": doubled,
        "stages.Traced": doubled.trace(x),
        "stages.Lowered": lowered,
        "stages.Compiled": lowered.compile(),
    }


def owner(namespace: str, members: dict[str, object]) -> object:
    """Return the object that should have a namespace's names; None if it does not exist either."""
    if namespace.endswith(" members"):
        return members[namespace.removesuffix(" members")]
    try:
        return importlib.import_module(
            "treadle" if namespace == "treadle" else f"treadle.{namespace}"
        )
    except ModuleNotFoundError:
        return getattr(treadle, namespace, None)


def has(owner: object, name: str) -> bool:
    """Return whether there is such a name; an attribute that exists in order to refuse counts.

    So does an attribute of the class that this value lacks, such as attributes of arrays on a GPU.
    """
    try:
        return hasattr(owner, name) or hasattr(type(owner), name)
    except Exception:
        return True


def reasons() -> list[tuple[str, str, str]]:
    """Patterns of a namespace and of names with the reason why such names are lacking."""
    found, reason = [], ""
    for line in REASONS.read_text().splitlines():
        if line.startswith("# "):
            reason = line.removeprefix("# ")
        elif line:
            namespace, _, names = line.partition(": ")
            found += [(namespace, name, reason) for name in names.split()]
    return found


def report() -> tuple[str, list[str]]:
    """Return the page, and what is wrong with the reasons."""
    members = owners()
    have: Counter[tuple[str, str]] = Counter()
    total: Counter[tuple[str, str]] = Counter()
    lacking: list[Lacking] = []
    for namespace, names in expected().items():
        where = owner(namespace, members)
        for name, tier in names.items():
            total[namespace, tier] += 1
            if has(where, name):
                have[namespace, tier] += 1
            else:
                lacking.append(Lacking(namespace, name, tier))
    patterns = reasons()
    used = set()
    by_reason: dict[str, list[Lacking]] = {reason: [] for _, _, reason in patterns}
    wrong = []
    for each in lacking:
        for pattern in patterns:
            if fnmatch.fnmatchcase(each.namespace, pattern[0]) and fnmatch.fnmatchcase(
                each.name, pattern[1]
            ):
                by_reason[pattern[2]].append(each)
                used.add(pattern)
                break
        else:
            wrong.append(
                f"{each.namespace}.{each.name} ({each.tier}) is lacking, and no reason is given"
            )
    for namespace, name, _ in patterns:
        if not any(pattern[:2] == (namespace, name) for pattern in used):
            wrong.append(f"{REASONS.name}: nothing is lacking that fits {namespace}: {name}")
    return "\n".join(page(have, total, by_reason)) + "\n", wrong


def page(
    have: Counter[tuple[str, str]],
    total: Counter[tuple[str, str]],
    by_reason: dict[str, list[Lacking]],
) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# Which public names there are"
    yield ""
    yield "The names that users of JAX look for, by tier: T1 every user needs, T2 serious users expect, T3 is"
    yield "specialised. A name counts as present when it is there and works; what it does is for the tests."
    yield "A member counts by its class: `__cuda_array_interface__` is there, though an array on the CPU refuses it."
    yield "Written by `scripts/coverage.py`."
    yield ""
    yield "| tier | present | of | |"
    yield "|---|---:|---:|---:|"
    for tier in TIERS:
        there = sum(n for (_, t), n in have.items() if t == tier)
        of = sum(n for (_, t), n in total.items() if t == tier)
        yield f"| {tier} | {there} | {of} | {100 * there / of:.1f} % |"
    yield ""
    yield "## By namespace"
    yield ""
    yield "| namespace | T1 | T2 | T3 |"
    yield "|---|---:|---:|---:|"
    for namespace in dict.fromkeys(namespace for namespace, _ in total):
        cells = [
            f"{have[namespace, tier]} of {total[namespace, tier]}" if total[namespace, tier] else ""
            for tier in TIERS
        ]
        yield f"| {namespace} | {' | '.join(cells)} |"
    yield ""
    yield "## What is lacking, and why"
    for reason, names in by_reason.items():
        yield ""
        yield f"### {reason}"
        yield ""
        for namespace in dict.fromkeys(each.namespace for each in names):
            listed = ", ".join(
                f"`{each.name}` ({each.tier})" for each in names if each.namespace == namespace
            )
            yield f"- {namespace}: {listed}"


def main(arguments: list[str]) -> int:
    """Write the page, or say what is wrong with it."""
    text, wrong = report()
    mode, path = arguments
    if mode == "--write":
        Path(path).write_text(text)
    elif Path(path).read_text() != text:
        wrong.append(f"{path} is not up to date: scripts/coverage.py --write {path}")
    print("\n".join(wrong) or "coverage: every name is there or has a reason")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
