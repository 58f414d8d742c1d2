"""Which faults are tried: the same number from each package and each operator, drawn from a seed."""

from __future__ import annotations

import random
from collections import defaultdict

from conformance.mutants.operators import sites
from conformance.mutants.site import ROOT, Site


def sources() -> list[str]:
    """The source files of all packages."""
    found = [str(path.relative_to(ROOT)) for path in ROOT.glob("packages/*/src/**/*.py")]
    return sorted(path for path in found if not path.endswith("_version.py"))


def drawn(count: int, seed: int, package: str = "") -> list[Site]:
    """Draw sites: round after round one from each operator of each package (or of one package)."""
    cells: dict[tuple[str, str], list[Site]] = defaultdict(list)
    for file in sources():
        if package and not file.startswith(f"packages/{package}/"):
            continue
        for site in sites(file, (ROOT / file).read_text()):
            cells[site.package, site.operator].append(site)
    generator = random.Random(seed)
    order = sorted(cells)
    for key in order:
        generator.shuffle(cells[key])
    generator.shuffle(order)
    found: list[Site] = []
    while len(found) < count and any(cells.values()):
        for key in order:
            if cells[key] and len(found) < count:
                found.append(cells[key].pop())
    return found
