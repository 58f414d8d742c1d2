"""`sparsify`: a function of dense arrays as one of sparse arrays.

The function is traced for dense arrays, and its program is run on sparse values where these are: each operation has a
rule by which its result is sparse, or dense where that needs no more memory than its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np

import treadle_numpy as tnp
from treadle.abstract import staged
from treadle.experimental.sparse import arithmetic, layouts, structure
from treadle.experimental.sparse.base import JAXSparse
from treadle.experimental.sparse.bcoo import BCOO
from treadle.experimental.sparse.bcsr import BCSR
from treadle.experimental.sparse.conversion import whole_batches
from treadle.experimental.sparse.convolution import convolved
from treadle.experimental.sparse.gathering import gathered
from treadle.experimental.sparse.spvalues import (
    SparsifyEnv,
    SparsifyValue,
    arrays_to_spvalues,
    by_own_rule,
    spvalues_to_arrays,
)
from treadle.jaxprs import Jaxpr, view_of
from treadle_ir import (
    ArgumentError,
    Array,
    Atom,
    Literal,
    Primitive,
    Program,
    UnsupportedError,
    Value,
    bind,
    eval_rules,
)
from treadle_ir.calling import as_array, flatten_arrays
from treadle_ir.core import Extension, InlineCall
from treadle_ir.errors import boundaries, flags, functions, refused, sequence, wraps
from treadle_ir.primitives import (
    contract,
    control,
    convert,
    elementwise as e,
    indexing,
    reduce,
    shape,
)
from treadle_ir.primitives.call import CheckpointName, StopGradient
from treadle_ir.primitives.metadata import ValueMetadata
from treadle_ir.process import deeper
from treadle_ir.tracing import concrete_elements
from treadle_ir.tree import PyTreeDef, tree_flatten, tree_map, tree_unflatten
from treadle_numpy import lax
from treadle_runtime import ShapeDtypeStruct

__all__ = ["eval_sparse", "sparsify", "sparsify_raw"]

Sparse: TypeAlias = Any  # a BCOO, or an array
Rule: TypeAlias = Callable[..., Sparse]

# Operations that are linear, or only keep zero: the second kind needs each index once.
LINEAR: Final = (
    *(e.Negate, e.Real, e.Imag, e.Conjugate),
    *(convert.Copy, StopGradient, CheckpointName, ValueMetadata),
)


def _keep_zero() -> Iterator[type[Primitive]]:
    """The functions of a real number that are 0 at 0, by the reference; as in JAX, none that a formula computes."""
    zero = np.zeros((), np.float32)
    for primitive, row in e.OPERATIONS.items():
        if row.family in (e.Unary, e.RealPart) and "f" in row.kinds:
            if primitive in e.WITH_FORMULA or primitive in LINEAR:
                continue
            operation = primitive()
            with np.errstate(all="ignore"):
                (value,) = eval_rules[operation](operation, zero)
            if value == 0:
                yield primitive


KEEPS_ZERO: Final = tuple(_keep_zero())


def sparsify(f: Callable[..., Any], use_tracer: bool = False) -> Callable[..., Any]:
    """Return a function of dense arrays that also takes `BCOO` arrays, and returns them where its results are sparse.

    It is traced, as under jit. Calls of jitted functions, branches and loops are followed; what a loop carries must
    store as many elements after each iteration as before. `use_tracer` is there for JAX's sake: there is one way.

    Raises:
        ArgumentError: `f` is not a function.
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

    @wraps(f)
    def sparsified(*args: Any, **kwargs: Any) -> Any:
        shapes = tree_map(_shape, (args, kwargs), is_leaf=_is_sparse)
        made, result = staged(f, *shapes)
        leaves, _ = tree_flatten((args, kwargs), is_leaf=_is_sparse)
        values = [_coordinates(x) if _is_sparse(x) else as_array(x) for x in leaves]
        outputs = _run(made.program, [*made.captured, *values])
        return tree_unflatten(result, [x if isinstance(x, BCOO) else as_array(x) for x in outputs])

    return sparsified


def eval_sparse(
    jaxpr: Jaxpr,
    consts: Sequence[Array],
    spvalues: Sequence[SparsifyValue],
    spenv: SparsifyEnv,
) -> list[SparsifyValue]:
    """Return the results of a program on values of an environment, as further values of it.

    Raises:
        ArgumentError: it is not a program, or the numbers of constants and values do not match its parameters.
        UnsupportedError: an operation on a sparse array has no sparse result.

    Example:
        >>> import treadle, treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> from treadle.experimental.sparse import transform
        >>> env = transform.SparsifyEnv()
        >>> m = sparse.BCOO.fromdense(tnp.eye(2))
        >>> program = treadle.make_jaxpr(lambda x: 3 * x.T)(m.todense())
        >>> values = transform.arrays_to_spvalues(env, [m])
        >>> results = transform.eval_sparse(program.jaxpr, program.consts, values, env)
        >>> transform.spvalues_to_arrays(env, results)
        [BCOO(float32[2, 2], nse=2)]
    """
    if not isinstance(jaxpr, Jaxpr):
        raise refused("eval_sparse", "jaxpr", "a Jaxpr, as `make_jaxpr(f)(x).jaxpr`", jaxpr)
    values = sequence("eval_sparse", "spvalues", spvalues)
    given = [*sequence("eval_sparse", "consts", consts), *spvalues_to_arrays(spenv, values)]
    if len(given) != len(jaxpr.program.parameters):
        raise ArgumentError(
            f"eval_sparse: {len(given)} constants and values are given, but the program has "
            f"{len(jaxpr.program.parameters)} parameters",
            fix="give `consts` and a value for each of `jaxpr.invars`",
        )
    results = _run(jaxpr.program, [_coordinates(x) for x in given])
    return [arrays_to_spvalues(spenv, x if isinstance(x, BCOO) else as_array(x)) for x in results]


def sparsify_raw(f: Callable[..., Any]) -> Callable[..., tuple[list[SparsifyValue], PyTreeDef]]:
    """Return a function of an environment and values instead of one of arrays: what `sparsify` does, without the
    arrays.

    Args:
        f: a function of dense arrays.

    Returns:
        A function of an environment, trees of values, and keywords, which are passed on unchanged. It returns the
        values of the results, in a list, and their tree.

    Raises:
        ArgumentError: `f` is not a function.

    Example:
        >>> import treadle.numpy as tnp
        >>> from treadle.experimental import sparse
        >>> from treadle.experimental.sparse import transform
        >>> env = transform.SparsifyEnv()
        >>> m = transform.arrays_to_spvalues(env, sparse.BCOO.fromdense(tnp.eye(2)))
        >>> [result], tree = transform.sparsify_raw(lambda m: m @ tnp.ones(2))(env, m)
        >>> print(env.data(result))
        [1. 1.]
    """
    functions("sparsify_raw", f=f)

    def raw(
        spenv: SparsifyEnv, *spvalues: Any, **params: Any
    ) -> tuple[list[SparsifyValue], PyTreeDef]:
        result = sparsify(partial(f, **params))(*spvalues_to_arrays(spenv, spvalues))
        leaves, structure = tree_flatten(result, is_leaf=_is_sparse)
        return [arrays_to_spvalues(spenv, each) for each in leaves], structure

    return raw


def _coordinates(x: Any) -> Sparse:
    """Return a sparse array by coordinates, which all rules are for."""
    return _as_bcoo(x) if _is_sparse(x) else x


def _is_sparse(x: object) -> bool:
    return isinstance(x, JAXSparse)


def _as_bcoo(x: JAXSparse) -> BCOO:
    if isinstance(x, BCSR):
        return x.to_bcoo()
    if not isinstance(x, BCOO):
        raise UnsupportedError(f"sparsify: arrays of class {type(x).__name__} are not supported")
    return x


def _shape(x: Any) -> Any:
    """Return the description for which a function is traced instead of a sparse array."""
    if isinstance(x, JAXSparse):
        return ShapeDtypeStruct(x.shape, x.dtype)
    return flatten_arrays(x, "sparsify: argument ")[0][0]


def _run(program: Program, values: list[Sparse]) -> list[Sparse]:
    """Return the results of a program, sparse where they are."""
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
            elif (own := by_own_rule(primitive, [_dense(x) for x in inputs])) is not None:
                results = [_dense_scalar(x) for x in map(_coordinates, own)]
            elif isinstance(primitive, InlineCall):
                results = _run(primitive.program, inputs)
            elif type(primitive) in _CONTROL:
                results = _CONTROL[type(primitive)](primitive, *map(_dense, inputs))
            else:
                results = [_dense_scalar(_rule(primitive)(primitive, *inputs))]
            environment.update(zip(equation.results, results, strict=True))
    return [read(atom) for atom in program.results]


def _dense_scalar(x: Sparse) -> Sparse:
    """Make a scalar dense."""
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
    name = str(view_of(primitive)) if isinstance(primitive, Extension) else primitive.name
    more = (
        f", or give it a rule: `sparse_rules_bcoo[{name}_p] = ...`"
        if name != primitive.name
        else ""
    )
    return UnsupportedError(
        f"sparsify: `{name}` of a sparse array has no rule, or a dense result{why}",
        fix=f"convert to a dense array before, outside of the function: `x.todense()`{more}",
    )


def _linear(primitive: Primitive, x: BCOO) -> BCOO:
    return x.made(bind(primitive, x.data)[0])


def _keeping_zero(primitive: Primitive, x: BCOO) -> BCOO:
    return structure.map_zero_preserving(x, lambda data: bind(primitive, data)[0])


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
    mat, other = x, _dense(y)
    if mat.dtype.kind in "iu":  # rounds: of sums, not of what is added
        mat = structure.without_duplicates(mat)
    quotient = partial(
        arithmetic.by_elements, "sparsify: div", lambda x, y: bind(primitive, x, y)[0]
    )
    return mat.made(quotient(mat, other, 1))


def _convert(primitive: convert.Convert, x: BCOO) -> BCOO:
    return structure.converted(x, primitive.dtype)


def _dense(x: Sparse) -> Sparse:
    """Return the other operand; weak literals are unchanged."""
    return x if isinstance(x, BCOO) else tnp.asarray(x.value if isinstance(x, Literal) else x)


def _dot_general(primitive: contract.DotGeneral, x: Sparse, y: Sparse) -> Sparse:
    numbers = (primitive.contracting, primitive.batching)
    return arithmetic.bcoo_dot_general(
        x, y, dimension_numbers=numbers, preferred_element_type=primitive.element_type
    )


def _transpose(primitive: shape.Transpose, x: BCOO) -> BCOO:
    return structure.bcoo_transpose(x, permutation=primitive.permutation)


def _reshape(primitive: shape.Reshape, x: BCOO) -> BCOO:
    return structure.bcoo_reshape(x, new_sizes=primitive.shape)


def _broadcast(primitive: shape.BroadcastInDim, x: BCOO) -> BCOO:
    return layouts.bcoo_broadcast_in_dim(
        x, shape=primitive.shape, broadcast_dimensions=primitive.dimensions
    )


def _extreme(primitive: Primitive, x: Sparse, y: Sparse) -> BCOO:
    """Return the greater or the lesser of each element and zero."""
    mat, other = (x, _dense(y)) if isinstance(x, BCOO) else (y, _dense(x))
    known = None if isinstance(other, BCOO) else concrete_elements(other)
    if known is None or np.any(known):
        raise _no_rule(primitive, ", with anything but zero")
    return structure.map_zero_preserving(
        mat, lambda data: bind(primitive, data, tnp.zeros((), data.dtype))[0]
    )


def _gather(primitive: indexing.Gather, x: BCOO, indices: Sparse) -> BCOO:
    return gathered(primitive, x, _dense(indices))


def _dynamic_slice(primitive: indexing.DynamicSlice, x: BCOO, *starts: Sparse) -> BCOO:
    within = [tnp.maximum(_dense(start), 0) for start in starts]
    return layouts.bcoo_dynamic_slice(x, within, primitive.sizes)


def _convolution(primitive: contract.Convolution, x: Sparse, kernel: Sparse) -> BCOO:
    return convolved(primitive, _dense(x), _dense(kernel))


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
    return layouts.bcoo_rev(x, primitive.dimensions)


def _reduce_add(primitive: reduce.ReduceAdd, x: BCOO) -> BCOO:
    return structure.bcoo_reduce_sum(x, axes=primitive.axes)


def _case(primitive: control.Case, index: Array, *operands: Sparse) -> list[Sparse]:
    branches = [
        lambda *xs, branch=branch: _carried(_run(branch, [*xs])) for branch in primitive.branches
    ]
    return lax.switch(index, branches, *operands)


def _while(primitive: control.While, *operands: Sparse) -> list[Sparse]:
    known, constants, start = primitive.operand_groups(operands)
    return lax.while_loop(
        lambda carry: _run(primitive.cond, [*known, *carry])[0],
        lambda carry: _carried(_run(primitive.body, [*constants, *carry])),
        _carried(start),
        max_steps=primitive.trip_bound,
    )


def _scan(primitive: control.Scan, *operands: Sparse) -> list[Sparse]:
    constants, start, xs = primitive.operand_groups(operands)

    def body(carry: list[Sparse], xs: list[Sparse]) -> tuple[list[Sparse], list[Sparse]]:
        after, ys = primitive.result_groups(_run(primitive.body, [*constants, *carry, *xs]))
        return _carried(after), [*ys]

    carry, ys = lax.scan(
        body,
        _carried(start),
        [_scanned(x) for x in xs],
        length=primitive.length,
        reverse=primitive.reverse,
        unroll=primitive.unroll,
    )
    return [*carry, *ys]


def _carried(xs: Sequence[Sparse]) -> list[Sparse]:
    """Return values without promises that another iteration, or branch, might break."""
    flags = {"indices_sorted": False, "unique_indices": False}
    return [x.made(x.data, x.indices, **flags) if isinstance(x, BCOO) else x for x in xs]


def _scanned(x: Sparse) -> Sparse:
    """Make the first axis of a scanned array a batch axis."""
    if isinstance(x, BCOO) and not x.n_batch:
        n_dense = min(x.n_dense, x.ndim - 1)
        return layouts.bcoo_update_layout(x, n_batch=1, n_dense=n_dense, on_inefficient=None)
    return x.made(*whole_batches(x)) if isinstance(x, BCOO) else x


_CONTROL: Final[dict[type[Primitive], Callable[..., list[Sparse]]]] = {
    control.Case: _case,
    control.Scan: _scan,
    control.While: _while,
}
_RULES: Final[dict[type[Primitive], Rule]] = {
    e.Add: _add,
    e.Divide: _divide,
    e.IntegerPower: _power,
    e.Maximum: _extreme,
    e.Minimum: _extreme,
    e.Multiply: _multiply,
    e.Subtract: _subtract,
    contract.Convolution: _convolution,
    convert.Convert: _convert,
    contract.DotGeneral: _dot_general,
    indexing.DynamicSlice: _dynamic_slice,
    indexing.Gather: _gather,
    reduce.ReduceAdd: _reduce_add,
    shape.BroadcastInDim: _broadcast,
    shape.Concatenate: _concatenate,
    shape.Reshape: _reshape,
    shape.Reverse: _reverse,
    shape.Slice: _slice,
    shape.Transpose: _transpose,
}

boundaries(__name__)
