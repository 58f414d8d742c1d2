"""What users' interpreters do: an equation's primitive bound with its operands and `params` is that equation again."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.cases import examples
from conformance.compositions import program_of
from conformance.programs_pool import POOL, Pooled
from treadle.extend.core import Jaxpr, JaxprEqn, Literal
from treadle.full_operands import in_full
from treadle_ir import Program, bind, stage
from treadle_ir.calling import as_array
from treadle_ir.core.equality import equal_programs
from treadle_ir.testing.examples import Example

pytestmark = pytest.mark.programs


def read(x: Any, values: dict[Any, Any]) -> Any:
    return x.val if isinstance(x, Literal) else values[x]  # type: ignore[attr-defined]  # as JAX's have it


def interpreted(jaxpr: Jaxpr, *operands: Any, paired: bool = True) -> list[Any]:
    """The results of a program, as JAX's tutorials of interpreters compute them: before 0.10, and since."""
    values: dict[Any, Any] = dict(zip(jaxpr.invars, operands, strict=True))

    def bound(eqn: JaxprEqn) -> list[Any]:
        params = eqn.primitive.get_bind_params(eqn.params)
        subfuns: Any = ()
        if paired:
            subfuns, params = params
        given = [read(x, values) for x in eqn.invars]
        results = eqn.primitive.bind(*subfuns, *given, **params)
        return results if eqn.primitive.multiple_results else [results]

    for eqn in jaxpr.eqns:
        values.update(zip(eqn.outvars, bound(eqn), strict=True))
    return [read(x, values) for x in jaxpr.outvars]


def interpreted_again(program: Program, paired: bool = True) -> Program:
    def function(*operands: Any) -> list[Any]:
        return [as_array(x) for x in interpreted(Jaxpr.of(program), *operands, paired=paired)]

    return stage(function, *[parameter.type for parameter in program.parameters]).program


def in_jax(program: Program) -> Program:
    """The program with the equations that its jaxpr shows: choices of `select_n` have the shape of the result."""
    equations = tuple([each for equation in program.equations for each in in_full(equation)])
    return Program(program.parameters, equations, program.results)


@pytest.mark.parametrize("example", examples())
def test_an_equation_is_bound_again_with_its_params(example: Example) -> None:
    program = stage(lambda *xs: bind(example.primitive, *xs), *example.types).program
    assert equal_programs(interpreted_again(program), in_jax(program))


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("pooled", POOL.values(), ids=POOL)
def test_programs_of_the_pool_are_interpreted(pooled: Pooled, paired: bool) -> None:
    program = program_of(pooled, ("jit",))
    assert equal_programs(interpreted_again(program, paired), in_jax(program))
