from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArgumentError, ArrayType, DTypeError
from treadle_ir.core.dtypes import KEY
from treadle_ir.errors import DonatedError
from treadle_runtime import DeviceArray, SingleDeviceSharding, devices, from_host, jit
from treadle_runtime.arrays.array import Elements, buffer_of, elements_of

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def array(*values: float, dtype: str = "f4") -> DeviceArray:
    return from_host(np.array(values, dtype))


def compiled(x: DeviceArray) -> DeviceArray:
    """The same elements, in a device buffer and nowhere else."""
    y: DeviceArray = jit(lambda x: ops.add(x, np.zeros((), x.dtype)[()]))(x)
    assert y.host is None
    return y


def test_has_type_shape_and_elements() -> None:
    x = from_host(np.ones((2, 3), "f4"))
    assert x.type is ArrayType((2, 3), np.dtype("f4"))
    assert (x.shape, x.ndim, x.size, x.nbytes, len(x)) == ((2, 3), 2, 6, 24, 2)
    np.testing.assert_array_equal(np.asarray(x), np.ones((2, 3), "f4"))


@pytest.mark.parametrize("dtype", ["bool", "i1", "i4", "u8", "f2", "f4", "f8", "c8", "bfloat16"])
def test_elements_come_back_from_the_device(dtype: str) -> None:
    wanted = np.dtype(ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype)
    values = np.array([0, 1, 1], wanted)
    x = from_host(values)
    y = DeviceArray(x.placed, None, buffer_of(x))
    np.testing.assert_array_equal(np.asarray(y), values)
    assert np.asarray(y).dtype == wanted


def test_views_for_numpy_are_read_only() -> None:
    for x in (array(1, 2), compiled(array(1, 2))):
        view: Elements = np.asarray(x)
        with pytest.raises(ValueError, match="read-only"):
            view[0] = 5
        assert x.tolist() == [1, 2]


def test_views_for_numpy_cannot_be_made_writable() -> None:
    """NumPy allows it where an array below the view is writable, and then the array would change."""
    made = [array(1, 2), compiled(array(1, 2)), from_host(np.ones((3, 4)).T)]
    made.append(from_host(np.arange(12.0)[2:8].reshape(2, 3)[:, ::-1]))
    for x in made:
        before = x.tolist()
        view: Elements = np.asarray(x)
        for each in (view, view.view(), view[:1], view.T, np.asarray(x, view.dtype)):
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                each.setflags(write=True)
            with pytest.raises(ValueError, match="cannot set WRITEABLE flag"):
                each.flags.writeable = True
        assert x.tolist() == before
        own: Elements = np.array(x)  # a copy is its receiver's
        own[...] = 9
        assert x.tolist() == before


def test_copy_semantics_of_dunder_array() -> None:
    x = array(1, 2)
    assert np.shares_memory(np.asarray(x), np.asarray(x))
    own: Elements = np.array(x)
    own[0] = 7
    assert x.tolist() == [1, 2]
    assert np.asarray(x, "f8").dtype == np.float64
    with pytest.raises(ValueError, match="copy"):
        np.asarray(x, "f8", copy=False)


def test_elements_do_not_change_when_a_kernel_returned_a_view() -> None:
    x = array(1, 2, 3, 4)
    y = ops.reshape(x, shape=(2, 2))
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(y)[0, 0] = 9
    assert x.tolist() == [1, 2, 3, 4]


def array_in_a_buffer(*values: float, dtype: str = "f4") -> DeviceArray:
    return compiled(array(*values, dtype=dtype))


@pytest.mark.parametrize("make", [array, array_in_a_buffer])
def test_python_scalars(make: Any) -> None:
    x = ops.reshape(make(2.5), shape=())
    assert float(x) == 2.5
    assert int(x) == 2
    assert complex(x) == 2.5 + 0j
    assert bool(x)
    assert x.item() == 2.5
    assert f"{x:.2f}" == "2.50"
    n = ops.reshape(make(2, dtype="i4"), shape=())
    assert [10, 20, 30][n] == 30
    assert list(range(n)) == [0, 1]


def test_scalars_of_arrays_with_axes_are_refused() -> None:
    with pytest.raises(TypeError, match="without axes"):
        float(array(1, 2))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(array(1, 2))
    with pytest.raises(TypeError):
        [1, 2][array(1.0)]


@pytest.mark.parametrize(
    ("elements", "weak", "text"),
    [
        (np.array([1, 2], "f4"), False, "Array([1., 2.], dtype=float32)"),
        (np.array(6, "i4"), True, "Array(6, dtype=int32, weak_type=True)"),
        (np.zeros((0, 3), "f4"), False, "Array([], shape=(0, 3), dtype=float32)"),
        (np.zeros(0, "i4"), False, "Array([], dtype=int32)"),
        (np.array([True]), False, "Array([ True], dtype=bool)"),
        (np.eye(2, dtype="f4"), False, "Array([[1., 0.],\n       [0., 1.]], dtype=float32)"),
    ],
)
def test_repr(elements: Elements, weak: bool, text: str) -> None:
    assert repr(from_host(elements, weak=weak)) == text


def test_api08_prints_as_numpy_would(capsys: pytest.CaptureFixture[str]) -> None:
    print(from_host(np.array(6, "i4")))
    print(from_host(np.array(1.0, "f4")))
    print(array(0, 0, 1))
    assert capsys.readouterr().out == "6\n1.0\n[0. 0. 1.]\n"


def test_iteration_gives_arrays() -> None:
    rows = list(from_host(np.arange(4, dtype="i4").reshape(2, 2)))
    assert [row.tolist() for row in rows] == [[0, 1], [2, 3]]
    assert all(type(row) is DeviceArray for row in rows)
    assert [int(x) for x in array(1, 2)] == [1, 2]
    with pytest.raises(TypeError, match="without axes"):
        iter(from_host(np.array(1.0, "f4")))


def test_mth15_has_no_hash_and_no_item_assignment() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(array(1))
    with pytest.raises(TypeError, match=r"x\.at\[i\]\.set"):
        array(1)[0] = 2


def test_copies_and_pickles_keep_type_and_elements() -> None:
    x = from_host(np.array([1, 2], "f4"), weak=True)
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        assert y is not x
        assert y.type is x.type
        assert y.tolist() == [1, 2]


def test_a_copy_outlives_the_deleted_original() -> None:
    x = compiled(array(1, 2))
    y = copy.copy(x)
    x.delete()
    assert y.tolist() == [1, 2]


def test_deleted_arrays_say_so() -> None:
    for x in (array(1, 2), compiled(array(1, 2))):
        assert not x.is_deleted()
        x.delete()
        x.delete()
        assert x.is_deleted()
        uses = (
            lambda x=x: elements_of(x),
            x.block_until_ready,
            x.is_ready,
            x.__repr__,
            lambda x=x: ops.add(x, x),
        )
        for use in uses:
            with pytest.raises(
                DonatedError, match=r"Array has been deleted with shape=float32\[2\]"
            ):
                use()


def test_ben03_block_until_ready_returns_the_array() -> None:
    x = compiled(array(1, 2))
    assert x.block_until_ready() is x
    assert x.is_ready()
    x.copy_to_host_async()


def test_dlpack_round_trip() -> None:
    for x in (array(1, 2), compiled(array(1, 2))):
        assert x.__dlpack_device__() == (1, 0)
        np.testing.assert_array_equal(np.from_dlpack(x), [1, 2])


def test_plc06_device_buffer_is_a_deprecated_view() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert str(array(1).device_buffer.device()) == "cpu:0"
    assert caught[0].category is DeprecationWarning
    assert "addressable_data" in str(caught[0].message)


def test_sharding_and_shards() -> None:
    x = array(1, 2)
    assert x.sharding == SingleDeviceSharding(devices()[0])
    assert x.addressable_data(0) is x
    assert [shard.device for shard in x.addressable_shards] == [devices()[0]]
    assert x.is_fully_addressable
    assert x.is_fully_replicated


def test_pointer_is_that_of_the_buffer() -> None:
    x = compiled(array(1, 2))
    assert x.unsafe_buffer_pointer() == np.asarray(x).ctypes.data


def test_strided_elements_reach_the_device() -> None:
    spread = np.broadcast_to(np.float32(3), (4, 4))
    assert compiled(from_host(spread)).tolist() == spread.tolist()
    turned = np.arange(6, dtype="f4").reshape(2, 3).T
    assert compiled(from_host(turned)).tolist() == turned.tolist()
    back = np.arange(6, dtype="f4")[::-2]
    assert compiled(from_host(back)).tolist() == back.tolist()


def test_float0_has_no_data_and_passes_through_compiled_code() -> None:
    x = from_host(np.zeros(3, treadle_ir.core.dtypes.float0))
    y = jit(lambda x: x)(x)
    assert y.dtype == treadle_ir.core.dtypes.float0
    assert np.asarray(y).shape == (3,)


def test_a_large_array_is_not_kept_twice() -> None:
    x = from_host(np.arange(100_000, dtype="f4"))
    buffer_of(x)
    assert x.host is None
    assert x.tolist() == [*range(100_000)]


def test_keys_on_the_host_and_on_a_device() -> None:
    words = np.array([[0, 7], [1, 2]], np.uint32)
    keys = from_host(words.view(KEY).reshape(2))
    assert np.asarray(buffer_of(keys)).tolist() == [7 << 32, 1 | 2 << 32]
    there = jit(lambda k: k)(keys)
    assert there.dtype is KEY
    for each in (keys, there, copy.copy(there), pickle.loads(pickle.dumps(there))):
        np.testing.assert_array_equal(elements_of(each), words.view(KEY).reshape(2))
        assert repr(each).splitlines() == [
            "Array((2,), dtype=key<fry>) overlaying:",
            "[[0 7]",
            " [1 2]]",
        ]


def test_numpy_gets_keys_only_by_the_name_of_their_type() -> None:
    key = from_host(np.array(5, KEY))
    for read in (np.asarray, float, bool, DeviceArray.item, DeviceArray.tolist, np.from_dlpack):
        with pytest.raises(DTypeError, match="random keys"):
            read(key)
    assert np.asarray(key, KEY).item() == (5,)


def test_dunder_array_takes_element_types_and_flags() -> None:
    x = array(1, 2)
    assert x.__array__(object).dtype == object  # NumPy's protocol: who asks for objects gets them
    for dtype in ("abc", 7, {"a": 1.0}):
        with pytest.raises(ArgumentError, match="is not an element type"):
            x.__array__(dtype)
    with pytest.raises(ArgumentError, match="copy must be true or false"):
        x.__array__(copy="yes")  # type: ignore[arg-type]  # not a flag


def test_format_is_that_of_the_element() -> None:
    one = from_host(np.array(1.5, np.float32))
    assert f"{one:.3f}" == "1.500"
    with pytest.raises(ValueError, match="format: 'bad' does not fit"):
        format(one, "bad")
    with pytest.raises(TypeError, match=r"format: '.2f' does not fit"):
        format(array(1, 2), ".2f")
    with pytest.raises(ArgumentError, match="must be a string"):
        one.__format__(3)  # type: ignore[arg-type]  # it is none
