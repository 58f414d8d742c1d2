"""A pytest plugin that runs a sample of a long file's tests, the same ones on JAX and on treadle.

    python -m pytest -p conformance.clients.sampled --sample test/test_distributions.py=150 test

Of the files that `--sample` names, about one test in so many is run: those whose name has a CRC-32 that the number
divides. So what is in a sample depends on no order, no other test and no random number. Other files run whole.
"""

from __future__ import annotations

from zlib import crc32

import pytest


def one_name(test: str) -> str:
    """The name of a test, as it is on JAX: parameters are printed in names.

    >>> one_name("test_zeros[<class 'treadle.numpy.float32'>]")
    "test_zeros[<class 'jax.numpy.float32'>]"
    """
    return test.replace("<class 'treadle.", "<class 'jax.")


def chosen(test: str, samples: dict[str, int]) -> bool:
    """Return whether a test, named by pytest's id, is in the sample of its file.

    >>> [n for n in range(20) if chosen(f"a_test.py::test_{n}", {"a_test.py": 10})]
    [4, 5, 10]
    >>> chosen("b_test.py::test_1", {"a_test.py": 10})
    True
    """
    return crc32(one_name(test).encode()) % samples.get(test.partition("::")[0], 1) == 0


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--sample`."""
    parser.addoption("--sample", action="append", default=[], metavar="FILE=NUMBER")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that are in no sample."""
    pairs = [each.split("=") for each in config.getoption("sample")]
    samples = {file: int(number) for file, number in pairs}
    kept = [item for item in items if chosen(item.nodeid, samples)]
    left_out = [item for item in items if not chosen(item.nodeid, samples)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept
