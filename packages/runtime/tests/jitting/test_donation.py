from __future__ import annotations

import _thread
import sys
import time
import warnings
from typing import Any

import numpy as np
import pytest

import treadle_ir
from treadle_ir import ArrayType
from treadle_ir.errors import DonatedError
from treadle_ir.tree import tree_map
from treadle_runtime import DeviceArray, from_host, jit
from treadle_runtime.jitting.donation import hlo_text, pair

ops: Any = treadle_ir.ops  # Any: tests ask more of results than an operand has


def array(shape: tuple[int, ...] = (2, 3), dtype: str = "f4") -> DeviceArray:
    return from_host(np.ones(shape, dtype))


def add(x: Any, y: Any) -> Any:
    return ops.add(x, y)


def device_owned(x: DeviceArray) -> DeviceArray:
    y: DeviceArray = jit(lambda x: ops.multiply(x, x))(x)
    return y.block_until_ready()


def test_don01_the_donated_array_is_gone_and_the_other_kept() -> None:
    x, y = array(), array()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        z = jit(add, donate_argnums=(1,))(x, y)
    assert z.tolist() == [[2] * 3] * 2
    assert y.is_deleted()
    assert not x.is_deleted()


def test_don02_the_result_takes_over_the_buffer() -> None:
    x, y = device_owned(array((64, 64))), device_owned(array((64, 64)))
    pointer = y.unsafe_buffer_pointer()
    assert jit(add, donate_argnums=(1,))(x, y).unsafe_buffer_pointer() == pointer


def test_donation_works_although_the_host_has_seen_the_elements() -> None:
    x, y = device_owned(array((64, 64))), device_owned(array((64, 64)))
    repr(y)
    pointer = y.unsafe_buffer_pointer()
    assert jit(add, donate_argnums=(1,))(x, y).unsafe_buffer_pointer() == pointer


def test_a_numpy_view_of_a_donated_array_keeps_its_elements() -> None:
    x, y = device_owned(array((64, 64))), device_owned(array((64, 64)))
    view: Any = np.asarray(y)
    jit(add, donate_argnums=(1,))(x, y).block_until_ready()
    assert (view == 1).all()
    assert y.is_deleted()


def test_don03_memory_use_drops_by_the_donated_size() -> None:
    x = array()
    with_donation = jit(add, donate_argnums=(1,)).lower(x, x).compile().memory_analysis()
    without = jit(add).lower(x, x).compile().memory_analysis()
    assert with_donation.alias_size_in_bytes == 24
    assert without.alias_size_in_bytes == 0


@pytest.mark.parametrize(("numbers", "gone"), [(1, "y"), ((0,), "x"), ([1], "y"), (None, "")])
def test_don04_don05_donate_argnums(numbers: Any, gone: str) -> None:
    given = {"x": array(), "y": array()}
    jit(add, donate_argnums=numbers)(*given.values())
    assert "".join(name for name, x in given.items() if x.is_deleted()) == gone


def test_don08_keywords_are_not_donated_by_number() -> None:
    x, y = array(), array()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jit(add, donate_argnums=(0, 1))(x=x, y=y)
    assert not x.is_deleted()
    assert not y.is_deleted()


def test_donate_argnames_donates_keywords() -> None:
    x, y = array(), array()
    jit(add, donate_argnames="y")(x, y=y)
    assert y.is_deleted()
    assert not x.is_deleted()


def test_don10_a_donated_tree_donates_all_its_leaves() -> None:
    tree = [array((2, 3)), array((3, 4))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jit(lambda t: [add(x, x) for x in t], donate_argnums=0)(tree)
    assert all(x.is_deleted() for x in tree)


def test_don12_don13_don22_use_after_donation() -> None:
    x, y = array(), array()
    f = jit(add, donate_argnums=(1,))
    f(x, y)
    uses: Any = (
        lambda: ops.add(y, y),
        lambda: np.asarray(y),
        lambda: repr(y),
        lambda: jit(add)(x, y),
        lambda: f(x, y),
        lambda: f(x, y),
    )
    for use in uses:
        with pytest.raises(RuntimeError) as caught:
            use()
        assert type(caught.value) is DonatedError
        text = str(caught.value)
        assert text == "Array has been deleted with shape=float32[2,3]."
        assert any("donated to add, at test_donation.py" in note for note in caught.value.__notes__)


def test_warm_calls_say_where_each_array_went() -> None:
    step = jit(lambda x: ops.multiply(x, np.float32(2)), donate_argnums=0)

    def here(x: DeviceArray) -> None:
        step(x)

    def there(x: DeviceArray) -> None:
        step(x)

    def from_within(x: DeviceArray) -> None:
        tree_map(step, [x])  # a frame of ours is between

    for use in (here, here, here, there, here, there, from_within, from_within, here):
        x = device_owned(array())
        use(x)
        with pytest.raises(DonatedError) as caught:
            x.tolist()
        line = use.__code__.co_firstlineno + 1
        place = f"it was donated to <lambda>, at test_donation.py:{line}, in {use.__qualname__}:"
        assert place in "\n".join(caught.value.__notes__)


def test_a_thread_without_python_below_it_may_donate() -> None:
    step = jit(lambda x: ops.multiply(x, np.float32(2)), donate_argnums=0)
    for _ in range(3):
        step(device_owned(array()))
    x = device_owned(array())
    failed: list[Any] = []  # exceptions that no caller receives
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "unraisablehook", failed.append)
        _thread.start_new_thread(step, (x,))
        deadline = time.monotonic() + 30
        while not x.is_deleted() and not failed and time.monotonic() < deadline:
            time.sleep(0.01)
    assert not failed
    with pytest.raises(DonatedError) as caught:
        x.tolist()
    assert "  it was donated to <lambda>" in caught.value.__notes__


def test_don14_don15_more_donations_than_results() -> None:
    x, y = array(), array()
    with pytest.warns(UserWarning, match="Some donated buffers were not usable") as caught:
        jit(add, donate_argnums=(0, 1))(x, y)
    (warning,) = caught
    assert str(warning.message).startswith("Some donated buffers were not usable: f32[2,3]{1,0}")
    assert warning.filename == __file__
    assert x.is_deleted()
    assert not y.is_deleted()
    with pytest.warns(UserWarning, match="not usable"):  # again, for another jit
        jit(add, donate_argnums=(0, 1))(array(), array())


def test_don16_don17_don18_no_result_of_that_shape() -> None:
    x, y = array((2, 3)), array((1, 3))

    def f(x: Any, y: Any) -> Any:
        return ops.add(
            x, ops.broadcast_in_dim(ops.reshape(y, shape=(3,)), shape=(2, 3), dimensions=(1,))
        )

    with pytest.warns(UserWarning, match="not usable") as caught:
        assert jit(f, donate_argnums=1)(x, y).tolist() == [[2] * 3] * 2
    assert "not usable: f32[1,3]{1,0}" in str(caught[0].message)
    assert ops.add(y, y).tolist() == [[2] * 3]


@pytest.mark.parametrize("dtype", ["i4", "u4", "f2", "bool"])
def test_don19_the_element_type_must_match(dtype: str) -> None:
    x = array()
    with pytest.warns(UserWarning, match="not usable"):
        jit(lambda x: ops.convert(x, dtype=np.dtype(dtype)), donate_argnums=0)(x)
    assert not x.is_deleted()


def test_eagerly_computed_arrays_can_be_donated() -> None:
    y = ops.add(array(), array())
    assert isinstance(y, DeviceArray)
    assert y.raw is None
    assert jit(add, donate_argnums=1)(array(), y).tolist() == [[3] * 3] * 2
    assert y.is_deleted()


@pytest.mark.parametrize("numbers", [(0, 1), 0, 1])
def test_an_array_donated_and_used_twice_in_one_call_is_refused(numbers: Any) -> None:
    x = device_owned(array())
    with pytest.raises(DonatedError, match="another argument of the same call"):
        jit(lambda x, y: (ops.add(x, y), ops.multiply(x, y)), donate_argnums=numbers)(x, x)
    assert x.tolist() == [[1] * 3] * 2


def test_the_first_fitting_parameter_serves_the_first_result() -> None:
    f, i = ArrayType((2,), np.dtype("f4")), ArrayType((2,), np.dtype("i4"))
    assert pair([f, i, f], [i, f], [0, 1, 2]) == {0: 1, 1: 0}
    assert pair([f], [i], [0]) == {}


@pytest.mark.parametrize(
    ("shape", "dtype", "text"),
    [
        ((2, 3), "f4", "f32[2,3]{1,0}"),
        ((), "i4", "s32[]"),
        ((4,), "bool", "pred[4]{0}"),
        ((4,), "u1", "u8[4]{0}"),
        ((1, 2, 3), "c8", "c64[1,2,3]{2,1,0}"),
    ],
)
def test_hlo_text(shape: tuple[int, ...], dtype: str, text: str) -> None:
    assert hlo_text(ArrayType(shape, np.dtype(dtype))) == text
