"""grad, value_and_grad, and the matrices of derivatives: jacfwd, jacrev, hessian."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np

from treadle_autodiff.flat import (
    FlatFunction,
    Tree,
    argument_positions,
    flatten_arrays,
    refuse_others,
)
from treadle_autodiff.linearize import Linearized, linearize_flat
from treadle_autodiff.tangents import materialise, presented
from treadle_autodiff.vjp import differentiable, pulled
from treadle_ir import (
    ArgumentError,
    ArrayType,
    DTypeError,
    Operand,
    Operands,
    ShapeError,
    as_array,
    dtypes,
    ops,
    type_of,
)
from treadle_ir.tree import flatten_leaves_and_structure, tree_unflatten

Argnums: TypeAlias = int | Sequence[int]


def value_and_grad(
    fun: Callable[..., Tree],
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., tuple[Tree, Tree]]:
    """A function that returns the value of `fun` and its gradient (reverse mode).

    Args:
        fun: returns a scalar (an array of rank 0), with `has_aux` a pair of it and anything.
        argnums: which positional argument to differentiate with respect to; several give a tuple of gradients.
        has_aux: the function returns `(value, aux)`; the result is `((value, aux), gradient)`.
        holomorphic: the function is complex-differentiable; arguments and result are complex.
        allow_int: integers may be differentiated; their gradients are float0.

    Raises:
        TypeError: when called, if the result is not a real scalar or an argument is not real (or complex).

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import value_and_grad
        >>> value_and_grad(ops.square)(np.float32(3.0))
        (array(9., dtype=float32), array(6., dtype=float32))
    """
    _check_callable(fun, "grad")

    @functools.wraps(fun)
    def value_and_gradient(*args: Tree, **kwargs: Tree) -> tuple[Tree, Tree]:
        wanted = argument_positions(argnums, len(args), "grad: argnums", "differentiated")
        # All positional arguments are traced (concretely), as the FAQ says; only `wanted` get tangents.
        flattened = [flatten_leaves_and_structure(arg) for arg in args]
        leaves: list[Operand] = []
        nonzero: list[bool] = []
        traced: list[list[bool]] = []
        for position, (arg_leaves, _) in enumerate(flattened):
            if position in wanted:
                refuse_others(args[position], arg_leaves, f"grad: argument {position}")
                flags = [True] * len(arg_leaves)
                nonzero += [
                    _check_input(leaf, position, holomorphic, allow_int) for leaf in arg_leaves
                ]
            else:
                flags = [_is_array(leaf) for leaf in arg_leaves]
                nonzero += [False] * sum(flags)
            traced.append(flags)
            leaves += [as_array(leaf) for leaf, flag in zip(arg_leaves, flags, strict=True) if flag]

        def arguments(operands: Operands) -> list[Tree]:
            given = iter(operands)
            return [
                tree_unflatten(
                    structure,
                    [
                        next(given) if flag else leaf
                        for leaf, flag in zip(arg_leaves, flags, strict=True)
                    ],
                )
                for (arg_leaves, structure), flags in zip(flattened, traced, strict=True)
            ]

        call = FlatFunction(
            "grad",
            functools.partial(fun, **kwargs),
            arguments,
            has_aux,
            lambda output: ([_check_output(output, holomorphic)], None),
        )
        linearized = linearize_flat(call, leaves, nonzero)
        (value,) = linearized.results
        one = type_of(value).dtype.type(1)
        outgoing = iter(pulled(linearized, [one], leaves, nonzero))
        gradients: dict[int, Tree] = {}
        for position, ((_, structure), flags) in enumerate(zip(flattened, traced, strict=True)):
            cotangents = [next(outgoing) for flag in flags if flag]
            if position in wanted:
                gradients[position] = tree_unflatten(structure, list(map(presented, cotangents)))
        if isinstance(argnums, int):
            gradient: Tree = gradients[wanted[0]]
        else:
            gradient = tuple([gradients[position] for position in wanted])
        return ((value, *call.aux) if has_aux else value), gradient

    return value_and_gradient


def grad(
    fun: Callable[..., Tree],
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    allow_int: bool = False,
) -> Callable[..., Tree]:
    """A function that returns the gradient of `fun` (with `has_aux`, `(gradient, aux)`).

    Arguments and errors are those of `value_and_grad`.

    Example:
        >>> import numpy as np
        >>> from treadle_ir import ops
        >>> from treadle_autodiff import grad
        >>> grad(ops.tanh)(np.float32(0.0))
        array(1., dtype=float32)
    """
    both = value_and_grad(fun, argnums, has_aux, holomorphic, allow_int)

    @functools.wraps(fun)
    def gradient(*args: Tree, **kwargs: Tree) -> Tree:
        value, derivative = both(*args, **kwargs)
        return (derivative, value[1]) if has_aux else derivative

    return gradient


def _check_callable(fun: object, name: str) -> None:
    if not callable(fun):
        raise ArgumentError(
            f"{name}: the first argument must be a function, but it is {type(fun).__name__}",
            fix=f"write {name}(f)(x), not {name}(f(x))",
        )


def _is_array(leaf: object) -> bool:
    try:
        type_of(leaf)
    except ArgumentError:
        return False
    return not isinstance(leaf, bool)


def _check_input(leaf: Operand, position: int, holomorphic: bool, allow_int: bool) -> bool:
    """Whether the leaf is differentiated; refuses what cannot be."""
    dtype = type_of(leaf).dtype
    name = dtype.name
    if holomorphic:
        if not dtypes.is_complex(dtype):
            raise DTypeError(
                f"grad with holomorphic=True requires inputs with complex dtype, but got {name}.",
                fix="convert the argument to complex64 or complex128, or drop holomorphic=True",
            )
        return True
    if dtypes.is_floating(dtype):
        return True
    if dtypes.is_complex(dtype):
        raise DTypeError(
            f"grad requires real-valued inputs (input dtype that is a sub-dtype of np.floating), but got {name}.",
            fix="for a holomorphic function pass holomorphic=True; else differentiate real and imaginary parts",
        )
    if not allow_int:
        raise DTypeError(
            f"grad requires real- or complex-valued inputs (input dtype that is a sub-dtype of np.inexact), "
            f"but got {name}.",
            fix=f"make argument {position} floating (write 3.0 for 3), or pass allow_int=True",
        )
    return False


def _check_output(output: Tree, holomorphic: bool) -> Operand:
    """The scalar that is differentiated; refuses what has no gradient."""
    leaves, _ = flatten_leaves_and_structure(output)
    if len(leaves) != 1 or not _is_array(leaves[0]) or isinstance(output, (tuple, list, dict)):
        raise ArgumentError(
            f"Gradient only defined for scalar-output functions. Output was: {output!r:.200}.",
            fix="return one number; with more outputs return (value, aux) and pass has_aux=True",
        )
    (value,) = leaves
    type = type_of(value)
    if type.shape != ():
        raise ShapeError(
            f"Gradient only defined for scalar-output functions. Output had shape: {type.shape}.",
            fix="reduce the output to one number (`.sum()`, `.mean()`), or use jacrev, jacfwd or vjp",
        )
    if holomorphic:
        if not dtypes.is_complex(type.dtype):
            raise DTypeError(
                f"grad with holomorphic=True requires outputs with complex dtype, but got {type.dtype.name}."
            )
    elif not dtypes.is_floating(type.dtype):
        raise DTypeError(
            "grad requires real-valued outputs (output dtype that is a sub-dtype of np.floating), "
            f"but got {type.dtype.name}.",
            fix="return a floating number; of a complex one its real part, or pass holomorphic=True",
        )
    return as_array(value)


# A mapper applies a linear function to every row of stacked operands: vmap, where there is treadle_batching.
Mapper: TypeAlias = Callable[[Callable[..., Operands], int, Sequence[Operand]], Operands]


def in_a_loop(
    function: Callable[..., Operands], size: int, stacked: Sequence[Operand]
) -> list[Operand]:
    """Apply a function to each row of the stacked operands, one after the other, and stack what it returns."""
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
    """The unit vectors of the space of several arrays, stacked along a new first axis of each."""
    total = sum(type.size for type in types)
    basis: list[Operand] = []
    start = 0
    for type in types:
        rows = np.zeros((total, type.size), type.dtype)
        rows[np.arange(start, start + type.size), np.arange(type.size)] = 1
        basis.append(rows.reshape(total, *type.shape))
        start += type.size
    return basis


def _blocks(rows: Operand, types: Sequence[ArrayType]) -> list[Operand]:
    """Split the first axis of stacked rows by the arrays whose unit vectors it runs over: [*array, *rest]."""
    parts = []
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
    """What jacfwd and jacrev share: all but how the blocks are found."""
    _check_callable(fun, name)

    @functools.wraps(fun)
    def jacobian(*args: Tree, **kwargs: Tree) -> Tree:
        positions = argument_positions(argnums, len(args), f"{name}: argnums", "differentiated")
        for position in positions:
            for leaf in flatten_arrays(args[position], f"{name}: argument {position}")[0]:
                _check_input(leaf, position, holomorphic, allow_int)
        leaves, structure = flatten_arrays([args[i] for i in positions], f"{name}: argument ")

        def arguments(operands: Operands) -> list[Tree]:
            given = list(args)
            for position, value in zip(positions, tree_unflatten(structure, operands), strict=True):
                given[position] = value
            return given

        call = FlatFunction(name, functools.partial(fun, **kwargs), arguments, has_aux)
        nonzero = differentiable(leaves)
        linearized = linearize_flat(call, leaves, nonzero)
        trees = []
        for by_operand in blocks(linearized, leaves, nonzero):
            inputs = tree_unflatten(structure, by_operand)
            trees.append(inputs[0] if isinstance(argnums, int) else tuple(inputs))
        result = call.tree(trees)
        return (result, *call.aux) if has_aux else result

    return jacobian


def jacfwd(
    fun: Callable[..., Tree],
    argnums: Argnums = 0,
    has_aux: bool = False,
    holomorphic: bool = False,
    *,
    mapper: Mapper = in_a_loop,
) -> Callable[..., Tree]:
    """The Jacobian by forward mode: one pushed tangent for each element of the arguments.

    The result is a tree of the function's results, whose leaves are trees of the argument (a tuple of them
    when `argnums` is a sequence) with arrays of shape `[*result, *argument]`. `mapper` pushes all tangents
    at once where there is `vmap`.
    """

    def by_columns(
        linearized: Linearized, leaves: Operands, nonzero: Sequence[bool]
    ) -> list[list[Operand]]:
        types = [type_of(leaf) for leaf in leaves]

        def push(*tangents: Operand) -> Operands:
            return [materialise(tangent) for tangent in linearized.tangents(*tangents)]

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
    """The Jacobian by reverse mode: one pulled cotangent for each element of the results.

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
                raise DTypeError(f"jacrev requires {kind} outputs, but got {type.dtype.name}.")

        def pull(*cotangents: Operand) -> Operands:
            return [presented(ct) for ct in pulled(linearized, cotangents, leaves, nonzero)]

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
    """The matrix of second derivatives: forward mode over reverse mode."""
    inner = jacrev(fun, argnums, has_aux, holomorphic, mapper=mapper)
    return jacfwd(inner, argnums, has_aux, holomorphic, mapper=mapper)
