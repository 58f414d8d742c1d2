"""Operations of a library's own that call a program, `call_jaxpr`: their derivatives and batches are calls, too.

`create_call_primitive` makes one with all of its rules; a library replaces those that it has a reason for: compiled
code of its own for a platform, say, which every derivative and batch of the call then goes through.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from treadle.core import AbstractValue, eval_jaxpr
from treadle.extension import Primitive
from treadle.interpreters.ad import instantiate_zeros, primitive_jvps, primitive_transposes
from treadle.interpreters.batching import AxisData, fancy_primitive_batchers
from treadle.interpreters.jaxprs import (
    AnyJaxpr,
    batch_jaxpr_axes,
    closed,
    parts,
    zero_if_mapped,
)
from treadle.interpreters.mlir import lower_fun, register_lowering
from treadle.interpreters.zeros import Zero, is_undefined_primal
from treadle_autodiff import linearize_program, transpose_program
from treadle_ir import Array, Effects
from treadle_ir.errors import functions, names, refused

Tree: TypeAlias = Any  # Any: arrays, zeros, undefined primals, and what else rules take
TransposeRule: TypeAlias = Callable[..., Sequence[Tree]]


def create_call_primitive(name: str, inline_jax_late: bool = True) -> Primitive:
    """Return an operation that calls a program: `primitive.bind(*operands, call_jaxpr=jaxpr, **params)` gives a list.

    `inline_jax_late` is JAX's, for its own compiler: taken, and without an effect.

    Example:
        >>> import treadle
        >>> from treadle.extend.core import create_call_primitive
        >>> layer_p = create_call_primitive("layer")
        >>> square = treadle.make_jaxpr(lambda x: x * x)(1.0)
        >>> f = lambda x: layer_p.bind(x, call_jaxpr=square)[0]
        >>> float(treadle.jit(f)(3.0)), float(treadle.grad(f)(3.0))
        (9.0, 6.0)
        >>> [eqn.primitive for eqn in treadle.make_jaxpr(treadle.vmap(f))(treadle.numpy.ones(2)).eqns]
        [layer]
    """
    names("create_call_primitive", name=name)
    prim = Primitive(name)
    register_call_primitive_rules(prim, inline_jax_late=inline_jax_late)
    return prim


def register_call_primitive_rules(
    prim: Primitive,
    name: str | None = None,
    transpose_rule: TransposeRule | None = None,
    inline_jax_late: bool = True,
) -> None:
    """Give an operation that calls a program, its parameter `call_jaxpr`, all of its rules.

    `transpose_rule(prim, ct, *operands, call_jaxpr, **params)` stands in for `eval_jaxpr_transpose`. `name` and
    `inline_jax_late` are JAX's, for its own compiler: taken, and without an effect.

    Raises:
        ArgumentError: `prim` is no `Primitive`.
    """
    if not isinstance(prim, Primitive):
        raise refused("register_call_primitive_rules", "prim", "a Primitive", prim)
    transposed = eval_jaxpr_transpose if transpose_rule is None else transpose_rule
    functions("register_call_primitive_rules", transpose_rule=transposed)
    prim.multiple_results = True

    def types(
        *avals: AbstractValue, call_jaxpr: AnyJaxpr, **params: Tree
    ) -> tuple[list[AbstractValue], Effects]:
        parts(str(prim), call_jaxpr)  # refuses what is none
        return call_jaxpr.out_avals, call_jaxpr.effects

    def jvp(
        primals: Sequence[Tree], tangents: Sequence[Tree], *, call_jaxpr: AnyJaxpr, **params: Tree
    ) -> tuple[list[Tree], list[Tree]]:
        program, constants = parts(str(prim), call_jaxpr)
        nonzero = [type(tangent) is not Zero for tangent in tangents]
        split = linearize_program(program, [False] * len(constants) + nonzero)
        known = closed(split.known, [*split.captured, *constants])
        found = prim.bind(*primals, call_jaxpr=known, **params)
        count = len(program.results)
        given = [tangent for tangent, flag in zip(tangents, nonzero, strict=True) if flag]
        made = iter(
            prim.bind(*found[count:], *given, call_jaxpr=closed(split.linear, ()), **params)
            if any(split.nonzero)
            else ()
        )
        return found[:count], [
            next(made) if flag else Zero.from_primal_value(result)
            for result, flag in zip(found, split.nonzero, strict=False)
        ]

    def transpose(ct: Sequence[Tree], *operands: Tree, **params: Tree) -> Sequence[Tree]:
        return transposed(prim, ct, *operands, **params)

    def batch(
        axis: AxisData,
        operands: Sequence[Array],
        dims: Sequence[int | None],
        *,
        call_jaxpr: AnyJaxpr,
        **params: Tree,
    ) -> tuple[list[Array], list[int | None]]:
        wanted = [zero_if_mapped] * len(call_jaxpr.out_avals)
        batched, placed = batch_jaxpr_axes(call_jaxpr, axis, dims, wanted)
        return prim.bind(*operands, call_jaxpr=batched, **params), placed

    prim.def_impl(_evaluated)
    prim.def_effectful_abstract_eval(types)
    primitive_jvps[prim] = jvp
    primitive_transposes[prim] = transpose
    fancy_primitive_batchers[prim] = batch
    register_lowering(prim, lower_fun(_evaluated))


def _evaluated(*operands: Tree, call_jaxpr: AnyJaxpr, **params: Tree) -> list[Array]:
    program, constants = parts("bind", call_jaxpr)
    return eval_jaxpr(closed(program, constants).jaxpr, constants, *operands)


def eval_jaxpr_transpose(
    prim: Primitive,
    ct: Sequence[Tree],
    *args: Tree,
    call_jaxpr: AnyJaxpr,
    **params: Tree,
) -> list[Tree]:
    """Return cotangents of the operands of a call that are `UndefinedPrimal`s, by a call of the transposed program.

    Args:
        prim: the operation, which is bound again.
        ct: an array or a `Zero` for each result.
        args: the operands.
        call_jaxpr: what is called; linear in those operands.
        params: its other parameters.

    Returns:
        An array or a `Zero` for each operand; None where it is known.

    Raises:
        ArgumentError: `call_jaxpr` is not a jaxpr.
    """
    program, constants = parts("eval_jaxpr_transpose", call_jaxpr)
    linear = [is_undefined_primal(each) for each in args]
    nonzero = [type(each) is not Zero for each in ct]
    made = transpose_program(program, [False] * len(constants) + linear, nonzero)
    known = [each for each, flag in zip(args, linear, strict=True) if not flag]
    given = [instantiate_zeros(each) for each, flag in zip(ct, nonzero, strict=True) if flag]
    call = closed(made.program, [*made.captured, *constants])
    found = iter(prim.bind(*known, *given, call_jaxpr=call, **params))
    flags = iter(made.nonzero)
    return [
        None if not flag else next(found) if next(flags) else Zero(each.aval.to_tangent_aval())
        for each, flag in zip(args, linear, strict=True)
    ]
