"""Every public method of arrays gives the same of a tracer as of an array, or one of treadle's own errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
import pytest

import treadle
from conformance.hostile.calls import Call, calls
from treadle.errors import TreadleError

pytestmark = pytest.mark.installed

# Of the values of arrays alone: what stands for an array in a trace has neither memory nor a device.
UNLIKE: Final = {
    *(
        "__buffer__",
        "__repr__",
        "__str__",
        "addressable_data",
        "block_until_ready",
        "copy_to_host_async",
    ),
    *("delete", "devices", "is_deleted", "is_ready", "on_device_size_in_bytes", "platform"),
    "unsafe_buffer_pointer",
}
METHODS: Final = [
    call
    for call in calls()
    if call.name.startswith("Array.") and call.name.removeprefix("Array.") not in UNLIKE
]
TRANSFORMATIONS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "jit": lambda f, x: treadle.jit(f)(x),
    "vmap": lambda f, x: treadle.tree.map(lambda y: y[0], treadle.vmap(f)(x[None])),
    "jvp": lambda f, x: treadle.jvp(f, (x,), (treadle.numpy.zeros_like(x),))[0],
    "vjp": lambda f, x: treadle.vjp(f, x)[0],
}


def array_of(call: Call) -> treadle.Array:
    """The array whose method is called."""
    owner: Any = call.function.__self__  # type: ignore[attr-defined]  # of a bound method
    return owner


def cases() -> Iterator[Any]:
    for call in METHODS:
        differentiable = treadle.numpy.issubdtype(array_of(call).dtype, np.floating)
        for name in TRANSFORMATIONS:
            if differentiable or name in ("jit", "vmap"):
                yield pytest.param(call, name, id=f"{call.name}-{name}")


@pytest.mark.parametrize(("call", "transformation"), [*cases()])
def test_a_method_of_a_tracer(call: Call, transformation: str) -> None:
    name = call.name.removeprefix("Array.")
    x = array_of(call)
    positional, named = call.arguments()

    def method(y: Any) -> Any:
        return getattr(y, name)(*positional, **named)

    try:
        found = TRANSFORMATIONS[transformation](method, x)
    except TreadleError:
        return
    expected = method(x)
    assert treadle.tree.structure(found) == treadle.tree.structure(expected)
    for one, other in zip(treadle.tree.leaves(found), treadle.tree.leaves(expected), strict=True):
        if isinstance(other, treadle.Array):
            np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=1e-6)
