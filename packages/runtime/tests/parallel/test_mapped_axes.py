from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError, UnsupportedError
from treadle_ir.refs import new_ref
from treadle_ir.tracing import take_apart
from treadle_runtime.parallel.mapped_axes import checked_axes_tree, elements_of, result_axes

X = np.ones((2, 3))


def found(
    in_axes: Any, *args: Any, static: tuple[int, ...] = (), size: Any = None, **kw: Any
) -> Any:
    elements = elements_of(take_apart(args, kw, static), in_axes, static, len(args), size)
    return elements.axes, elements.size


def test_axes_of_arguments() -> None:
    assert found(0, X) == ((0,), 2)
    assert found(-1, X, X) == ((1, 1), 3)
    assert found((None, 1), {"a": 1.0, "b": X}, X) == ((None, None, 1), 3)
    assert found(({"a": None, "b": -2},), {"a": 1.0, "b": X}) == ((None, 0), 2)
    assert found((7, 1), "static", X, static=(0,)) == ((1,), 3)
    assert found((None,), 2.0, size=2, y=X) == ((None, 0), 2)


@pytest.mark.parametrize(
    ("message", "call"),
    [
        ("at least one argument", lambda: found(None, X)),
        ("at least one argument", lambda: found(0)),
        ("has 2 entries, but there are 1", lambda: found((0, 0), X)),
        ("not a prefix of the arguments", lambda: found(({"a": 0},), {"a": X, "b": X})),
        ("argument 0 along axis 2.*at least 3, but is only 2", lambda: found(2, X)),
        ("argument y along axis 0.*at least 1, but is only 0", lambda: found(0, X, y=1.0)),
        (r"argument 0\['a'\] has 2; argument 1 has 3", lambda: found((0, 1), {"a": X}, X)),
        ("axis_size 3 doesn't match received axis_size 2", lambda: found(0, X, size=3)),
    ],
)
def test_arguments_that_do_not_fit(message: str, call: Any) -> None:
    with pytest.raises(ShapeError, match=message):
        call()


def test_what_is_no_array() -> None:
    with pytest.raises(ArgumentError) as caught:
        found(0, {"a": "text"})
    assert any("argument 0['a']" in note for note in caught.value.__notes__)


def test_references_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="argument 1 is a reference"):
        found(0, X, new_ref(X))


def test_axes_of_results() -> None:
    results = {"a": 0, "b": (1, 2)}
    assert result_axes({"a": None, "b": -1}, results, [0, 0, 2]) == [None, 0, 2]
    with pytest.raises(ShapeError, match="not a prefix of the results"):
        result_axes((0,), results, [0, 0, 2])
    with pytest.raises(
        ShapeError, match="out_axes is 1, but the result with its elements has 1 axes"
    ):
        result_axes(1, results, [1, 0, 2])


def test_axes_are_numbers() -> None:
    assert checked_axes_tree("in_axes", [0, None]) == (0, None)
    for axes in (True, 1.0, "a", (0, "a")):
        with pytest.raises(ArgumentError, match="pmap in_axes must be an int, None"):
            checked_axes_tree("in_axes", axes)
