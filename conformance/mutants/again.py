"""Find stored faults again after their files were edited or moved.

A place in a file is right until a line above it changes. A fault is identified by its package, its operator, the
function around it, the text of the changed line, and the number of equal lines above that line in the function.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from conformance.mutants import named
from conformance.mutants.operators import sites
from conformance.mutants.run import Outcome
from conformance.mutants.site import ROOT, Site

_Key = tuple[str, str, str, int]  # operator, function, change, occurrence


def found_again(outcomes: Iterable[Outcome], root: Path = ROOT) -> list[Outcome]:
    """Return the outcomes with the places where their faults are now; one whose line is gone keeps its place."""
    found = []
    for each in outcomes:
        if not is_in_place(each, root):
            site = next(_places(each, root), each.site)
            each = replace(each, site=site)
        found.append(each)
    return found


def is_in_place(outcome: Outcome, root: Path = ROOT) -> bool:
    """Return whether the file of an outcome has the changed line at the place of its fault."""
    site, path = outcome.site, root / outcome.site.file
    if not path.exists():
        return False
    text = path.read_text()
    return text[site.start : site.end] == site.old and site.change(text) == outcome.change


def _places(outcome: Outcome, root: Path) -> Iterator[Site]:
    """Yield the places of the fault of an outcome: in its file, in files of the same name, in the others."""
    old = Path(outcome.site.file)
    before = outcome.change.partition(" => ")[0]
    files = sorted(root.glob(f"packages/{outcome.site.package}/src/**/*.py"))
    names = [path.relative_to(root) for path in files if before in path.read_text()]
    for name in sorted(names, key=lambda name: (name != old, name.name != old.name)):
        text = (root / name).read_text()
        site = _keys(str(name), text).get(_key(outcome))
        if site is not None:
            yield site


def _key(outcome: Outcome) -> _Key:
    return outcome.site.operator, outcome.function, outcome.change, outcome.occurrence


@functools.lru_cache(64)
def _keys(file: str, text: str) -> dict[_Key, Site]:
    """Return all faults that can be put into a file, those chosen by hand among them."""
    chosen = [f.site() for f in named.FAULTS if f"packages/{f.file}" == file]
    return {
        (site.operator, site.function(text), site.change(text), site.occurrence(text)): site
        for site in [*chosen, *sites(file, text)]
    }
