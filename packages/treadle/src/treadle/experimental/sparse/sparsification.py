"""`sparsify`: a function of dense arrays as one of sparse arrays.

The function is traced for dense arrays, and its program is run on sparse values where these are: each operation has a
rule by which its result is sparse, or dense where that needs no more memory than its operands.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np

import treadle_numpy as tnp
from treadle.abstract import staged
from treadle.experimental.sparse import arithmetic, structure
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.bcsr import BCSR
from treadle_ir import (
    Atom,
    InlineCall,
    Literal,
    Primitive,
    Program,
    UnsupportedError,
    Value,
    as_array,
    bind,
    flags,
    flatten_arrays,
    functions,
)
from treadle_ir.nesting import deeper
from treadle_ir.primitives import contract, convert, elementwise as e, reduce, shape
from treadle_ir.primitives.call import CheckpointName, StopGradient
from treadle_ir.tree import tree_flatten, tree_map, tree_unflatten
from treadle_runtime import ShapeDtypeStruct

__all__ = ["sparsify"]

Sparse: TypeAlias = Any  # a BCOO, or an array
Rule: TypeAlias = Callable[..., Sparse]

# Operations that are linear, or only keep zero: the second kind needs each index once.
LINEAR: Final = (
    *(e.Negate, e.Real, e.Imag, e.Conjugate),
    *(convert.Convert, convert.Copy, StopGradient, CheckpointName),
)
KEEPS_ZERO: Final = (
    *(e.Abs, e.Sign, e.Sqrt, e.Cbrt, e.Square, e.Sine, e.Tan, e.Sinh, e.Tanh, e.Asin, e.Atan),
    *(e.Asinh, e.Atanh, e.ExponentialMinusOne, e.LogPlusOne, e.Erf, e.ErfInv, e.Floor, e.Ceil),
    *(e.RoundNearestAfz, e.RoundNearestEven),
)


def sparsify(f: Callable[..., Any], use_tracer: bool = False) -> Callable[..., Any]:
    """A function of dense arrays that also takes `BCOO` arrays, and returns them where its results are sparse.

    It is traced, as under jit. Calls of jitted functions are followed; branches and loops take no sparse arrays.
    `use_tracer` is there for JAX's sake: there is one way.

    Raises:
        ArgumentError: `f` is no function.
        UnsupportedError: from the function, where an operation on a sparse array has no sparse result.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> @sparse.sparsify
        ... def f(m, v):
        ...     return 2 * m.T @ v
        >>> m = sparse.BCOO.fromdense(tnp.arange(12).reshape(3, 4))
        >>> print(f(m, tnp.array([3, 4, 2])))
        [ 64  82 100 118]
    """
    functions("sparsify", f=f)
    flags("sparsify", use_tracer=use_tracer)

    @functools.wraps(f)
    def sparsified(*args: Any, **kwargs: Any) -> Any:
        shapes = tree_map(_shape, (args, kwargs), is_leaf=_is_sparse)
        made, result = staged(f, *shapes)
        leaves, _ = tree_flatten((args, kwargs), is_leaf=_is_sparse)
        values = [_as_bcoo(x) if _is_sparse(x) else as_array(x) for x in leaves]
        outputs = _run(made.program, [*made.captured, *values])
        return tree_unflatten(result, [x if isinstance(x, BCOO) else as_array(x) for x in outputs])

    return sparsified


def _is_sparse(x: object) -> bool:
    return isinstance(x, JAXSparse)


def _as_bcoo(x: JAXSparse) -> BCOO:
    if isinstance(x, BCSR):
        return x.to_bcoo()
    if not isinstance(x, BCOO):
        raise UnsupportedError(f"sparsify: arrays of class {type(x).__name__} are not supported")
    return x


def _shape(x: Any) -> Any:
    """What a function is traced for in the place of a sparse array."""
    if isinstance(x, JAXSparse):
        return ShapeDtypeStruct(x.shape, x.dtype)
    return flatten_arrays(x, "sparsify: argument ")[0][0]


def _run(program: Program, values: list[Sparse]) -> list[Sparse]:
    """The results of a program, sparse where they are."""
    environment: dict[Value, Sparse] = dict(zip(program.parameters, values, strict=True))

    def read(atom: Atom) -> Sparse:
        if isinstance(atom, Literal):
            return atom if atom.type.weak else atom.value
        return environment[atom]

    with deeper():
        for equation in program.equations:
            primitive = equation.primitive
            inputs = [read(atom) for atom in equation.operands]
            results: Any
            if not any(isinstance(x, BCOO) for x in inputs):
                results = bind(primitive, *inputs)
            elif isinstance(primitive, InlineCall):
                results = _run(primitive.program, inputs)
            else:
                results = [_dense_scalar(_rule(primitive)(primitive, *inputs))]
            environment.update(zip(equation.results, results, strict=True))
    return [read(atom) for atom in program.results]


def _dense_scalar(x: Sparse) -> Sparse:
    """A scalar is as well dense."""
    return x.todense() if isinstance(x, BCOO) and not x.shape else x


def _rule(primitive: Primitive) -> Rule:
    if isinstance(primitive, LINEAR):
        return _linear
    if isinstance(primitive, KEEPS_ZERO):
        return _keeping_zero
    rule = _RULES.get(type(primitive))
    if rule is None:
        raise _no_rule(primitive, "")
    return rule


def _no_rule(primitive: Primitive, why: str) -> UnsupportedError:
    return UnsupportedError(
        f"sparsify: `{primitive.name}` of a sparse array has no rule, or a dense result{why}",
        fix="convert to a dense array before, outside of the function: `x.todense()`",
    )


def _linear(primitive: Primitive, x: BCOO) -> BCOO:
    return x.made(bind(primitive, x.data)[0])


def _keeping_zero(primitive: Primitive, x: BCOO) -> BCOO:
    return x._without_duplicates(lambda data: bind(primitive, data)[0])


def _power(primitive: e.IntegerPower, x: BCOO) -> BCOO:
    if primitive.exponent <= 0:
        raise _no_rule(primitive, "")
    return _keeping_zero(primitive, x)


def _add(primitive: Primitive, x: Sparse, y: Sparse) -> Sparse:
    return x + _dense(y) if isinstance(x, BCOO) else y + _dense(x)


def _subtract(primitive: Primitive, x: Sparse, y: Sparse) -> Sparse:
    return x - _dense(y) if isinstance(x, BCOO) else (-y) + _dense(x)


def _multiply(primitive: Primitive, x: Sparse, y: Sparse) -> Sparse:
    return x * _dense(y) if isinstance(x, BCOO) else y * _dense(x)


def _divide(primitive: Primitive, x: Sparse, y: Sparse) -> Sparse:
    if isinstance(y, BCOO):
        raise _no_rule(primitive, ": a division by zeros")
    return x / _dense(y)


def _dense(x: Sparse) -> Sparse:
    """The other operand: weak literals stay what they are."""
    return x if isinstance(x, BCOO) else tnp.asarray(x.value if isinstance(x, Literal) else x)


def _dot_general(primitive: contract.DotGeneral, x: Sparse, y: Sparse) -> Sparse:
    numbers = (primitive.contracting, primitive.batching)
    return arithmetic.bcoo_dot_general(x, y, dimension_numbers=numbers)


def _transpose(primitive: shape.Transpose, x: BCOO) -> BCOO:
    return structure.bcoo_transpose(x, permutation=primitive.permutation)


def _reshape(primitive: shape.Reshape, x: BCOO) -> BCOO:
    return structure.bcoo_reshape(x, new_sizes=primitive.shape)


def _broadcast(primitive: shape.BroadcastInDim, x: BCOO) -> BCOO:
    kept = [primitive.shape[axis] for axis in primitive.dimensions]
    if tuple(kept) != x.shape or np.prod(primitive.shape) != x.size:
        raise _no_rule(primitive, ": elements would be repeated")
    return structure.bcoo_reshape(x, new_sizes=primitive.shape)


def _concatenate(primitive: shape.Concatenate, *xs: Sparse) -> BCOO:
    if not all(isinstance(x, BCOO) for x in xs):
        raise _no_rule(primitive, ": some of the arrays are dense")
    return structure.bcoo_concatenate(xs, dimension=primitive.dimension)


def _slice(primitive: shape.Slice, x: BCOO) -> BCOO:
    return structure.bcoo_slice(
        x,
        start_indices=primitive.start,
        limit_indices=primitive.limit,
        strides=primitive.strides,
    )


def _reverse(primitive: shape.Reverse, x: BCOO) -> BCOO:
    structure.sparse_only("sparsify: reverse", x)
    sizes = np.array(x.shape, x.indices.dtype)
    inside = tnp.all(x.indices < sizes, -1, keepdims=True)
    turned = np.isin(np.arange(x.ndim), primitive.dimensions)
    rows = tnp.where(inside & turned, sizes - 1 - x.indices, x.indices)
    return x.made(x.data, rows, unique_indices=x.unique_indices)


def _reduce_add(primitive: reduce.ReduceAdd, x: BCOO) -> BCOO:
    return structure.bcoo_reduce_sum(x, axes=primitive.axes)


_RULES: Final[dict[type[Primitive], Rule]] = {
    e.Add: _add,
    e.Divide: _divide,
    e.IntegerPower: _power,
    e.Multiply: _multiply,
    e.Subtract: _subtract,
    contract.DotGeneral: _dot_general,
    reduce.ReduceAdd: _reduce_add,
    shape.BroadcastInDim: _broadcast,
    shape.Concatenate: _concatenate,
    shape.Reshape: _reshape,
    shape.Reverse: _reverse,
    shape.Slice: _slice,
    shape.Transpose: _transpose,
}
