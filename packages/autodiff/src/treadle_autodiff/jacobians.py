"""The matrices of derivatives: jacfwd, jacrev, hessian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from treadle_autodiff.grad import check_input
from treadle_autodiff.linear_maps import pullback
from treadle_autodiff.linearize import Linearized, linearize_tree
from treadle_autodiff.tangents import presented
from treadle_autodiff.user_function import (
    Argnums,
    Tree,
    check_callable,
    note_derivative,
    released,
)
from treadle_autodiff.vjp import differentiable
from treadle_ir import ArrayType, DTypeError, Operand, Operands, UnsupportedError, ops, type_of
from treadle_ir.calling import TreeFunction, array_results, flatten_arrays, results_and_aux
from treadle_ir.core import dtypes
from treadle_ir.errors import wraps
from treadle_ir.tracing import positions
from treadle_ir.tree import forms, opened_leaves, tree_unflatten

# A mapper applies a linear function to every slice of stacked operands: vmap, where there is treadle_batching.
Mapper: TypeAlias = Callable[[Callable[..., Operands], int, Sequence[Operand]], Operands]


def in_a_loop(
    function: Callable[..., Operands], size: int, stacked: Sequence[Operand]
) -> list[Operand]:
    """Apply a function to each slice of the stacked operands, one after the other, and stack what it returns."""
    rows = []
    for i in range(size):
        row = []
        for x in stacked:
            shape = type_of(x).shape
            rest = (0,) * (len(shape) - 1)
            part = ops.slice(x, start=(i, *rest), limit=(i + 1, *shape[1:]))
            row.append(ops.reshape(part, shape=shape[1:]))
        rows.append(list(function(*row)))
    return [
        ops.concatenate([ops.reshape(x, shape=(1, *type_of(x).shape)) for x in column], dimension=0)
        for column in zip(*rows, strict=True)
    ]


def _basis(types: Sequence[ArrayType]) -> list[Operand]:
    """Return the unit vectors of the space of several arrays, stacked along a new first axis of each."""
    total = sum(type.size for type in types)
    basis: list[Operand] = []
    start = 0
    for type in types:
        rows = np.zeros((total, type.size), type.dtype)
        rows[np.arange(start, start + type.size), np.arange(type.size)] = 1
        vectors: Operand = rows.reshape(total, *type.shape)
        basis.append(ops.convert(vectors, dtype=type.dtype, weak=True) if type.weak else vectors)
        start += type.size
    return basis


def _blocks(rows: Operand, types: Sequence[ArrayType]) -> list[Operand]:
    """Split the first axis of stacked slices by the arrays whose unit vectors it runs over: [*array, *rest]."""
    parts: list[Operand] = []
    start = 0
    shape = type_of(rows).shape
    for type in types:
        rest = (0,) * (len(shape) - 1)
        part = ops.slice(rows, start=(start, *rest), limit=(start + type.size, *shape[1:]))
        parts.append(ops.reshape(part, shape=(*type.shape, *shape[1:])))
        start += type.size
    return parts


# Of a linearized function and its operands: for each result a list of blocks, one [*result, *operand] per operand.
Blocks: TypeAlias = Callable[[Linearized, Operands, Sequence[bool]], Sequence[Sequence[Operand]]]


def _jacobian(
    name: str,
    fun: Callable[..., Tree],
    argnums: Argnums,
    has_aux: bool,
    holomorphic: bool,
    allow_int: bool,
    blocks: Blocks,
) -> Callable[..., Tree]:
    """Return the function that jacfwd and jacrev share, which differ in `blocks`."""
    check_callable(fun, name)

    @wraps(fun)
    def jacobian(*args: Tree, **kwargs: Tree) -> Tree:
        wanted = positions(argnums, len(args), f"{name}: argnums", "differentiated")
        chosen = [args[i] for i in wanted]
        leaves, structure = flatten_arrays(chosen, f"{name}: argument ")
        given = opened_leaves(chosen)
        for position, argument in zip(wanted, chosen, strict=True):
            for leaf in opened_leaves(argument):
                check_input(leaf, position, holomorphic, allow_int, name)

        def rebuilt(operands: Sequence[Tree]) -> tuple[list[Tree], dict[str, Tree]]:
            arguments = [*args]
            for position, value in zip(wanted, tree_unflatten(structure, operands), strict=True):
                arguments[position] = value
            return arguments, kwargs

        nonzero = differentiable(leaves, structure)
        function = TreeFunction(fun, rebuilt, results_and_aux(name, array_results(), has_aux))
        linearized, (out, aux) = linearize_tree(function, leaves, nonzero, given)
        for each in (structure, out):
            if forms(each):
                raise UnsupportedError(
                    f"{name}: an argument or a result is of a type of a library's own, which has no Jacobian",
                    fix="differentiate a function of arrays, or use jvp or vjp",
                )
        trees = []
        for by_operand in blocks(linearized, leaves, nonzero):
            inputs = tree_unflatten(structure, by_operand)
            trees.append(tuple(inputs) if isinstance(argnums, (tuple, list)) else inputs[0])
        result = tree_unflatten(out, trees)
        return (result, *released(aux)) if has_aux else result

    note_derivative(jacobian, name, fun, argnums, has_aux)
    return jacobian


def jacfwd(
    fun: Callable[..., Tree],
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    mapper: Mapper = in_a_loop,
) -> Callable[..., Tree]:
    """Return a function that computes the Jacobian by forward mode: one tangent for each element of the arguments.

    The result is a tree of the function's results, whose leaves are trees of the argument (a tuple of them
    when `argnums` is a sequence) with arrays of shape `[*result, *argument]`. `mapper` pushes all tangents
    at once where there is `vmap`.
    """

    def by_columns(
        linearized: Linearized, leaves: Operands, nonzero: Sequence[bool]
    ) -> list[list[Operand]]:
        types = [type_of(leaf) for leaf in leaves]

        def push(*tangents: Operand) -> Operands:
            found = linearized.tangents(*tangents)
            return [
                presented(t, type_of(x)) for t, x in zip(found, linearized.results, strict=True)
            ]

        columns = mapper(push, sum(type.size for type in types), _basis(types))
        return [
            [
                _moved_behind(block, type.ndim)
                for block, type in zip(_blocks(column, types), types, strict=True)
            ]
            for column in columns  # [operands, *result]
        ]

    return _jacobian("jacfwd", fun, argnums, has_aux, holomorphic, False, by_columns)


def _moved_behind(x: Operand, count: int) -> Operand:
    """With the first `count` axes behind all others."""
    order = (*range(count, type_of(x).ndim), *range(count))
    return ops.transpose(x, permutation=order)


def jacrev(
    fun: Callable[..., Tree],
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
    *,
    mapper: Mapper = in_a_loop,
) -> Callable[..., Tree]:
    """Return a function that computes the Jacobian by reverse mode: one cotangent for each element of the results.

    The result has the shape that `jacfwd` describes. `mapper` pulls all cotangents at once where there is
    `vmap`.
    """

    def by_rows(
        linearized: Linearized, leaves: Operands, nonzero: Sequence[bool]
    ) -> list[tuple[Operand, ...]]:
        types = [type_of(result) for result in linearized.results]
        for type in types:
            if not (
                dtypes.is_complex(type.dtype) if holomorphic else dtypes.is_floating(type.dtype)
            ):
                kind = "complex" if holomorphic else "real-valued"
                raise DTypeError(
                    f"jacrev requires {kind} outputs, but got {dtypes.user_name(type.dtype)}."
                )

        def pull(*cotangents: Operand) -> Operands:
            outgoing = pullback(linearized, cotangents, leaves, nonzero)
            return [presented(ct, type_of(x)) for ct, x in zip(outgoing, leaves, strict=True)]

        rows = mapper(pull, sum(type.size for type in types), _basis(types))
        return list(zip(*(_blocks(row, types) for row in rows), strict=True))  # [*result, *operand]

    return _jacobian("jacrev", fun, argnums, has_aux, holomorphic, allow_int, by_rows)


def hessian(
    fun: Callable[..., Tree],
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    mapper: Mapper = in_a_loop,
) -> Callable[..., Tree]:
    """Return a function that computes the matrix of second derivatives: forward mode over reverse mode."""
    inner = jacrev(fun, argnums, has_aux, holomorphic, mapper=mapper)
    return jacfwd(inner, argnums, has_aux, holomorphic, mapper=mapper)
