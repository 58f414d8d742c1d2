"""A composed function that is run as a whole gives what its operations give one by one, to the last bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
from conformance.functions import is_composed
from conformance.hostile.calls import Call, calls
from treadle_ir.tracing import ROOT

pytestmark = pytest.mark.installed

COMPOSED = [call for call in calls() if is_composed(call.function, loops=False)]
LOOPS = [call for call in calls() if is_composed(call.function, loops=True)]


def bare(call: Call) -> Any:
    """The function itself, on the same arguments; the functions that it calls are composed as ever."""
    args, kwargs = call.arguments()
    wrapped: Any = call.function.__wrapped__  # type: ignore[attr-defined]  # by functools.wraps
    owner = getattr(call.function, "__self__", None)
    return wrapped(*args, **kwargs) if owner is None else wrapped(owner, *args, **kwargs)


def leaves(tree: Any) -> list[np.ndarray[Any, Any]]:
    """The elements of every array of a result."""
    return [np.asarray(leaf) for leaf in treadle.tree.leaves(tree)]


@pytest.mark.skipif(treadle.default_backend() != "cpu", reason="on a device all is compiled")
@pytest.mark.parametrize("call", COMPOSED, ids=[call.name for call in COMPOSED])
def test_a_whole_is_its_operations(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first calls, which meet the arguments, and warm ones."""
    with monkeypatch.context() as patch:
        # Operation by operation, all the way down: no plan of this or of what it calls.
        patch.setattr(
            ROOT.evaluator,
            "call",
            lambda function, args, kwargs, loops=False: function(*args, **kwargs),
        )
        expected = bare(call)
    for _ in range(4):
        args, kwargs = call.arguments()
        found = call.function(*args, **kwargs)
        assert treadle.tree.structure(found) == treadle.tree.structure(expected)
        for one, other in zip(leaves(found), leaves(expected), strict=True):
            np.testing.assert_array_equal(one, other, strict=True)
        for one, other in zip(
            treadle.tree.leaves(found), treadle.tree.leaves(expected), strict=True
        ):
            assert type(one) is type(other)
            if isinstance(one, treadle.Array):
                assert treadle.typeof(one) == treadle.typeof(other)


@pytest.mark.skipif(treadle.default_backend() != "cpu", reason="on a device all is compiled")
@pytest.mark.parametrize("call", LOOPS, ids=[call.name for call in LOOPS])
def test_a_function_with_a_loop_is_compiled_as_a_whole(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first call on, so that all calls give the same; up to rounding what its operations give."""
    with monkeypatch.context() as patch:
        patch.setattr(
            ROOT.evaluator,
            "call",
            lambda function, args, kwargs, loops=False: function(*args, **kwargs),
        )
        expected = leaves(bare(call))
    args, kwargs = call.arguments()
    first = leaves(call.function(*args, **kwargs))
    for one, other in zip(first, expected, strict=True):
        assert (one.shape, one.dtype) == (other.shape, other.dtype)
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)
    for _ in range(2):
        args, kwargs = call.arguments()
        for one, other in zip(leaves(call.function(*args, **kwargs)), first, strict=True):
            np.testing.assert_array_equal(one, other, strict=True)


def test_there_are_composed_functions() -> None:
    """The laws above run on many functions."""
    assert len(COMPOSED) > 100
    assert len(LOOPS) > 10
