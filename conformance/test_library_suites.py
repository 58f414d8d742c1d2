"""The libraries' own tests: what is run of a long file, and what is stored of it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from conformance.clients.sampled import chosen
from conformance.clients.suites import SUITES, Suite, compared, joined, was_run

pytestmark = pytest.mark.programs

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parents[1]
LONG = "test/test_distributions.py"


def test_the_same_tests_are_chosen_on_both_sides() -> None:
    samples = {LONG: 4}
    ids = [f"{LONG}::test[<class 'jax.numpy.float{n}'>]" for n in range(100)]
    on_jax = [chosen(each, samples) for each in ids]
    on_treadle = [chosen(each.replace("jax", "treadle"), samples) for each in ids]
    assert on_jax == on_treadle
    assert 10 < sum(on_jax) < 40


def test_the_plugin_leaves_other_files_whole(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    tests = """
        import pytest

        @pytest.mark.parametrize("n", range(40))
        def test(n):
            pass
    """
    pytester.makepyfile(test_long=tests, test_short=tests)
    pytester.makeini(
        "[pytest]"
    )  # names of tests begin here, also where the folder is within this repository
    sampled = sum(chosen(f"test_long.py::test[{n}]", {"test_long.py": 8}) for n in range(40))
    plugin = ["-p", "conformance.clients.sampled", "-p", "no:cacheprovider"]
    # A process of its own: this suite's plugins and whatever its other tests leave are none of the libraries'.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path]))
    result = pytester.runpytest_subprocess(*plugin, "--sample", "test_long.py=8")
    result.assert_outcomes(passed=40 + sampled, deselected=40 - sampled)
    assert 0 < sampled < 40


def test_a_sample_is_stored_with_what_it_is_of() -> None:
    suite = SUITES["numpyro"].of([LONG])
    assert suite == Suite((), sampled={LONG: SUITES["numpyro"].sampled[LONG]})
    tests = {f"test.test_distributions.test[{n}]": ("passed", "") for n in range(3)}
    part = compared("numpyro", suite, tests, tests)
    assert part["sampled"] == {LONG: {"each": suite.sampled[LONG], "tests": 3}}
    whole = {**part, "sampled": {}}
    assert not was_run("numpyro", LONG, whole)
    assert was_run("numpyro", LONG, joined(whole, [LONG], part))
