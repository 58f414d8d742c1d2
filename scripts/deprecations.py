"""Check that nothing deprecated outlives its promise, nor is removed too early to have been promised.

Reads each call of `treadle_ir.errors.deprecated` and `warn_deprecated` in the sources of the packages. It fails where
the version of a distribution has reached `until`: then what is deprecated has to go. It fails, too, where `since` is a
release to come, and where `until` is less than two minor releases after `since` (docs/versions.md).

`scripts/deprecations.py` prints what is wrong; `--list` prints all that is deprecated.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NAMES = {"deprecated", "warn_deprecated"}
Version = tuple[int, ...]


@dataclass(frozen=True)
class Deprecation:
    """A call in `file` at `line`, and its three arguments; None where one is not a string in the source."""

    file: str
    line: int
    since: str | None
    until: str | None
    instead: str | None


def version(text: str) -> Version:
    """Return `(0, 4, 0)` for `0.4`."""
    numbers = [int(each) for each in text.split(".")]
    return (*numbers, *[0] * (3 - len(numbers)))


def deprecations(root: Path) -> Iterator[tuple[Deprecation, Version]]:
    """Yield each deprecation in the packages of `root`, with the version of its distribution."""
    for folder in sorted(root.glob("packages/*/src/treadle*")):
        if not (folder / "_version.py").exists():  # stubs
            continue
        text = (folder / "_version.py").read_text()
        (own,) = re.findall(r'__version__ = "([\d.]+)"', text)
        for file in sorted(folder.rglob("*.py")):
            source = file.read_text()
            if "deprecated(" in source:
                for found in calls(source, str(file.relative_to(root))):
                    yield found, version(own)


def calls(source: str, file: str) -> Iterator[Deprecation]:
    """Yield the deprecations in the text of one file, except for calls that forward their own arguments."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or ast.unparse(node.func).split(".")[-1] not in NAMES:
            continue
        given = {each.arg: each.value for each in node.keywords}
        if isinstance(given.get("since"), ast.Name):  # inside of the decorator
            continue
        texts = {
            name: value.value
            for name, value in given.items()
            if isinstance(value, ast.Constant) and isinstance(value.value, str)
        }
        yield Deprecation(
            file, node.lineno, texts.get("since"), texts.get("until"), texts.get("instead")
        )


def problem(found: Deprecation, own: Version) -> str | None:
    """Return what is wrong with a deprecation in a distribution of version `own`, or None."""
    if found.since is None or found.until is None or found.instead is None:
        return "write `since`, `until` and `instead` as strings, for this script to read"
    since, until = version(found.since), version(found.until)
    if own >= until:
        return f"deprecated until {found.until}, which this version has reached: remove it"
    if since > own:
        return f"deprecated since {found.since}, which is not this version yet"
    if since[0] == until[0] and until[1] - since[1] < 2:
        return f"{found.until} is less than two minor releases after {found.since}"
    return None


def problems(root: Path) -> list[str]:
    """Return a sentence for each deprecation in `root` that is against the policy."""
    checked = [(found, problem(found, own)) for found, own in deprecations(root)]
    return [f"{found.file}:{found.line}: {said}" for found, said in checked if said is not None]


def main(arguments: list[str]) -> int:
    """Print what is wrong, or everything that is deprecated."""
    every = [found for found, _ in deprecations(ROOT)]
    if arguments == ["--list"]:
        for found in every:
            print(f"{found.file}:{found.line}: until {found.until}; {found.instead}")
        return 0
    found_problems = problems(ROOT)
    print("\n".join(found_problems) or f"deprecations: {len(every)}, none overdue")
    return 1 if found_problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
