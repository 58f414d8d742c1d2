import copy
import pickle
import threading

import numpy as np
import pytest

from treadle_ir import TOKEN, ArrayType, DTypeError
from treadle_ir.core import float0


def test_equal_types_are_one_object():
    assert ArrayType((2, 3), np.dtype("f4")) is ArrayType((2, 3), np.dtype("float32"))
    assert ArrayType((2,), np.dtype("f4")) is not ArrayType((2,), np.dtype("f4"), True)


def test_one_object_also_when_threads_race():
    made = []
    threads = [
        threading.Thread(
            target=lambda: made.extend(ArrayType((i, 77), np.dtype("f4")) for i in range(500))
        )
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(type) for type in made}) == 500


def test_copies_and_pickles_are_the_type():
    type = ArrayType((2, 3), np.dtype("i4"), True)
    assert pickle.loads(pickle.dumps(type)) is type
    assert copy.deepcopy(type) is type
    assert pickle.loads(pickle.dumps(TOKEN)) is TOKEN


def test_names():
    assert str(ArrayType((2, 3), np.dtype("f4"))) == "f32[2,3]"
    assert str(ArrayType((), np.dtype("f4"), True)) == "f32[]*"


def test_tangents():
    assert ArrayType((2,), np.dtype("f4")).tangent() == ArrayType((2,), np.dtype("f4"))
    assert ArrayType((2,), np.dtype("i4")).tangent() == ArrayType((2,), float0)


def test_immutable():
    with pytest.raises(AttributeError, match="immutable"):
        ArrayType((), np.dtype("f4")).shape = (1,)


def test_strings_have_no_type():
    with pytest.raises(DTypeError, match="not supported"):
        ArrayType((), np.dtype("U3"))
