"""Views of references, compared with NumPy's views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_ir import ArgumentError, ShapeError
from treadle_ir.errors import IndexingError
from treadle_ir.refs import new_ref, ref_get, ref_swap
from treadle_ir.refs.views import TransformedRef, selects_everything

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_what_is_read_through_a_view() -> None:
    ref = new_ref(X)
    np.testing.assert_array_equal(np.asarray(ref.T[...]), X.T)
    np.testing.assert_array_equal(np.asarray(ref.transpose(1, 0)[0]), X.T[0])
    np.testing.assert_array_equal(np.asarray(ref.transpose((0, -1))[...]), X)
    np.testing.assert_array_equal(np.asarray(ref.reshape(3, -1)[...]), X.reshape(3, 2))
    np.testing.assert_array_equal(np.asarray(ref.reshape((6,)).T.get()), X.ravel())
    assert ref.T.reshape(2, 3).shape == (2, 3)
    assert selects_everything(())


def test_a_view_shows_what_the_reference_holds_later() -> None:
    ref = new_ref(X)
    view = ref.T
    ref[...] = X + np.float32(1)
    np.testing.assert_array_equal(np.asarray(view[...]), X.T + 1)


def test_what_is_written_through_views_stands_in_the_reference() -> None:
    expected = X.copy()
    ref = new_ref(X)
    ref.T[...] = X.T * np.float32(2)
    expected.T[...] = X.T * 2
    np.testing.assert_array_equal(np.asarray(ref[...]), expected)
    ref.transpose().reshape(6).reshape(2, 3).T.set(X.T)
    turned = expected.T.reshape(2, 3)  # a copy, for NumPy
    turned.T[...] = X.T
    np.testing.assert_array_equal(np.asarray(ref[...]), turned.reshape(3, 2).T)


def test_what_is_known_of_a_view() -> None:
    view: Any = new_ref(X).T
    assert (view.shape, view.dtype, view.ndim, view.size) == ((3, 2), np.float32, 2, 6)
    assert len(view) == 3
    assert view
    assert repr(view.type) == "Ref{float32[3,2]}"
    assert repr(view).startswith("TransformedRef(ref=Ref(")
    with pytest.raises(ArgumentError, match="is not an array"):
        np.asarray(view)
    with pytest.raises(TypeError):
        iter(view)
    with pytest.raises(TypeError):
        hash(view)
    with pytest.raises(TypeError, match="scalar"):
        len(new_ref(np.float32(1)).reshape())


def test_parts_of_numpy_arrays_are_written_and_summed() -> None:
    ref = new_ref(X)
    before = ref[...]
    expected = X.copy()
    ref[1, ::2] = np.array([7, 8], np.float32)
    expected[1, ::2] = [7, 8]
    ref.at[0].at[1:][...] = np.array([5, 6], np.float32)
    expected[0, 1:] = [5, 6]
    ref.addupdate(np.ones((2, 3), np.float32), (np.array([0, 0]),))  # a row twice
    expected[0] += 2
    np.testing.assert_array_equal(np.asarray(ref[...]), expected)
    np.testing.assert_array_equal(np.asarray(before), X)


def test_what_does_not_fit_is_refused() -> None:
    ref = new_ref(X)
    with pytest.raises(ShapeError, match="6 elements do not have the shape"):
        ref.reshape(4, 2)
    with pytest.raises(ShapeError, match="6 elements do not have the shape"):
        ref.reshape(-1, -1)
    with pytest.raises(ShapeError, match="are not the 2 axes"):
        ref.transpose(0, 0)
    with pytest.raises(ShapeError, match=r"part of the reference is f32\[3,2\]"):
        ref.T[...] = X
    with pytest.raises(IndexingError):
        ref.T.at[3]
    assert isinstance(ref.T, TransformedRef)


def test_an_exchange_is_called_in_errors_as_its_caller_says() -> None:
    view = new_ref(np.zeros(2, np.float32)).at[1:]
    assert ref_swap(view, 0, 3.0, _function_name="library.swap") == 0
    assert ref_get(view, 0) == 3
    with pytest.raises(ArgumentError, match=r"library\.swap: the first argument"):
        ref_swap(np.zeros(2), 0, 3.0, _function_name="library.swap")  # type: ignore[arg-type]
