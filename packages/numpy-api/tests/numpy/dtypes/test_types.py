"""The classes of element types: they can be derived from, and pickled."""

from __future__ import annotations

import pickle

import numpy as np

from treadle_numpy import numpy as tnp


def test_classes_of_element_types() -> None:
    class Step(tnp.int8):  # type: ignore[misc, valid-type]  # it is made by a call
        FIRST, LAST = 0, 2

    assert isinstance(tnp.float32, type)
    assert Step(Step.LAST).dtype == tnp.zeros(2, Step).dtype == np.dtype(Step) == np.int8
    assert not isinstance(tnp.int8(3), tnp.int8)
    assert Step == tnp.int8
    assert "Step" in repr(Step)


def test_element_types_are_pickled_by_name() -> None:
    for kind in (tnp.float32, tnp.bfloat16, tnp.bool_):
        assert pickle.loads(pickle.dumps(kind)) is kind
