"""Check that each package declares siblings that are new enough for the names it takes from them.

`packages/<p>/since.txt` says for each name that other packages take from p in which release it came: `0.1.0
treadle_ir.bind`. A package that takes it has to declare at least that release. A name that is not recorded is new:
`scripts/siblings.py --write` records it with the release that will bring it, which is the version of the tree while
that is unreleased, and the next one after. Names that changed what they mean under the same name are not seen: raise
the bound by hand, as `nox -s oldest` will tell.

`scripts/siblings.py` compares.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
Version = tuple[int, ...]


def version(text: str) -> Version:
    """`0.1` is the same as `0.1.0`."""
    numbers = [int(each) for each in text.split(".")]
    return (*numbers, *[0] * (3 - len(numbers)))


def text_of(numbers: Version) -> str:
    """`0.1.0`."""
    return ".".join(map(str, numbers))


def sources(root: Path) -> dict[str, Path]:
    """Return the folder of each import package's distribution, by the package's name."""
    found = sorted(root.glob("packages/*/src/treadle*/__init__.py"))
    return {path.parent.name: path.parents[2] for path in found}


def taken(file: Path, packages: set[str]) -> Iterator[str]:
    """Yield the full names that a file takes from some packages: `treadle_ir.tree.tree_map`."""
    tree = ast.parse(file.read_text())
    modules: dict[str, str] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                for alias in node.names:
                    if alias.name.partition(".")[0] in packages:
                        modules[alias.asname or alias.name.partition(".")[0]] = (
                            alias.name if alias.asname else alias.name.partition(".")[0]
                        )
            case ast.ImportFrom(module=str(module), level=0) if (
                module.partition(".")[0] in packages
            ):
                for alias in node.names:
                    if alias.name == "*":  # what the installed release offers, whatever that is
                        continue
                    yield f"{module}.{alias.name}"
                    modules[alias.asname or alias.name] = f"{module}.{alias.name}"
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name in modules:
                if modules[name].rpartition(".")[2] == modules[name].rpartition(".")[2].lower():
                    yield f"{modules[name]}.{attribute}"


def needs(root: Path) -> dict[str, dict[str, set[str]]]:
    """Return the full names that each package imports from each sibling."""
    folders = sources(root)
    found: dict[str, dict[str, set[str]]] = {name: {} for name in folders}
    for name, folder in folders.items():
        others = {*folders} - {name}
        for file in sorted((folder / "src" / name).rglob("*.py")):
            for each in taken(file, others):
                found[name].setdefault(each.partition(".")[0], set()).add(each)
    return found


def bounds(folder: Path) -> dict[str, Version]:
    """Return the least release of each sibling that a package declares, by import name; for an extra, too."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    extras = project.get("optional-dependencies", {}).values()
    found = {}
    for line in [*project["dependencies"], *[line for extra in extras for line in extra]]:
        match = re.match(r"(treadle[\w-]*)(?:\[[\w,-]+\])?>=([\d.]+)", line)
        if match:
            found[match[1].replace("-", "_")] = version(match[2])
    return found


def recorded(folder: Path) -> dict[str, Version]:
    """Return the release in which each name came."""
    file = folder / "since.txt"
    lines = file.read_text().splitlines() if file.exists() else []
    return {name: version(since) for since, name in [line.split() for line in lines]}


def coming(folder: Path, package: str) -> Version:
    """Return the release that brings what is new in the tree: its version, or the one after if that is released."""
    text = (folder / "src" / package / "_version.py").read_text()
    (found,) = re.findall(r'__version__ = "([\d.]+)"', text)
    here = version(found)
    if f"## [{found}] - unreleased" in (folder / "CHANGELOG.md").read_text():
        return here
    return (*here[:-1], here[-1] + 1)


def problems(root: Path) -> list[str]:
    """Return the names that packages import from siblings that may lack them."""
    folders = sources(root)
    records = {name: recorded(folder) for name, folder in folders.items()}
    found = []
    for name, siblings in needs(root).items():
        declared = bounds(folders[name])
        for sibling, names in siblings.items():
            if sibling not in declared:
                found.append(f"{name} takes names from {sibling} and does not declare it")
                continue
            for each in sorted(names):
                since = records[sibling].get(each)
                if since is None:
                    found.append(f"{each} is not recorded: scripts/siblings.py --write")
                elif since > declared[sibling]:
                    found.append(
                        f"{name} takes {each}, which came in {text_of(since)}, and declares "
                        f"{sibling}>={text_of(declared[sibling])}: raise the bound in its pyproject.toml"
                    )
    return found


def write(root: Path) -> None:
    """Record the names that are new, and drop the names that are not imported any more."""
    folders = sources(root)
    wanted: dict[str, set[str]] = {name: set() for name in folders}
    for siblings in needs(root).values():
        for sibling, names in siblings.items():
            wanted[sibling] |= names
    for name, folder in folders.items():
        if not wanted[name]:
            continue
        known, new = recorded(folder), coming(folder, name)
        lines = [f"{text_of(known.get(each, new))} {each}\n" for each in sorted(wanted[name])]
        (folder / "since.txt").write_text("".join(lines))


def main(arguments: list[str]) -> int:
    """Write the records, or print what is wrong."""
    if arguments == ["--write"]:
        write(ROOT)
    found = problems(ROOT)
    print("\n".join(found) or "siblings: new enough")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
