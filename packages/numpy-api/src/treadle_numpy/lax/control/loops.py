"""Loops: while_loop and fori_loop."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar, overload

import numpy as np

from treadle_ir import ArgumentError, Array, Operand, bind, ops
from treadle_ir.core import default_dtype, promoted
from treadle_ir.core.dtypes import is_bool, is_floating, is_integer
from treadle_ir.errors import functions, integer_or_none
from treadle_ir.primitives.control import While
from treadle_ir.refs import Cell, discharged, holding
from treadle_ir.sharding import types_here
from treadle_ir.tracing import over_mesh_of
from treadle_ir.tree import PyTreeDef, tree_unflatten, treedef_is_leaf, treedef_tuple
from treadle_numpy.lax.control.carries import settled
from treadle_numpy.lax.control.plain import plain_while, plainly
from treadle_numpy.lax.control.scan import carried, carrying, scan_flat
from treadle_numpy.lax.control.staging import flatten_operands, stage_body
from treadle_numpy.operands.coerce import ArrayLike, coerce, host_elements, operand_type
from treadle_numpy.operands.promote import with_dtype
from treadle_numpy.operands.scalars import number
from treadle_numpy.operands.trees import Container, Tree

__all__ = ["fori_loop", "while_loop"]

Carry = TypeVar("Carry")


@overload
def while_loop(
    cond_fun: Callable[[Array], ArrayLike],
    body_fun: Callable[[Array], ArrayLike],
    init_val: ArrayLike,
    *,
    max_steps: int | None = None,
) -> Array: ...
@overload
def while_loop(
    cond_fun: Callable[[Tree], ArrayLike],
    body_fun: Callable[[Tree], Carry],
    init_val: Container,
    *,
    max_steps: int | None = None,
) -> Carry: ...
@overload
def while_loop(
    cond_fun: Callable[[Carry], ArrayLike],
    body_fun: Callable[[Carry], Carry],
    init_val: Carry,
    *,
    max_steps: int | None = None,
) -> Carry: ...
def while_loop(
    cond_fun: Callable[[Tree], ArrayLike],
    body_fun: Callable[[Tree], Tree],
    init_val: Tree,
    *,
    max_steps: int | None = None,
) -> Tree:
    """Run `val = init_val; while cond_fun(val): val = body_fun(val)` as one operation.

    Args:
        cond_fun: a function of the carry that returns a boolean of shape `()`.
        body_fun: a function from the carry to the next carry, of the same structure, shapes and dtypes.
        init_val: the first carry, a pytree of arrays.
        max_steps: a bound of the iterations, at which the loop ends. With it, reverse mode can differentiate the
            loop, which takes memory for that many iterations; without it, only forward mode can.

    Returns:
        The last carry. Under vmap the loop runs until the last batch element is finished; finished elements keep
        their values.

    Raises:
        ArgumentError: `cond_fun` returns no boolean scalar; StructureError, ShapeError, DTypeError: `body_fun`
            returns something else than it took.

    Example:
        >>> import numpy as np
        >>> print(while_loop(lambda x: x < 10, lambda x: 2 * x, np.float32(3)))
        12.0
    """
    if not (callable(cond_fun) and callable(body_fun)):  # type: ignore[redundant-expr]  # for untyped callers
        raise ArgumentError("while_loop: cond_fun and body_fun must be functions")
    max_steps = integer_or_none("while_loop", "max_steps", max_steps)
    if max_steps is not None and not 0 <= max_steps < 1 << 31:
        raise ArgumentError(f"while_loop: max_steps must be from 0 to 2**31 - 1, got {max_steps}")
    leaves, structure = flatten_operands("while_loop", "init_val", init_val)
    return _while("while_loop", cond_fun, body_fun, leaves, structure, max_steps)


def _while(
    name: str,
    cond_fun: Callable[[Tree], ArrayLike],
    body_fun: Callable[[Tree], Tree],
    leaves: list[Operand],
    structure: PyTreeDef,
    max_steps: int | None,
    written: object = None,
) -> Tree:
    if plainly():
        done = plain_while(cond_fun, body_fun, leaves, structure, max_steps)
        if done is not None:
            return done[0]

    def run(refs: tuple[Cell, ...]) -> Tree:
        body_of, operands, both = carrying(
            refs, lambda value: (body_fun(value), None), leaves, structure
        )
        operands, body = settled(
            name,
            operands,
            both,
            "body_fun",
            lambda types: stage_body(
                f"the body of {name}",
                lambda value: body_of(value)[0],
                (both,),
                types,
                written=written or body_fun,
            ),
        )
        types = types_here(operands)
        condition = stage_body(
            f"the condition of {name}",
            _reading(name, refs, cond_fun),
            (both,),
            types,
            written=cond_fun,
        )
        (returned,) = condition.result_types
        (shape,) = condition.structures
        if len(returned) != 1 or not treedef_is_leaf(shape):
            raise _no_condition(name, f"a tree, {shape}")
        if returned[0].shape or not is_bool(returned[0].dtype):
            raise _no_condition(name, str(returned[0]))
        loop = While(
            condition.program, body.program, len(condition.captured), len(body.captured), max_steps
        )
        results = bind(loop, *condition.captured, *body.captured, *operands)
        return carried(refs, tree_unflatten(both, results))

    with over_mesh_of(leaves):
        return discharged(run, forgets=True)


def _no_condition(name: str, what: str) -> ArgumentError:
    return ArgumentError(
        f"{name}: cond_fun must return a boolean scalar, but it returns {what}",
        fix="compare with `<`, `!=`, ...; reduce an array with `all` or `any`",
    )


def _reading(
    name: str, refs: tuple[Cell, ...], cond_fun: Callable[[Tree], ArrayLike]
) -> Callable[[Tree], ArrayLike]:
    """Return the condition of a loop that carries refs, which it may read."""
    if not refs:
        return cond_fun

    def condition(pair: tuple[Tree, list[Tree]]) -> ArrayLike:
        with holding(refs, pair[1]) as held:
            more = cond_fun(pair[0])
            if any(now is not before for now, before in zip(held(), pair[1], strict=True)):
                raise ArgumentError(
                    f"{name}: cond_fun writes to a reference, which only the body may do",
                    fix="write to it in body_fun",
                )
            return more

    return condition


def _concrete(bound: Operand) -> float | None:
    """Return a bound as a Python number, if it has elements."""
    elements = host_elements(bound)
    return None if elements is None else elements.item()


@overload
def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Array, Array], ArrayLike],
    init_val: ArrayLike,
    *,
    unroll: int | bool | None = None,
) -> Array: ...
@overload
def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Array, Tree], Carry],
    init_val: Container,
    *,
    unroll: int | bool | None = None,
) -> Carry: ...
@overload
def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Array, Carry], Carry],
    init_val: Carry,
    *,
    unroll: int | bool | None = None,
) -> Carry: ...
def fori_loop(
    lower: ArrayLike,
    upper: ArrayLike,
    body_fun: Callable[[Array, Tree], Tree],
    init_val: Tree,
    *,
    unroll: int | bool | None = None,
) -> Tree:
    """Run `val = init_val; for i in range(lower, upper): val = body_fun(i, val)` as one operation.

    With bounds whose values are known it is a `scan`, which reverse mode can differentiate; with traced bounds it is
    a `while_loop`.

    Args:
        lower: the first `i`, an integer of shape `()`. Both bounds may also be finite floats: then `i` is a float
            that grows by 1 as long as it is less than `upper`.
        upper: the bound of `i`, exclusive, of shape `()`.
        body_fun: a function of `i` and the carry that returns the next carry, of the same structure, shapes and
            dtypes.
        init_val: the first carry, a pytree of arrays.
        unroll: how many iterations the body of the compiled loop holds; True for all. Only for known bounds.

    Returns:
        The last carry.

    Raises:
        ArgumentError: a bound is not a scalar, or they are not both integers or both finite floats, or `unroll` is
            given with traced bounds; StructureError, ShapeError, DTypeError: `body_fun` returns something else than it
            took.

    Example:
        >>> print(fori_loop(0, 5, lambda i, total: total + i, 0))
        10
    """
    functions("fori_loop", body_fun=body_fun)
    if not callable(body_fun):
        raise ArgumentError("fori_loop: body_fun must be a function")
    bounds = [coerce("fori_loop", number, bound) for number, bound in enumerate((lower, upper))]
    types = [operand_type(bound) for bound in bounds]
    are_floats = all([is_floating(type.dtype) for type in types])
    for name, type in zip(("lower", "upper"), types, strict=True):
        if type.shape or not (are_floats or is_integer(type.dtype)):
            raise ArgumentError(
                f"fori_loop: {name} must be an integer scalar, but it is {type}",
                fix="pass an int, or an array with .astype(int); floats for both bounds count, too",
            )
    dtype, _ = promoted(types)
    weak = types[0].weak and types[0].dtype == dtype  # as the index is
    first, last = [
        with_dtype(bound, type, dtype, weak) for bound, type in zip(bounds, types, strict=True)
    ]
    start, stop = _concrete(first), _concrete(last)
    if start is not None and stop is not None and not are_floats:
        first = _counted_from(start, stop, first)
    leaves, structure = flatten_operands("fori_loop", "init_val", init_val)
    (_, index_structure) = flatten_operands("fori_loop", "the index", 0)
    one = number(1, first)

    def iteration(pair: tuple[Array, Tree]) -> tuple[Array, Tree]:
        i, value = pair
        return ops.add(i, one), body_fun(i, value)

    both = _pair(index_structure, structure)
    if start is not None and stop is not None:
        if not math.isfinite(stop - start):
            raise ArgumentError(
                f"fori_loop: the bounds must be finite, but they are {start} and {stop}"
            )
        length = max(math.ceil(stop - start), 0)
        if length >= 2**31:
            raise ArgumentError(
                f"fori_loop: {length} steps were asked for, but loops count in 32 bits, up to {2**31 - 1}",
                fix="put one loop into another: fori_loop(0, n, lambda i, x: fori_loop(0, m, body, x), x)",
            )

        def scanned(pair: Tree) -> tuple[Tree, None]:
            return iteration(pair), None

        outputs = scan_flat(
            "fori_loop", scanned, [first, *leaves], both, [], (), length, False, unroll, body_fun
        )
        return outputs[0][1]
    if unroll is not None:
        raise ArgumentError(
            "fori_loop: `unroll` needs bounds whose values are known, but a bound is traced",
            fix="leave `unroll` out, or pass Python integers as bounds",
        )

    def more(pair: tuple[Array, Tree]) -> Array:
        return ops.compare(pair[0], last, direction="lt")

    return _while("fori_loop", more, iteration, [first, *leaves], both, None, body_fun)[1]


def _counted_from(start: float, stop: float, first: Operand) -> Operand:
    """Return the first index of a loop whose bounds are known: a Python integer, if it holds all of them."""
    limits = np.iinfo(default_dtype(int))
    fits = limits.min <= start and stop <= limits.max
    return coerce("fori_loop", 0, int(start)) if fits else first


def _pair(first: PyTreeDef, second: PyTreeDef) -> PyTreeDef:
    return treedef_tuple((first, second))
