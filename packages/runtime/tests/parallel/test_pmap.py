"""pmap as users call it, on two devices; what it computes is compared with vmap in conformance/sharding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, PartitionSpec as P, ShapeError, ops
from treadle_ir.errors import PlacementError
from treadle_runtime import device_put, devices, jit, pmap
from treadle_runtime.parallel import pmap as module
from treadle_runtime.placement.guards import TransferError
from treadle_runtime.settings import TRANSFER_GUARD

X = np.arange(4, dtype=np.float32).reshape(2, 2)


def total(x: Any) -> Any:
    return ops.all_reduce(x, reduction="add", axis_name="i")


@pytest.mark.parametrize("wrap", [lambda f: f, jit])
def test_each_device_has_one_element(wrap: Any) -> None:
    found = wrap(pmap(total, "i"))(X)
    np.testing.assert_array_equal(np.asarray(found), [X.sum(0)] * 2)
    assert found.sharding.spec == P("i")
    assert [*found.sharding.mesh.flat] == devices()[:2]


def test_elements_are_along_any_axis() -> None:
    f = pmap(
        lambda x, y: {"sum": ops.add(x, y), "same": total(x)},
        "i",
        in_axes=(1, None),
        out_axes={"sum": -1, "same": None},
    )
    found = f(X.T, np.float32(5))
    np.testing.assert_array_equal(np.asarray(found["sum"]), X.T + 5)
    np.testing.assert_array_equal(np.asarray(found["same"]), X.sum(0))


def test_arrays_with_the_sharding_are_donated() -> None:
    f = pmap(lambda x: ops.add(x, x), donate_argnums=0)
    x = f(X)
    f(x)
    assert x.is_deleted()


def test_arrays_of_other_devices_are_transferred() -> None:
    found = pmap(lambda x: ops.add(x, x))(device_put(X, devices()[2]))
    np.testing.assert_array_equal(np.asarray(found), 2 * X)


def test_devices_may_be_named() -> None:
    turned = [devices()[2], devices()[0]]
    found = pmap(lambda x: x, devices=turned)(X)
    assert [shard.device for shard in found.addressable_shards] == turned


def test_static_arguments_are_python_values() -> None:
    def scaled(n: Any, x: Any) -> Any:
        assert type(n) is int
        return ops.multiply(x, np.float32(n))

    found = pmap(scaled, static_broadcasted_argnums=0)(3, X)
    np.testing.assert_array_equal(np.asarray(found), 3 * X)


def test_it_is_lowered_for_types() -> None:
    lowered = pmap(total, "i").lower(X)
    assert "all_reduce" in lowered.as_text()
    np.testing.assert_array_equal(np.asarray(lowered.compile()(X)), [X.sum(0)] * 2)


def test_a_method_is_mapped() -> None:
    class Model:
        by = np.float32(3)

        @pmap
        def scaled(self: Any, x: Any) -> Any:
            return ops.multiply(self, x)

    assert Model.scaled(X, X).shape == (2, 2)
    with pytest.raises(ArgumentError):  # the object is not an array: it has to be static
        Model().scaled(X)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ArgumentError, "fun must be a function", lambda: pmap([1, 2])),  # type: ignore[arg-type]
        (ArgumentError, "axis_name must be a string", lambda: pmap(total, 3)),  # type: ignore[arg-type]
        (ArgumentError, "in_axes must be an int", lambda: pmap(total, in_axes="a")),
        (ArgumentError, "out_axes must be an int", lambda: pmap(total, out_axes=True)),
        (ArgumentError, "each of devices", lambda: pmap(total, devices=[1])),  # type: ignore[list-item]
        (ArgumentError, "non-empty", lambda: pmap(total, devices=[])),
        (ArgumentError, "more than once", lambda: pmap(total, devices=[devices()[0]] * 2)),
        (ArgumentError, "has -1", lambda: pmap(total, donate_argnums=-1)),
        (
            ArgumentError,
            "cannot intersect",
            lambda: pmap(total, donate_argnums=0, static_broadcasted_argnums=0),
        ),
        (
            ArgumentError,
            "called with only 1 positional",
            lambda: pmap(total, static_broadcasted_argnums=1)(X),
        ),
        (PlacementError, "requires 4 logical", lambda: pmap(total, "i")(np.ones(4))),
        (PlacementError, "no elements", lambda: pmap(total, "i")(np.ones((0, 2)))),
        (
            PlacementError,
            "requires 2 logical devices, but only 1",
            lambda: pmap(total, "i", devices=devices()[:1])(X),
        ),
    ],
)
def test_errors(error: type[Exception], message: str, call: Callable[[], Any]) -> None:
    with pytest.raises(error, match=message):
        call()


def test_sizes_are_compared() -> None:
    with pytest.raises(ShapeError, match=r"argument 0 has 2; argument 1 has 3"):
        pmap(ops.add)(np.ones(2), np.ones(3))


def test_devices_of_several_processes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "process_count", lambda: 2)
    with pytest.raises(PlacementError, match=r"in 2 processes.*(?s:.*)local_devices"):
        pmap(total, "i")(X)
    ours = pmap(total, "i", devices=devices())  # of this process: they may be named
    np.testing.assert_array_equal(np.asarray(ours(X)), [X.sum(0)] * 2)
    monkeypatch.setattr(module, "process_index", lambda: 1)
    with pytest.raises(PlacementError, match="belongs to process 0"):
        pmap(total, "i", devices=devices())(X)


def test_arrays_are_brought_there_implicitly() -> None:
    over, here = pmap(lambda x: x)(X), device_put(X)
    with TRANSFER_GUARD.override("disallow"):
        pmap(lambda x: x)(over)
        for x, direction in ((X, "host-to-device"), (here, "device-to-device")):
            with pytest.raises(TransferError, match=f"implicit {direction}"):
                pmap(lambda x: x)(x)
