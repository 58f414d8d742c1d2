"""Branches: cond and switch.

Branches are staged (`lax/control/staging.py`), also when nothing else is: inside, all arrays are tracers without
elements, and Python's `if` on them is an error that says what to do. What a branch captured, tracers of outer
transformations among it, becomes operands of the primitive.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar, overload

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    DTypeError,
    Operand,
    Operands,
    Program,
    ShapeError,
    Sharding,
    Value,
    bind,
    ops,
)
from treadle_ir.calling import as_array
from treadle_ir.core.dtypes import is_bool, is_integer
from treadle_ir.errors import ShardingTypeError, StructureError, sequence
from treadle_ir.primitives.control import Case
from treadle_ir.primitives.convert import Convert
from treadle_ir.primitives.sharding import ShardingConstraint
from treadle_ir.refs import Cell, discharged, holding, store, without_references
from treadle_ir.sharding import types_here
from treadle_ir.tracing import explicit_mesh, interned, over_mesh_of
from treadle_ir.tree import explain_difference, flatten_leaves_and_structure, tree_unflatten
from treadle_numpy.lax.control.carries import SAME_SHAPES, type_differences
from treadle_numpy.lax.control.plain import plain_choice, plainly
from treadle_numpy.lax.control.staging import (
    Body,
    first_difference,
    flatten_operands,
    paths_of,
    stage_body,
    with_common_captures,
)
from treadle_numpy.operands.coerce import ArrayLike, coerce, operand_type
from treadle_numpy.operands.promote import converted
from treadle_numpy.operands.trees import Container, Tree

__all__ = ["cond", "switch"]

_I32: Final = np.dtype(np.int32)
_UNSPECIFIED: Final = object()


One = TypeVar("One")
Result = TypeVar("Result")


@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[[], ArrayLike],
    false_fun: Callable[[], ArrayLike],
    /,
) -> Array: ...
@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[[], Result],
    false_fun: Callable[[], Result],
    /,
) -> Result: ...
@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[[Array], ArrayLike],
    false_fun: Callable[[Array], ArrayLike],
    operand: ArrayLike,
    /,
) -> Array: ...
@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[[Tree], Result],
    false_fun: Callable[[Tree], Result],
    operand: Container,
    /,
) -> Result: ...
@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[[One], Result],
    false_fun: Callable[[One], Result],
    operand: One,
    /,
) -> Result: ...
@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[..., Result],
    false_fun: Callable[..., Result],
    first: Tree,
    second: Tree,
    /,
    *operands: Tree,
) -> Result: ...
@overload
def cond(
    pred: ArrayLike,
    true_fun: Callable[[Tree], Result],
    false_fun: Callable[[Tree], Result],
    *,
    operand: Tree,
) -> Result: ...
@overload
def cond(
    pred: ArrayLike,
    true_operand: Tree,
    true_fun: Callable[[Tree], Result],
    false_operand: Tree,
    false_fun: Callable[[Tree], Result],
    /,
) -> Result: ...
def cond(
    pred: ArrayLike, true_fun: Tree, false_fun: Tree, *operands: Tree, operand: Tree = _UNSPECIFIED
) -> Tree:
    """Return `true_fun(*operands)` if `pred` is true, else `false_fun(*operands)`; only one of them runs.

    Under vmap with a batched `pred`, both run and each batch element gets its own result. The older form `cond(pred,
    true_operand, true_fun, false_operand, false_fun)` is accepted, too.

    Args:
        pred: a boolean or number of shape `()`; a number other than 0 is true.
        true_fun: a function of the operands.
        false_fun: a function of the operands; its results have the same structure, shapes and dtypes.
        operands: pytrees of arrays.
        operand: a single operand, by keyword.

    Returns:
        The results of the function that ran.

    Raises:
        ArgumentError: `pred` is not a scalar; StructureError, ShapeError, DTypeError: the branches return different
            things.

    Example:
        >>> import numpy as np
        >>> print(cond(True, lambda x: x + 1, lambda x: x - 1, np.float32(1)))
        2.0
    """
    if operand is not _UNSPECIFIED:
        if operands:
            raise ArgumentError(
                "cond: `operand` and positional operands were given; pass one or the other"
            )
        operands = (operand,)
    if len(operands) == 2 and not (callable(true_fun) and callable(false_fun)):
        true_operand, first_fun, (false_operand, second_fun) = true_fun, false_fun, operands
        if callable(first_fun) and callable(second_fun):
            return cond(
                pred,
                lambda x, _: first_fun(x),
                lambda _, x: second_fun(x),
                true_operand,
                false_operand,
            )
    if not (callable(true_fun) and callable(false_fun)):
        raise ArgumentError(
            "cond: true_fun and false_fun must be functions, "
            f"got {type(true_fun).__name__} and {type(false_fun).__name__}",
            fix="write cond(pred, lambda: a, lambda: b), or use `where` to choose between arrays",
        )
    index = coerce("cond", 0, pred)
    given_type = operand_type(index)
    if given_type.shape:
        raise ArgumentError(
            f"cond: pred must be a scalar, but it is {given_type}",
            fix="reduce it with `all` or `any`, or use `where`, which chooses element by element",
        )
    if not is_bool(given_type.dtype):
        index = ops.compare(index, given_type.dtype.type(0), direction="ne")
    index = ops.convert(index, dtype=_I32)
    return _choice("cond", index, (false_fun, true_fun), ("false_fun", "true_fun"), operands)


@overload
def switch(
    index: ArrayLike,
    branches: Sequence[Callable[..., ArrayLike]],
    *operands: Tree,
    operand: Tree = ...,
) -> Array: ...
@overload
def switch(
    index: ArrayLike,
    branches: Sequence[Callable[..., Result]],
    *operands: Tree,
    operand: Tree = ...,
) -> Result: ...
def switch(
    index: ArrayLike,
    branches: Sequence[Callable[..., Tree]],
    *operands: Tree,
    operand: Tree = _UNSPECIFIED,
) -> Tree:
    """Return `branches[index](*operands)`, with `index` clamped to the range of branches; only that branch runs.

    Args:
        index: an integer of shape `()`.
        branches: functions of the operands; their results have the same structure, shapes and dtypes.
        operands: pytrees of arrays.
        operand: a single operand, by keyword.

    Returns:
        The results of the branch that ran. Under vmap with a batched `index`, all branches run and results are
        selected.

    Raises:
        ArgumentError: `index` is not an integer scalar; StructureError, ShapeError, DTypeError: the branches return
            different things.

    Example:
        >>> print(switch(7, [lambda x: x, lambda x: 2 * x], np.float32(3)))
        6.0
    """
    if operand is not _UNSPECIFIED:
        if operands:
            raise ArgumentError(
                "switch: `operand` and positional operands were given; pass one or the other"
            )
        operands = (operand,)
    functions = sequence("switch", "branches", branches)
    if not all(callable(function) for function in functions):
        raise ArgumentError("switch: branches must be functions")
    given = coerce("switch", 0, index)
    type = operand_type(given)
    if type.shape or not is_integer(type.dtype):
        raise ArgumentError(
            f"switch: the index must be an integer scalar, but it is {type}",
            fix="convert it with .astype(int), or use cond for a boolean",
        )
    if not functions:
        raise ArgumentError("switch: there must be at least one branch")
    if len(functions) == 1:
        return functions[0](*operands)
    if type.dtype != _I32:
        last = min(len(functions) - 1, int(np.iinfo(type.dtype).max))
        low, high = type.dtype.type(0), type.dtype.type(last)
        given = ops.clamp(low, converted(given, type.dtype), high)
        given = ops.convert(given, dtype=_I32)
    names = [f"branch {number}" for number in range(len(functions))]
    return _choice("switch", given, functions, names, operands)


def _choice(
    name: str,
    index: Operand,
    functions: Sequence[Callable[..., Tree]],
    names: Sequence[str],
    operands: tuple[Tree, ...],
) -> Tree:
    if plainly():
        done = plain_choice(index, functions, operands)
        if done is not None:
            return done[0]
    leaves: list[Operand] = []
    structures = []
    for number, tree in enumerate(operands):
        try:
            more, structure = flatten_operands(name, f"operand {number}", tree)
        except ArgumentError:
            cells = _with_cells(functions, operands)
            if cells is None:
                raise
            return _choice(name, index, cells[0], names, cells[1])
        leaves += more
        structures.append(structure)

    def run(refs: tuple[Cell, ...]) -> Tree:
        given, shapes = leaves, structures
        if refs:
            values, structure = flatten_operands("refs", "", [ref.load() for ref in refs])
            given, shapes = [*leaves, *values], [*structures, structure]
        types = types_here(given)
        staged: dict[int, Body] = {}  # a function that is several branches is traced once
        for function, what in zip(functions, names, strict=True):
            if id(function) not in staged:
                staged[id(function)] = stage_body(
                    f"{what} of {name}",
                    _with_refs(refs, function),
                    shapes,
                    types,
                    written=function,
                )
        bodies = [staged[id(function)] for function in functions]
        for body, what in zip(bodies[:-1], names[:-1], strict=True):
            _check_same_types(name, names[-1], bodies[-1], what, body)
        bodies = _weak_alike(bodies, functions)
        bodies = _divided_alike(bodies, functions)
        for body, what in zip(bodies[:-1], names[:-1], strict=True):
            _check_same_layouts(name, names[-1], bodies[-1], what, body)
        programs, captured = with_common_captures(bodies, functions)
        results = _handed_on(
            programs,
            [*captured, *given],
            bind(Case(tuple(programs)), index, *captured, *given),
        )
        output = tree_unflatten(bodies[0].structures[0], results)
        if not refs:
            return output
        output, after = output
        store(refs, after)
        return output

    with over_mesh_of(leaves):
        return discharged(run, forgets=True)


def _weak_alike(bodies: Sequence[Body], functions: Sequence[object]) -> list[Body]:
    """Return bodies whose results are weak where the first body's results are; `false_fun` is the first."""
    wanted = bodies[0].program.result_types
    alike = []
    for body, function in zip(bodies, functions, strict=True):
        program = body.program.then(
            [
                Convert(new.dtype, new.weak)
                if isinstance(new, ArrayType)
                and new.strong() == old.strong()
                and new.plain is not old.plain
                else None
                for new, old in zip(wanted, body.program.result_types, strict=True)
            ],
            explicit_mesh(),
        )
        if program is not body.program:
            body = replace(body, program=interned(function, program))
        alike.append(body)
    return alike


def _divided_alike(bodies: Sequence[Body], functions: Sequence[object]) -> list[Body]:
    """Bodies that divide what they return whole as the others do, if these do so in one way: that costs nothing."""
    mesh = explicit_mesh()
    if mesh is None:
        return [*bodies]
    every = [body.shardings for body in bodies]
    wanted = [_one_division(shardings) for shardings in zip(*every, strict=True)]
    divided = []
    for body, shardings, function in zip(bodies, every, functions, strict=True):
        program = body.program.then(
            [
                None if new is None or new is old else ShardingConstraint.of(mesh, new.dims)
                for new, old in zip(wanted, shardings, strict=True)
            ],
            mesh,
        )
        if program is not body.program:
            body = replace(body, program=interned(function, program))
        divided.append(body)
    return divided


def _one_division(shardings: Sequence[Sharding | None]) -> Sharding | None:
    """Return how a result is divided by some branches, all in the same way, that others return replicated."""
    divided = {each for each in shardings if each is not None and not each.is_replicated}
    return divided.pop() if len(divided) == 1 and len({*shardings}) == 2 else None


def _handed_on(
    programs: Sequence[Program], operands: Sequence[Operand], results: Operands
) -> list[Operand]:
    """Return the results, with the operand itself where all branches return it: it does not depend on the index."""
    found = [*results]
    places = {parameter: place for place, parameter in enumerate(programs[0].parameters)}
    for number, result in enumerate(programs[0].results):
        place = places.get(result) if isinstance(result, Value) else None
        if place is not None and all(
            [program.results[number] is program.parameters[place] for program in programs]
        ):
            found[number] = as_array(operands[place])
    return found


def _with_cells(
    functions: Sequence[Callable[..., Tree]], operands: tuple[Tree, ...]
) -> tuple[list[Callable[..., Tree]], tuple[Tree, ...]] | None:
    """Branches that close over references and their like, and the other operands; None where there are none."""
    parts = [flatten_leaves_and_structure(operand) for operand in operands]
    split = [without_references(leaves) for leaves, _ in parts]
    if all(
        len(others) == len(leaves) for (leaves, _), (others, _) in zip(parts, split, strict=True)
    ):
        return None

    def closing(function: Callable[..., Tree]) -> Callable[..., Tree]:
        def branch(*others: list[Tree]) -> Tree:
            every = zip(parts, split, others, strict=True)
            return function(
                *[
                    tree_unflatten(structure, with_references(mine))
                    for (_, structure), (_, with_references), mine in every
                ]
            )

        return branch

    closed = {id(function): closing(function) for function in functions}
    return [closed[id(function)] for function in functions], tuple([others for others, _ in split])


def _with_refs(refs: tuple[Cell, ...], function: Callable[..., Tree]) -> Callable[..., Tree]:
    """Return a branch that is given what refs hold after its operands, and returns what they hold in the end, too."""
    if not refs:
        return function

    def branch(*operands: Tree) -> tuple[Tree, list[Tree]]:
        with holding(refs, operands[-1]) as held:
            return function(*operands[:-1]), held()

    return branch


def _check_same_types(name: str, one_name: str, one: Body, other_name: str, other: Body) -> None:
    (left,), (right,) = one.structures, other.structures
    if left != right:
        lines = "; ".join(explain_difference(left, right))
        raise StructureError(
            f"{name} branch outputs must have the same pytree structure, but the outputs of {one_name} "
            f"and {other_name} differ {lines}",
            fix="return the same containers from all branches; fill what a branch lacks with zeros",
        )
    (left_types,), (right_types,) = one.result_types, other.result_types
    lines, is_shape = type_differences(left, left_types, right_types)
    if lines:
        error = ShapeError if is_shape else DTypeError
        raise error(
            f"{name} branches must have equal output types but the types of {one_name} and {other_name} differ {lines}",
            fix=SAME_SHAPES if is_shape else "convert one of them with .astype(...)",
        )


def _check_same_layouts(name: str, one_name: str, one: Body, other_name: str, other: Body) -> None:
    (structure,), (types,) = one.structures, one.result_types
    differs = first_difference(types, one.shardings, other.shardings)
    if differs is not None:
        number, first, second = differs
        raise ShardingTypeError(
            f"{name}: {one_name} and {other_name} must return the same types, but at "
            f"{paths_of(structure)[number] or 'their only leaf'} they return {first} and {second}",
            fix="lay them alike in the branches: `reshard(x, P(...))`",
        )
