"""`check`: the user's own condition, an operation of the program until `checkify` makes it a result."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter
from typing import Any, ClassVar, final

import numpy as np

from treadle.experimental.checkify.sites import Elements, Site
from treadle_autodiff import Tangent, jvp_rule, transpose_rules
from treadle_batching import Axis, Dim, batch_rule
from treadle_batching.moving import at_front
from treadle_compiler import HloValue, LoweringContext, lowering_rule
from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    Effect,
    Effects,
    Operand,
    Operands,
    Primitive,
    ShapeError,
    Type,
    UnsupportedError,
    bind,
    eval_rule,
    ops,
    type_of,
)
from treadle_ir.calling import as_array, flatten_arrays
from treadle_ir.core.dtypes import is_key
from treadle_ir.errors import FailedCheckError, boundaries, capture, flags, refused, shown
from treadle_ir.process import frozen
from treadle_ir.tracing import Tracer, concrete_elements, staging_trace

__all__ = ["check", "debug_check"]


@final
@frozen
class Checking(Effect):
    """May fail: it is not to be dropped, although nothing reads it."""

    name: ClassVar[str] = "checking"
    ordered: ClassVar[bool] = False
    allowed_in_loops: ClassVar[bool] = True
    differentiable: ClassVar[bool] = True
    may_be_speculated: ClassVar[bool] = False


@final
@frozen
class Check(Primitive):
    """Fails at its site where operand 0, a scalar boolean, is false; the other operands are what the site reports.

    A check that is `debug` means nothing outside of `checkify`.
    """

    takes_keys: ClassVar[bool] = True  # they may be reported
    name: ClassVar[str] = "check"
    site: Site
    debug: bool = False

    def infer(self, *operands: Type) -> tuple[Type, ...]:
        """Nothing comes out."""
        condition = operands[0]
        if not isinstance(condition, ArrayType) or condition.shape or condition.dtype.kind != "b":
            raise ShapeError(f"check: the condition is {condition}, but must be bool[]")
        return ()

    def effects(self, *operands: Type) -> Effects:
        """Return the effect of a check, which may fail."""
        return frozenset({Checking()})


def check(
    pred: object, msg: str, *fmt_args: object, debug: bool = False, **fmt_kwargs: object
) -> None:
    """Make the function that `checkify` transforms fail, with a message, where a condition does not hold.

    `msg` is a format string: `fmt_args` and `fmt_kwargs`, trees of arrays and numbers, are put into it when it is
    shown. Outside of `checkify` a check that fails raises at once; a compiled function cannot raise, so there it
    needs `checkify`. A `debug` check is none outside of `checkify`.

    Raises:
        FailedCheckError: at once, outside of every transformation, where the condition does not hold.
        ArgumentError: the condition is not a scalar boolean, the message is not a string, or it has names that no value
            is given for.
        UnsupportedError: when a function that has not been transformed by `checkify` is compiled.

    Example:
        >>> import treadle
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import checkify
        >>> def f(x):
        ...     checkify.check(x > 0, "x must be positive, got {x}", x=x)
        ...     return tnp.log(x)
        >>> error, y = treadle.jit(checkify.checkify(f))(-1.0)
        >>> error.get()
        'x must be positive, got -1.0 (`check` failed)'
    """
    if not isinstance(msg, str):
        raise refused("check", "msg", "a string", msg)
    flags("check", debug=debug)
    condition = as_array(pred)
    if condition.shape or condition.dtype.kind != "b":
        raise ArgumentError(
            f"check: the condition is {shown(pred)}, but must be a scalar boolean",
            fix="compare, and reduce with `.all()` or `.any()`",
        )
    leaves, structure = flatten_arrays((fmt_args, fmt_kwargs), "check: format argument ")
    _known_names(msg, fmt_args, fmt_kwargs)
    values = [ops.stop_gradient(leaf) for leaf in leaves]
    types = tuple([type_of(value).strong() for value in values])
    message = f"{msg} (`check` failed)"
    site = Site(FailedCheckError, message, structure, types, capture().show())
    checked(Check(site, debug), condition, values)


def debug_check(pred: object, msg: str, *fmt_args: object, **fmt_kwargs: object) -> None:
    """Apply a `check` that has no effect outside of `checkify`: it may stay in code that is compiled without.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import checkify
        >>> def root(x):
        ...     debug_check(x >= 0, "negative: {x}", x=x)
        ...     return tnp.sqrt(x)
        >>> print(root(tnp.float32(-1)))  # not a word
        nan
        >>> error, _ = checkify.checkify(root)(tnp.float32(-1))
        >>> print(error.get().split(" (")[0])
        negative: -1.0
    """
    check(pred, msg, *fmt_args, debug=True, **fmt_kwargs)


def _known_names(msg: str, positional: Sequence[object], named: dict[str, object]) -> None:
    """Refuse a message that cannot be filled in, at the line that wrote it."""
    automatic = 0
    try:
        fields = [field for _, field, _, _ in Formatter().parse(msg) if field is not None]
    except ValueError as error:
        raise ArgumentError(f"check: the message is not a format string: {error}") from error
    for field in fields:
        name = field.partition(".")[0].partition("[")[0]
        if not name:
            name, automatic = str(automatic), automatic + 1
        known = int(name) < len(positional) if name.isdigit() else name in named
        if not known:
            raise ArgumentError(
                f"check: the message names {{{name}}}, but no value is given for it",
                fix="give the value as an argument of `check`, by position or by name",
            )


def checked(primitive: Check, condition: Operand, values: Operands) -> None:
    """Raise now, if everything is known; otherwise leave the check to the program that is written."""
    if staging_trace() is None:
        known = [elements_here(x) for x in (condition, *values)]
        if all(each is not None for each in known):
            _run(primitive, *known)
            return
    bind(primitive, condition, *values)


def elements_here(x: Operand) -> Elements | None:
    """Return the elements of an array, or of keys, that is not a tracer of what is not known yet."""
    dtype = type_of(x).dtype
    if is_key(dtype):
        return None if isinstance(x, Tracer) else np.asarray(x, dtype)
    return concrete_elements(x)


def _run(primitive: Check, *operands: Any) -> None:  # Any: NumPy arrays
    if not primitive.debug and not operands[0]:
        site = primitive.site
        raise site.error(site.text([np.asarray(x) for x in operands[1:]]))


@eval_rule(Check)
def check_eval(primitive: Check, *operands: Any) -> tuple[()]:  # Any: NumPy arrays
    """Raise where it fails."""
    _run(primitive, *operands)
    return ()


@jvp_rule(Check)
def check_jvp(
    primitive: Check, primals: Operands, tangents: Sequence[Tangent], /
) -> tuple[Operands, Sequence[Tangent]]:
    """Apply the same check: it has no results, and no tangents."""
    checked(primitive, primals[0], primals[1:])
    return [], []


transpose_rules.absent(Check, because="it has no results")


@batch_rule(Check)
def check_batch(
    primitive: Check, axis: Axis, operands: Operands, dims: Sequence[Dim], /
) -> tuple[Operands, Sequence[Dim]]:
    """Return one check of the whole batch, which reports the first batch element that fails."""
    condition, *values = operands
    if not axis.size:
        return [], []
    if dims[0] is None:  # what it reports varies, so it reports the first batch element
        first: Operand = np.int32(0)
    else:
        first = first_false(condition)
        condition = ops.reduce_and(condition, axes=(0,))
    chosen = [
        x if dim is None else element(at_front(x, dim, axis), first)
        for x, dim in zip(values, dims[1:], strict=True)
    ]
    checked(primitive, condition, chosen)
    return [], []


def first_false(condition: Operand) -> Array:
    """Return the place of the first false in a vector that is not empty."""
    number = np.dtype(np.int32)
    return ops.argmin(ops.convert(condition, dtype=number), axis=0, dtype=number)


def first_that_failed(outcomes: Sequence[Operand]) -> list[Operand]:
    """Return the number (0: nothing failed) and reports of the first that failed, of outcomes with a leading axis."""
    first = first_false(
        ops.compare(outcomes[0], np.zeros(type_of(outcomes[0]).shape, np.int32), direction="eq")
    )
    return [element(x, first) for x in outcomes]


def element(x: Operand, place: Operand) -> Array:
    """Return the element of an array along its first axis."""
    shape = type_of(x).shape
    starts = [place, *(np.int32(0) for _ in shape[1:])]
    return ops.reshape(ops.dynamic_slice(x, *starts, sizes=(1, *shape[1:])), shape=shape[1:])


@lowering_rule(Check)
def check_lowering(
    context: LoweringContext, primitive: Check, *operands: HloValue
) -> Sequence[HloValue]:
    """Nothing where it is for debugging; else it cannot be compiled."""
    if primitive.debug:
        return ()
    raise UnsupportedError(
        f"check: a compiled function cannot raise, and this one has a check: {primitive.site.message!r}",
        fix="transform the function first: `error, y = jit(checkify.checkify(f))(x); error.throw()`",
        where=primitive.site.where,
    )


boundaries(__name__)
