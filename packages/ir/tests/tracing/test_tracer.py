import weakref

import numpy as np
import pytest

from treadle_ir import Array, ArrayType, errors, ops, stage
from treadle_ir.errors import ConcretizationError

SCALAR = ArrayType((), np.dtype("f4"))


def mistake(function, error):
    with pytest.raises(error) as raised:
        stage(lambda x: [function(ops.sine(x)), x][1:], SCALAR)
    assert isinstance(raised.value, TypeError)
    return raised.value


@pytest.mark.parametrize(
    ("function", "error"),
    [
        (bool, errors.TracerBoolConversionError),
        (lambda x: 1 if x > 0 else 2, errors.TracerBoolConversionError),
        (int, ConcretizationError),
        (float, ConcretizationError),
        (complex, ConcretizationError),
        (range, errors.TracerIntegerConversionError),
        (np.asarray, errors.TracerArrayConversionError),
        (np.sin, errors.TracerArrayConversionError),
        (lambda x: x.item(), ConcretizationError),
        (lambda x: x.tolist(), ConcretizationError),
    ],
)
def test_what_python_may_not_ask(function, error):
    raised = mistake(function, error)
    notes = "\n".join(raised.__notes__)
    assert "test_tracer.py" in notes
    assert "fix:" in notes


def test_shapes_and_types_are_ordinary_values():
    def function(x):
        assert (x.shape, x.dtype, x.ndim, x.size) == ((), np.float32, 0, 1)
        assert str(x) == "Traced<ShapedArray(float32[])>"
        return [x]

    stage(function, SCALAR)


def test_tracers_have_no_hash():
    assert "unhashable" in str(mistake(hash, TypeError))


def test_tracers_can_be_referred_to_weakly():
    found = []
    stage(lambda x: [found.append(weakref.ref(x)() is x), x][1:], SCALAR)
    assert found == [True]


@pytest.mark.parametrize(
    "name", ["sharding", "devices", "addressable_shards", "delete", "is_ready"]
)
def test_traced_arrays_say_why_they_are_on_no_device(name):
    def function(x):
        assert not hasattr(x, name)
        with pytest.raises(
            AttributeError, match=rf"f32\[\] has no '{name}'.*while a function is traced"
        ):
            getattr(x, name)
        return [x]

    stage(function, SCALAR)
    assert hasattr(Array, name)


def test_the_class_of_arrays_has_what_all_arrays_have():
    assert hasattr(Array, "item")
    with pytest.raises(ConcretizationError):
        stage(lambda x: [x.item()], SCALAR)
