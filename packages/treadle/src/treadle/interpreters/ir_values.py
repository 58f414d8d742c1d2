"""Values of rules that build MLIR: sequences of them, constants of a library's own classes, attributes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias, final

import numpy as np

from treadle_compiler import IrValue, attribute_text, ir_module, ir_type
from treadle_ir import ArgumentError, ArrayType
from treadle_ir.errors import boundaries, functions, refused
from treadle_ir.tree import PyTreeDef, tree_flatten

__all__ = [
    "constant_handler",
    "flatten_ir_types",
    "flatten_ir_values",
    "ir_attribute",
    "ir_tree_registry",
    "register_constant_handler",
    "unflatten_ir_values_like_types",
]

Ir: TypeAlias = Any  # what is of jaxlib.mlir, which has no types
ConstantHandler: TypeAlias = Callable[[Any, Any], Ir]

_handlers: Final[dict[type, ConstantHandler]] = {}


def register_constant_handler(type_: type, handler_fun: ConstantHandler) -> None:
    """Say what constant a value of a class is: `handler_fun(value, aval)`, where `aval` may be None, gives its value.

    `ir_constant` and `ir_constants` ask for it.

    Raises:
        ArgumentError: `type_` is not a class, or the handler is not a function.
    """
    if not isinstance(type_, type):
        raise refused("register_constant_handler", "type_", "a class", type_)
    functions("register_constant_handler", handler_fun=handler_fun)
    _handlers[type_] = handler_fun


def constant_handler(cls: type) -> ConstantHandler | None:
    """Return the handler of a class, or of a base class; None if there is none."""
    for each in cls.__mro__:
        if each in _handlers:
            return _handlers[each]
    return None


def flatten_ir_values(xs: Iterable[Any]) -> list[IrValue]:
    """Flatten values, operations and sequences of them into one list of values."""
    ir = ir_module()
    found: list[IrValue] = []
    todo = [*xs][::-1]  # a list, not calls of calls
    while todo:
        each = todo.pop()
        if isinstance(each, ir.Value):
            found.append(each)
        elif isinstance(each, (ir.OpView, ir.Operation)):
            found += each.results
        else:
            todo += [*each][::-1]
    return found


def flatten_ir_types(xs: Iterable[Any]) -> list[Ir]:
    """Types, and sequences of such, as one list of types."""
    ir = ir_module()
    found: list[Ir] = []
    for each in xs:
        found += [each] if isinstance(each, ir.Type) else flatten_ir_types(each)
    return found


def unflatten_ir_values_like_types(xs: Iterable[IrValue], ys: Sequence[Any]) -> list[Any]:
    """Arrange values like types: one for each type, and tuples of them for sequences of types.

    Raises:
        ArgumentError: there are not as many values as types.
    """
    ir, values = ir_module(), [*xs]
    count = len(flatten_ir_types(ys))
    if len(values) != count:
        raise ArgumentError(
            f"unflatten_ir_values_like_types: {len(values)} values are given for {count} types",
            fix="pass the results of an operation with those types",
        )
    rest = iter(values)
    return [
        next(rest) if isinstance(each, ir.Type) else tuple([next(rest) for _ in each])
        for each in ys
    ]


@final
class IrTrees:
    """Trees of MLIR's values and types: lists and tuples are branches, all else are leaves."""

    def flatten(self, tree: Any) -> tuple[list[Any], PyTreeDef]:
        """Return the leaves of a tree, and its structure, whose `unflatten` puts others in their places."""
        return tree_flatten(tree, is_leaf=lambda x: type(x) not in (list, tuple))


ir_tree_registry: Final = IrTrees()


def ir_attribute(val: object) -> Ir:
    """Return a Python value as an attribute of MLIR, within a rule.

    Numbers of Python have 64 bits, NumPy's scalars and arrays their own type; strings; element types; lists, tuples and
    dicts of all these; an attribute stays what it is.

    Raises:
        ArgumentError: it is nothing of these.
    """
    ir = ir_module()
    if isinstance(val, ir.Attribute):
        return val
    if isinstance(val, np.dtype):
        scalar = ir.RankedTensorType(ir_type(ArrayType((), val)))
        return ir.TypeAttr.get(scalar.element_type)
    if isinstance(val, list | tuple):
        return ir.ArrayAttr.get([ir_attribute(each) for each in val])
    if isinstance(val, Mapping):
        return ir.DictAttr.get({name: ir_attribute(each) for name, each in val.items()})
    return ir.Attribute.parse(attribute_text("ir_attribute", val))


boundaries(__name__)
