from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle_numpy as tnp
from treadle_ir import ArgumentError, ReferenceEvaluator, UnsupportedError, evaluating


class OnGpu:
    def __dlpack__(self, **_: Any) -> None:
        raise AssertionError("the device is asked first")

    def __dlpack_device__(self) -> tuple[int, int]:
        return (2, 0)


def test_from_dlpack_shares_the_memory() -> None:
    theirs = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.shares_memory(np.asarray(tnp.from_dlpack(theirs)), theirs)
    assert not np.shares_memory(np.asarray(tnp.from_dlpack(theirs, copy=True)), theirs)
    np.testing.assert_array_equal(tnp.from_dlpack(theirs.T), theirs.T)


def test_from_dlpack_narrows_to_the_width_in_force() -> None:
    assert tnp.from_dlpack(np.arange(3, dtype=np.int64)).dtype == np.int32
    with pytest.raises(ArgumentError, match="a copy is needed to convert elements from int64"):
        tnp.from_dlpack(np.arange(3, dtype=np.int64), copy=False)


@pytest.mark.parametrize("value", [[1, 2], 3.0, None])
def test_from_dlpack_refuses_what_is_no_array(value: Any) -> None:
    with pytest.raises(ArgumentError, match="no `__dlpack__`"):
        tnp.from_dlpack(value)


class WithGpu:
    """Evaluates as the reference does, and finds what `OnGpu` has on its device."""

    def __init__(self, elements: Any) -> None:
        self.elements = elements
        self.asked: list[tuple[object, int, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(ReferenceEvaluator(), name)

    def adopted(self, x: object, kind: int, number: int) -> Any:
        self.asked.append((x, kind, number))
        return self.elements


def test_arrays_of_other_devices_are_the_evaluator_s_to_adopt() -> None:
    evaluator, theirs = WithGpu(np.arange(3, dtype=np.int64)), OnGpu()
    with evaluating(evaluator):
        assert tnp.from_dlpack(theirs).dtype == np.int32
        assert tnp.asarray(theirs, np.float32).tolist() == [0.0, 1.0, 2.0]
        assert not np.shares_memory(np.asarray(tnp.array(theirs)), evaluator.elements)
        with pytest.raises(ArgumentError, match="a copy is needed to convert elements from int64"):
            tnp.from_dlpack(theirs, copy=False)
    assert evaluator.asked == [(theirs, 2, 0)] * 4


def test_from_dlpack_refuses_other_devices_and_elements() -> None:
    reference = evaluating(ReferenceEvaluator())
    with reference, pytest.raises(UnsupportedError, match="DLPack's kind 2"):
        tnp.from_dlpack(OnGpu())
    with pytest.raises(ArgumentError, match="cannot be exchanged"):
        tnp.from_dlpack(np.array(["text"]))
    with pytest.raises(ArgumentError, match="copy"):
        tnp.from_dlpack(np.arange(3), copy="no")  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [tnp.array, tnp.copy])
def test_orders_of_other_memory_are_refused(function: Any) -> None:
    assert function([1, 2], order="C").shape == (2,)
    with pytest.raises(ArgumentError, match=f"{function.__name__}: order is 'F'"):
        function([1, 2], order="F")
