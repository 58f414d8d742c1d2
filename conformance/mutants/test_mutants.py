"""The tool itself: operators change what code does, and a fault is reported as found or not found."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance.mutants import cover, named
from conformance.mutants.again import found_again, is_in_place
from conformance.mutants.draw import drawn
from conformance.mutants.known import KNOWN
from conformance.mutants.operators import OPERATORS, sites
from conformance.mutants.report import RESULTS, rates, read, write
from conformance.mutants.run import Outcome, Tree
from conformance.mutants.site import ROOT, Site

pytestmark = pytest.mark.programs

FILE = "packages/toy/src/toy.py"

# Operator -> a function `f`, and what `f(1)` gives before and after.
CHANGES = {
    "comparison": ("def f(x): return x < 1", False, True),
    "logic": ("def f(x): return x and 0", 0, 1),
    "sign": ("def f(x): return x + x", 2, 0),
    "off by one": ("def f(x): return x * 3", 3, 4),
    "axis": ("import numpy\ndef f(x): return numpy.zeros((3, x)).sum(axis=0).size", 1, 3),
    "dropped check": (
        "def f(x):\n    try:\n        if x:\n            raise ValueError\n    except ValueError:\n"
        "        return True\n    return x is None",
        True,
        False,
    ),
    "dropped lock": (
        "import threading\nlock = threading.Lock()\ndef f(x):\n    with lock:\n        return lock.locked()",
        True,
        False,
    ),
    "ignored flag": (
        "def g(x, flag: bool = False): return flag\ndef f(x): return g(x, x)",
        1,
        False,
    ),
    "wrong table entry": ("TABLE = {1: 'a', 2: 'b', 3: 'c'}\ndef f(x): return TABLE[x]", "a", "b"),
    "missing key part": ("def key(x): return x, 'part'\ndef f(x): return key(x)[0]", 1, None),
}


def result(text: str) -> object:
    """Return `f(1)` of the function `f` that `text` defines."""
    names: dict[str, object] = {}
    exec(text, names)
    return names["f"](1)  # type: ignore[operator]


def test_each_operator_is_tried() -> None:
    assert set(CHANGES) == set(OPERATORS)


@pytest.mark.parametrize("operator", CHANGES)
def test_an_operator_changes_one_place_and_what_it_does(operator: str) -> None:
    text, before, after = CHANGES[operator]
    site = next(each for each in sites(FILE, text) if each.operator == operator)
    changed = site.applied(text)
    assert changed[: site.start] == text[: site.start]
    assert changed.endswith(text[site.end :])
    assert (result(text), result(changed)) == (before, after)


@pytest.mark.parametrize(
    "text",
    [
        "raise ValueError('é', 1 + 2)",
        "def f(x: 'a' == 'b') -> 1 + 2: ...",
        "if TYPE_CHECKING:\n    x = 1 + 2",
        "'''1 + 2'''",
        "zip(x, y, strict=True)",
    ],
)
def test_texts_and_annotations_are_left_alone(text: str) -> None:
    assert sites(FILE, text) == []


def test_places_are_characters_not_bytes() -> None:
    (site,) = sites(FILE, "x = 'ééé', y + z")
    assert site.applied("x = 'ééé', y + z") == "x = 'ééé', y - z"


def test_a_fault_of_another_text_is_refused() -> None:
    (site,) = sites(FILE, "x + y")
    with pytest.raises(ValueError, match="has changed"):
        site.applied("x - y")


SOURCE = """def twice(x):
    return x + x

def unseen(x):
    return x + x

def endless(x):
    while x > 0:
        x = x - 1
"""
TESTS = "from toy import endless, twice\n\n\ndef test_twice():\n    endless(1)\n    assert twice(1) == 2\n"


@pytest.fixture
def toy(tmp_path: Path) -> Tree:
    """Make a package with one function that its test covers, and another that no test covers."""
    root = tmp_path / "root"
    for path, text in [
        (FILE, SOURCE),
        ("packages/toy/tests/test_toy.py", TESTS),
        ("pyproject.toml", "[tool.pytest.ini_options]\nmarkers = ['timing']\n"),
    ]:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    plugin = "conformance/mutants/plugin.py"
    (root / plugin).parent.mkdir(parents=True)
    (root / plugin).write_text((ROOT / plugin).read_text())
    return Tree(tmp_path / "copy", root)


def test_found_and_not_found(toy: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conformance.mutants.run.HANG", 3.0)
    tests = [("packages/toy/tests/test_toy.py",)]
    name = "packages/toy/tests/test_toy.py::test_twice"
    twice, unseen, endless = [each for each in sites(FILE, SOURCE) if each.operator == "sign"]
    found = [toy.tried(site, tests) for site in (twice, unseen, endless)]
    assert [(each.verdict, each.by) for each in found] == [
        ("killed", name),
        ("survived", ""),
        ("killed", f"{name} (hangs)"),
    ]
    assert (toy.folder / FILE).read_text() == SOURCE
    assert toy.failing([name]) == (set(), set())
    assert toy.tried(twice, tests, budget=0.0).verdict == "undecided"


def test_a_test_that_fails_anyway_has_found_nothing(toy: Tree) -> None:
    file = toy.folder / "packages/toy/tests/test_toy.py"
    file.write_text(TESTS.replace("== 2", "== 3"))
    name = "packages/toy/tests/test_toy.py::test_twice"
    assert toy.failing([name]) == ({name}, set())


def stored(text: str, nth: int) -> Outcome:
    """Return the outcome of one of the faults of `sign` in a text."""
    site = [each for each in sites(FILE, text) if each.operator == "sign"][nth]
    outcome = Outcome(site, "killed", change=site.change(text))
    outcome.function, outcome.occurrence = site.function(text), site.occurrence(text)
    return outcome


REPEATED = """def one(x):
    return x + x

class Two:
    def one(self, x):
        y = x + x
        y = x + x
        return y
"""


@pytest.mark.parametrize("moved", [FILE, "packages/toy/src/room/toy.py", "packages/toy/src/new.py"])
@pytest.mark.parametrize("nth", [0, 1, 2])
def test_faults_are_found_again_in_edited_and_moved_files(
    tmp_path: Path, nth: int, moved: str
) -> None:
    outcome = stored(REPEATED, nth)
    edited = "import this\n\n" + REPEATED.replace("return y", "return y + 1")
    (tmp_path / moved).parent.mkdir(parents=True)
    (tmp_path / moved).write_text(edited)
    # Another file of the package, which comes first, has a function of the same name.
    (tmp_path / FILE).with_name("a.py").parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / FILE).with_name("a.py").write_text("def one(x):\n    return 0\n")
    assert not is_in_place(outcome, tmp_path)
    (found,) = found_again([outcome], tmp_path)
    assert is_in_place(found, tmp_path)
    assert found.site.file == moved
    again = [each for each in sites(moved, edited) if each.operator == "sign"]
    assert found.site == again[nth]


def test_a_fault_whose_line_is_gone_is_not_found_again(tmp_path: Path) -> None:
    outcome = stored(REPEATED, 0)
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text(REPEATED.replace("return x + x", "return x + y"))
    assert found_again([outcome], tmp_path) == [outcome]
    assert not is_in_place(outcome, tmp_path)


def test_rates(tmp_path: Path) -> None:
    site = Site("sign", FILE, 0, 1, "+", "-", (1, 1))
    outcomes = [Outcome(site, verdict) for verdict in ("killed", "killed", "survived", "undecided")]
    assert rates(outcomes, lambda each: each.site.package) == [
        ["toy", "4", "2", "1", "0", "1", "50 %"],
        ["all", "4", "2", "1", "0", "1", "50 %"],
    ]
    write(tmp_path / "results.json", {"seed": 1}, outcomes)
    assert read(tmp_path / "results.json") == ({"seed": 1}, outcomes)


def test_draws_are_repeated_and_spread() -> None:
    first, again = drawn(12, 1, "batching"), drawn(12, 1, "batching")
    assert first == again != drawn(12, 2, "batching")
    assert {site.package for site in first} == {"batching"}
    assert len({site.operator for site in first}) > 5


@pytest.mark.parametrize("fault", named.FAULTS, ids=lambda fault: fault.about)
def test_faults_of_reviews_still_apply(fault: named.Fault) -> None:
    site = fault.site()
    compile(site.applied((ROOT / site.file).read_text()), site.file, "exec")
    for step in named.tests(fault):
        assert (ROOT / step[0]).exists()


def test_tests_are_found_by_name() -> None:
    rules = ROOT / "packages/batching/src/treadle_batching/rules/sort.py"
    assert (
        cover.mirrored(rules.with_name("indexing.py"))
        == "packages/batching/tests/rules/test_indexing.py"
    )
    assert cover.operations(rules, "@batch_rule(TopK)") == ["top_k"]
    assert set(cover.operations(rules, "")) == {"sort", "top_k"}


def test_reasons_are_about_survivors_in_the_stored_results() -> None:
    """Each reason is used: its fault is stored as a fault that no test found; and each such fault has one."""
    _, outcomes = read(RESULTS)
    assert set(KNOWN) == {
        (each.site.package, each.change) for each in outcomes if each.verdict != "killed"
    }
    assert not [reason for reason in KNOWN.values() if reason.startswith("open")]
