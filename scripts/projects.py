"""Check that the metadata of the nine distributions agree, so that a registry shows them as one project.

Authors, license, Pythons and classifiers are the same everywhere, and name the Pythons that `noxfile.py` tests. URLs
lead to the same repository, and `Source` and `Changelog` to the folder of the distribution. Keywords are sorted and
include the project's own. `treadle` forwards each extra for an accelerator of `treadle-runtime`, and
`CITATION.cff` names its version.

`scripts/projects.py` prints what differs.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REPOSITORY = "https://github.com/treadle/treadle"
KEYWORDS = {"array programming", "automatic differentiation", "XLA"}  # of every distribution
SAME = ("authors", "license", "readme", "requires-python", "classifiers")
Project = dict[str, Any]  # Any: what TOML can hold


def projects(root: Path) -> dict[str, Project]:
    """Return the table `project` of each distribution, by its folder's name."""
    files = sorted(root.glob("packages/*/pyproject.toml"))
    return {file.parent.name: tomllib.loads(file.read_text())["project"] for file in files}


def pythons(root: Path) -> list[str]:
    """Return the releases of Python that `noxfile.py` in `root` tests: `["3.11", "3.12"]`."""
    (line,) = re.findall(r"^PYTHONS = \[(.*)\]", (root / "noxfile.py").read_text(), re.MULTILINE)
    return re.findall(r'"([\d.]+)"', line)


def urls(folder: str) -> dict[str, str]:
    """Return the URLs that the distribution in `packages/<folder>` declares."""
    return {
        "Homepage": REPOSITORY,
        "Documentation": f"{REPOSITORY}/tree/main/docs",
        "Source": f"{REPOSITORY}/tree/main/packages/{folder}",
        "Changelog": f"{REPOSITORY}/blob/main/packages/{folder}/CHANGELOG.md",
        "Issues": f"{REPOSITORY}/issues",
    }


def problems(root: Path) -> list[str]:
    """Return what differs between the distributions in `root`, one sentence for each difference."""
    found = []
    every = projects(root)
    tested = pythons(root)
    first = next(iter(every))
    for folder, project in every.items():
        place = f"packages/{folder}/pyproject.toml"
        found += [
            f"{place}: `{key}` is not the same as in packages/{first}"
            for key in SAME
            if project.get(key) != every[first].get(key)
        ]
        for name, url in urls(folder).items():
            if project.get("urls", {}).get(name) != url:
                found.append(f'{place}: write `{name} = "{url}"` under [project.urls]')
        keywords = project.get("keywords", [])
        if keywords != sorted(keywords, key=str.lower):
            found.append(f"{place}: sort the keywords")
        if missing := sorted(KEYWORDS - {*keywords}):
            found.append(f"{place}: the keywords lack {', '.join(missing)}")
        named = re.findall(r"Python :: (3\.\d+)(?:\n|$)", "\n".join(project.get("classifiers", [])))
        if named != tested:
            found.append(f"{place}: the classifiers name Python {named}, noxfile.py tests {tested}")
        if project["requires-python"] != f">={tested[0]}":
            found.append(f"{place}: `requires-python` is not the oldest Python of noxfile.py")
    return found + unforwarded(every) + uncited(root)


def unforwarded(every: dict[str, Project]) -> list[str]:
    """Return a sentence for each extra of `treadle-runtime` that `treadle` does not forward under the same name."""
    inner = every["runtime"].get("optional-dependencies", {})
    outer = every["treadle"].get("optional-dependencies", {})
    return [
        f"packages/treadle/pyproject.toml: the extra `{extra}` does not ask for treadle-runtime[{extra}]"
        for extra in inner
        if not any(line.startswith(f"treadle-runtime[{extra}]") for line in outer.get(extra, []))
    ]


def uncited(root: Path) -> list[str]:
    """Return a sentence if CITATION.cff in `root` does not name the version of `treadle`."""
    text = (root / "packages/treadle/src/treadle/_version.py").read_text()
    (version,) = re.findall(r'__version__ = "(.*)"', text)
    if f"\nversion: {version}\n" in (root / "CITATION.cff").read_text():
        return []
    return [f"CITATION.cff: write `version: {version}`, the version of treadle"]


def main() -> int:
    """Print what differs."""
    found = problems(ROOT)
    print("\n".join(found) or "projects: nine distributions agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
