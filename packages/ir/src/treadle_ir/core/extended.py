"""Extended element types, which NumPy lacks: the types of random keys, and types that libraries define.

In programs such a type is an object with a name, and with methods that describe its physical elements. In NumPy's
arrays its elements have a structured type with one field, which no other element type uses. NumPy finds this type as
the object's `dtype`, so that `np.empty(3, element_type)` works; `element_type_of` finds the object of NumPy's type.

A library derives a class from `ExtendedDType`, with these attributes:

    name      the name that is printed
    type      a class derived from `extended`, for `issubdtype`
    _rules    an object with the functions below; each takes the element type as an argument

    physical_element_aval(dtype)           the type that an element has in compiled programs, with a shape and a dtype
    convert_from(dtype, other)             whether arrays of the other type can be converted to this one
    convert_to(other, dtype)               whether arrays of this type can be converted to the other one
    allow_conversion                       without these two: whether arrays of the physical type can be converted
    tangent_dtype(dtype)                   the element type of tangents; without it there are none
    add(dtype, x, y)                       the sum of two tangents; without it the sum of the physical elements
    zero(dtype)                            the physical element that is zero; without it 0
"""

from __future__ import annotations

from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from treadle_ir.errors.kinds import DTypeError

DType: TypeAlias = np.dtype[Any]
Physical: TypeAlias = tuple[DType, tuple[int, ...]]

_ELEMENTS: Final[dict[DType, ExtendedDType]] = {}
_STORED: Final[dict[ExtendedDType, DType]] = {}


class extended(np.generic):  # noqa: N801 - the public name
    """The kind of extended element types, which NumPy lacks. It has no instances.

    Raises:
        DTypeError: it is called, as `dtype.type(0)` makes a number of other element types.
    """

    def __new__(cls, *_: object) -> extended:
        """Raise an error: there are no instances."""
        raise DTypeError(
            f"a number is wanted, but elements of the kind {cls.__name__} are none",
            fix="convert the array first, if the rules of its element type allow; of keys, `random.key_data(keys)`",
        )


class ExtendedDType:
    """An element type that NumPy lacks; libraries derive their own classes (see the module's docstring).

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ArrayType
        >>> class Rules:
        ...     physical_element_aval = staticmethod(lambda dtype: ArrayType((), np.dtype("float32")))
        >>> class Celsius(ExtendedDType):
        ...     name, type, _rules = "celsius", extended, Rules
        >>> ArrayType((3,), Celsius())
        celsius[3]
    """

    _rules: Any  # any object with the functions above
    kind: Final = "V"  # NumPy's code for types of none of its other kinds
    char: Final = "V"

    @property
    def name(self) -> str:
        """The name that is printed."""
        return type(self).__name__

    @property
    def dtype(self) -> DType:
        """NumPy's type of its elements."""
        found = _STORED.get(self)
        return stored_type(self) if found is None else found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its fields, as of NumPy's structured types."""
        return self.dtype.names or ()

    @property
    def itemsize(self) -> int:
        """The bytes of an element."""
        return self.dtype.itemsize

    @property
    def physical(self) -> Physical:
        """The type of an element in compiled programs, and its shape: () for one physical element, (n,) for several."""
        held = self._rules.physical_element_aval(self)
        return np.dtype(held.dtype), (prod(held.shape),) if held.shape else ()

    @property
    def tangents(self) -> Any:
        """The element type of tangents; None if there are none. Any: a NumPy dtype or an `ExtendedDType`."""
        rule = getattr(self._rules, "tangent_dtype", None)
        return None if rule is None else rule(self)

    def is_made_of(self, other: Any) -> bool:
        """Return whether arrays of the element type `other` can be converted to this one."""
        return self._converts("convert_from", self, other, other)

    def makes(self, other: Any) -> bool:
        """Return whether arrays of this element type can be converted to `other`."""
        return self._converts("convert_to", other, self, other)

    def _converts(self, name: str, first: Any, second: Any, other: Any) -> bool:
        rule = getattr(self._rules, name, None)
        if rule is not None:
            return bool(rule(first, second))
        allowed = getattr(self._rules, "allow_conversion", False)
        return bool(allowed) and self.physical == (other, ())


def stored_type(element: ExtendedDType) -> DType:
    """Return NumPy's type of the elements of `element`; unequal extended types have different ones."""
    dtype, shape = element.physical
    count, name = 1, element.name
    while True:
        stored = np.dtype([(name, dtype, shape) if shape else (name, dtype)])
        if _ELEMENTS.setdefault(stored, element) == element:
            _STORED[element] = stored
            return stored
        count += 1
        name = f"{element.name}#{count}"


def element_type_of(dtype: Any) -> Any:
    """Return the element type that a NumPy dtype stores, else `dtype` itself. Any: NumPy's or an `ExtendedDType`.

    For equal extended types the result is always the same object.
    """
    if isinstance(dtype, ExtendedDType):
        return _ELEMENTS[dtype.dtype]
    if isinstance(dtype, np.dtype) and dtype.names is not None:
        return _ELEMENTS.get(dtype, dtype)
    return dtype


def is_extended(dtype: Any) -> bool:
    """Return whether `dtype` is an extended element type, or NumPy's type of its elements."""
    if isinstance(dtype, np.dtype):
        return dtype.names is not None and dtype in _ELEMENTS
    return isinstance(dtype, ExtendedDType)


def extended_refused(what: str, dtype: Any) -> DTypeError:
    """Return the error for elements of a library's type where numbers are required; `what` is the operation."""
    return DTypeError(
        f"{what}: elements of the type {element_type_of(dtype).name} are not numbers and take no part in arithmetic",
        fix="convert them first, with `x.astype(dtype)`, to an element type that the rules of their type allow",
    )
