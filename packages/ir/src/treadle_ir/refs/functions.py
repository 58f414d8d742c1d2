"""Operations on references, as functions: read, write, swap, add to, freeze."""

from __future__ import annotations

from typing import Any

from treadle_ir.errors.kinds import ArgumentError
from treadle_ir.refs.references import Ref
from treadle_ir.refs.views import TransformedRef
from treadle_ir.tracing.array import Array


def _ref_or_view(function: str, ref: object) -> Ref | TransformedRef:
    return ref if isinstance(ref, TransformedRef) else _ref(function, ref)


def _ref(function: str, ref: object) -> Ref:
    if not isinstance(ref, Ref):
        raise ArgumentError(
            f"{function}: the first argument is of type {ref.__class__.__name__}, not a reference",
            fix="make one with new_ref(x)",
        )
    return ref


def freeze(ref: Ref) -> Array:
    """Return the array that the reference holds; the reference cannot be used any more.

    Raises:
        ArgumentError: `ref` is not a reference, or was frozen before.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.refs import new_ref
        >>> counter = new_ref(np.zeros(2))
        >>> counter[0] = 3.0
        >>> print(freeze(counter))
        [3. 0.]
    """
    value = _ref("freeze", ref)._read()
    ref._value = None
    return value


def free_ref(ref: Ref) -> None:
    """Release the array that the reference holds; the reference cannot be used any more.

    Raises:
        ArgumentError: `ref` is not a reference, or was freed before.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.refs import new_ref
        >>> counter = new_ref(np.zeros(2))
        >>> free_ref(counter)
        >>> try:
        ...     counter[0]
        ... except ArgumentError as error:
        ...     print(error)
        the reference to f32[2] was used after it was frozen or freed
    """
    _ref("free_ref", ref)._read()
    ref._value = None


def ref_get(ref: Ref | TransformedRef, idx: Any = None) -> Array:  # Any: any index of arrays
    """Return `ref[idx]`, or the complete array if `idx` is None.

    Raises:
        ArgumentError: `ref` is not a reference, or is frozen.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.refs import new_ref
        >>> print(ref_get(new_ref(np.arange(3)), 1))
        1
    """
    return _ref_or_view("get", ref)[... if idx is None else idx]


def ref_set(ref: Ref | TransformedRef, idx: Any, value: Any) -> None:
    """Set `ref[idx] = value`, or the complete array if `idx` is None.

    Raises:
        ArgumentError: `ref` is not a reference, or is frozen.
        ShapeError, DTypeError: the value does not have the type of the elements that it replaces.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.refs import new_ref
        >>> counter = new_ref(np.zeros(2))
        >>> ref_set(counter, 1, 5.0)
        >>> print(counter[...])
        [0. 5.]
    """
    _ref_or_view("set", ref)[... if idx is None else idx] = value


def ref_swap(
    ref: Ref | TransformedRef, idx: Any, value: Any, _function_name: str = "swap"
) -> Array:
    """Set `ref[idx] = value` and return the previous elements; errors name the function `_function_name`.

    Raises:
        ArgumentError: `ref` is not a reference, or is frozen.
        ShapeError, DTypeError: the value does not have the type of the elements that it replaces.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.refs import new_ref
        >>> counter = new_ref(np.zeros(2))
        >>> print(ref_swap(counter, 1, 5.0), counter[...])
        0.0 [0. 5.]
    """
    before = ref_get(_ref_or_view(_function_name, ref), idx)
    ref_set(ref, idx, value)
    return before


def ref_addupdate(ref: Ref | TransformedRef, idx: Any, x: Any) -> None:
    """Set `ref[idx] += x`, where indices that occur twice are added twice.

    Raises:
        ArgumentError: `ref` is not a reference, or is frozen.
        ShapeError, DTypeError: `x` does not have the type of the elements that it is added to.

    Example:
        >>> import numpy as np
        >>> from treadle_ir.refs import new_ref
        >>> counter = new_ref(np.zeros(3))
        >>> ref_addupdate(counter, np.array([0, 0, 2]), np.ones(3))
        >>> print(counter[...])
        [2. 0. 1.]
    """
    _ref_or_view("addupdate", ref).addupdate(x, ... if idx is None else idx)
