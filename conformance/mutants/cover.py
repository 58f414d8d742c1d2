"""Which tests to run for a fault: those that mirror its file, those that name it, and the laws of its family.

Recording which test runs which line would take a pass over all suites (20 minutes on two cores) for every commit.
Names say nearly the same at no cost, since tests mirror sources and files of a family have one basename everywhere:

1. the file or folder of tests that mirrors the source, or the folder around it;
2. the laws of `LAWS`, for the operations of the line or of the family;
3. the test files, of any package or of conformance, that name the functions of the source most often;
4. all tests of the package, if they take seconds or nothing else was found.

What these tests really run is seen while they run (`plugin.py`): a survivor whose line none of them reached is
reported as such.
"""

from __future__ import annotations

import ast
import functools
import re
from collections import Counter
from pathlib import Path
from typing import Final

from conformance.mutants.site import ROOT, Site

# Part of a path below `packages` -> laws that try each operation.
LAWS: Final = {
    r"autodiff/src/.*/rules/": [
        "conformance/test_jvp.py",
        "conformance/test_transpose.py",
        "conformance/derivatives/test_derivatives.py",
    ],
    r"batching/src/.*/rules/": ["conformance/test_batching.py", "conformance/test_keys.py"],
    r"compiler/src/.*/lowering/": [
        "conformance/test_lowering.py",
        "conformance/test_attributes.py",
        "conformance/test_wide_keys.py",
        "conformance/test_linear_algebra.py",
    ],
    r"ir/src/.*/(reference|primitives)/": [
        "conformance/test_reference.py",
        "conformance/test_types.py",
        "conformance/test_lowering.py",
    ],
    r"ir/src/.*/(formulas|rewrites|passes)": ["conformance/test_rewrites.py"],
}
# Folders whose tests compare with other libraries or take minutes: no part of this session.
_LEFT_OUT: Final = ("clients", "parity", "gpu", "peers", "mutants", "distributed", "kept")
_QUICK: Final = ("autodiff", "batching")  # packages
_WORDS: Final = ("not", "and", "or")  # operations that `-k` takes for its own
_MOST_OPERATIONS: Final = 40  # the laws take minutes for more
_MOST_NAMING: Final = 5  # files
_PRIMITIVES: Final = ROOT / "packages/ir/src/treadle_ir/primitives"

Step = tuple[str, ...]  # arguments of one run of pytest


def tests_of(site: Site) -> list[Step]:
    """The runs of pytest that may find a fault, the cheapest first."""
    source = ROOT / site.file
    text = source.read_text()
    line = text.splitlines()[site.line(text) - 1]
    steps: list[Step] = [(mirrored(source),)] if mirrored(source) else []
    for pattern, laws in LAWS.items():
        names = operations(source, line)
        if names and re.search(pattern, site.file):
            steps += [(law, "-k", " or ".join(names)) for law in laws]
    known = {path for step in steps for path in step}
    named = [path for path in naming(source) if not any(path.startswith(each) for each in known)]
    if named:
        folder = bool(steps) and not steps[0][0].endswith(".py")
        steps.insert(0 if folder else len(steps), tuple(named))
    if source.name == "__init__.py":
        steps.insert(0, ("conformance/test_public_names.py",))
    package = source.relative_to(ROOT).parts[1]
    if package in _QUICK or not steps:
        steps.append((f"packages/{package}/tests",))
    return steps


def mirrored(source: Path) -> str:
    """The tests that mirror a source file: its file, its folder, or what mirrors the folder around it."""
    parts = source.relative_to(ROOT).parts  # packages, p, src, module, ...
    tests = ROOT.joinpath(*parts[:2], "tests")
    inner = [*parts[4:-1], source.stem] if source.stem != "__init__" else [*parts[4:-1]]
    while inner:
        folder = tests.joinpath(*inner)
        file = folder.with_name(f"test_{inner[-1]}.py")
        for found in (file, folder):
            if found.exists():
                return str(found.relative_to(ROOT))
        inner.pop()
    return ""


@functools.cache
def _test_files() -> dict[str, Counter[str]]:
    """The words of every test file, counted."""
    paths = [*ROOT.glob("packages/*/tests/**/test_*.py"), *ROOT.glob("conformance/**/test_*.py")]
    found = {}
    for path in sorted(paths):
        name = str(path.relative_to(ROOT))
        if not any(f"conformance/{each}/" in name for each in _LEFT_OUT):
            found[name] = Counter(re.findall(r"\w+", path.read_text()))
    return found


def naming(source: Path) -> list[str]:
    """The test files that speak of a source file most: of its functions, or of the module."""
    words = public_names(source)
    scores: Counter[str] = Counter()
    files = _test_files()
    # A word that many files have says little about each.
    spread = {word: sum(word in counts for counts in files.values()) for word in words}
    own = source.relative_to(ROOT).parts[1]
    for name, counts in files.items():
        score = sum(min(counts[word], 5) / spread[word] for word in words if word in counts)
        if score:
            scores[name] = int(1000 * score * (2 if f"packages/{own}/" in name else 1))
    return [name for name, _ in scores.most_common(_MOST_NAMING)]


def public_names(source: Path) -> list[str]:
    """Return the public functions and classes that `source` defines by name, or the module's name if it has none."""
    tree = ast.parse(source.read_text())
    defined = [node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    return [name for name in defined if not name.startswith("_")] or [source.stem]


@functools.cache
def _families() -> dict[str, dict[str, str]]:
    """The operations (class -> name) by the stem or folder of the file that defines them."""
    found: dict[str, dict[str, str]] = {}
    pattern = r'^class (\w+)\(.*\n(?:(?!class ).*\n)*?    name: ClassVar\[str\] = "(\w+)"'
    for path in sorted(_PRIMITIVES.rglob("*.py")):
        names = dict(re.findall(pattern, path.read_text(), re.MULTILINE))
        for part in {path.stem, *path.relative_to(_PRIMITIVES).parts[:-1]}:
            found.setdefault(part, {}).update(names)
    return found


def operations(source: Path, line: str) -> list[str]:
    """Return the operations that `line` names; if it names none, all operations of the family of `source`.

    The family is found by the name of the file, or else of its folder. A large family counts as none.
    """
    for part in (source.stem, source.parent.name):
        family = _families().get(part)
        if family:
            named = [name for cls, name in family.items() if re.search(rf"\b{cls}\b", line)]
            found = named or [*family.values()]
            return [] if len(found) > _MOST_OPERATIONS else [x for x in found if x not in _WORDS]
    return []
