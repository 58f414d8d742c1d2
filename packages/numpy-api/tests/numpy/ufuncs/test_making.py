"""Functions that `making` makes carry examples, which doctest does not find: it looks in the module of a function."""

from __future__ import annotations

import doctest
from types import FunctionType

import numpy as np
import pytest

import treadle_numpy.numpy as tnp
from treadle_numpy.numpy.ufuncs import making

MADE = {
    name: getattr(tnp, name)
    for name in dir(tnp)
    if isinstance(getattr(tnp, name), FunctionType)
    and getattr(tnp, name).__globals__ is vars(making)
}


def test_there_are_such_functions() -> None:
    assert {"sin", "floor", "equal", "true_divide"} <= MADE.keys()


@pytest.mark.parametrize("name", MADE)
def test_examples_hold(name: str) -> None:
    examples = doctest.DocTestFinder().find(
        MADE[name], name, module=False, globs={"np": np, **vars(tnp)}
    )
    assert sum(len(each.examples) for each in examples) > 0, "it has no example"
    for each in examples:
        failed = doctest.DocTestRunner().run(each).failed
        assert not failed
