"""Tokens of ordered effects in rules that build MLIR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jaxlib.mlir.dialects import stablehlo as hlo

import treadle
from treadle.effect_types import control_flow_allowed_effects, ordered_effects
from treadle.errors import ArgumentError, ModuleError
from treadle.extend.core import Effect, Primitive
from treadle.interpreters import mlir

X = np.arange(6, dtype=np.float32).reshape(2, 3)


class Sending(Effect):
    pass


class Receiving(Effect):
    pass


for each in (Sending, Receiving):
    ordered_effects.add_type(each)
    mlir.lowerable_effects.add_type(each)
SENDING, RECEIVING = Sending(), Receiving()


def primitive(rule: Callable[..., Any], *effects: Effect) -> Primitive:
    """An operation with these effects and this builder."""
    made = Primitive("test_tokens")
    made.def_effectful_abstract_eval(lambda x: (x, {*effects}))
    mlir.register_lowering(made, rule)
    return made


def after(token: Any) -> Any:
    return hlo.AfterAllOp([token]).result


def test_a_token_goes_from_one_operation_to_the_next() -> None:
    def rule(ctx: Any, x: Any) -> Any:
        assert ctx.tokens_in.effects() == {SENDING}
        assert ctx.tokens_in.get(SENDING).type == mlir.token_type()
        ctx.set_tokens_out(mlir.TokenSet({SENDING: after(ctx.tokens_in.get(SENDING))}))
        return hlo.tanh(x)

    made = primitive(rule, SENDING)
    lowered = treadle.jit(lambda x: made.bind(made.bind(x))).lower(X)
    calls = [line.split() for line in lowered.as_text().splitlines() if ":2 = call" in line]
    assert len(calls) == 2
    assert f", {calls[0][0].removesuffix(':2')}#1)" in " ".join(calls[1])
    np.testing.assert_allclose(lowered.compile()(X), np.tanh(np.tanh(X)), rtol=1e-6)


def test_callbacks_that_are_ordered_keep_their_places_among_them() -> None:
    order: list[int] = []

    def rule(ctx: Any, x: Any) -> Any:
        ctx.set_tokens_out(ctx.tokens_in.update_tokens(mlir.TokenSet.create([])))
        return x

    made = primitive(rule, SENDING)

    def told(x: Any) -> Any:
        for number in range(4):
            treadle.debug.callback(lambda n=number: order.append(n), ordered=True)
            x = made.bind(x)
        return x

    text = treadle.jit(told).lower(X).as_text()
    assert text.count("create_token") == 1  # there is one chain
    treadle.jit(told)(X).block_until_ready()
    treadle.effects_barrier()
    assert order == [0, 1, 2, 3]


def test_in_loops_and_with_several_effects() -> None:
    control_flow_allowed_effects.add_type(Sending)
    control_flow_allowed_effects.add_type(Receiving)

    def rule(ctx: Any, x: Any) -> Any:
        assert len(ctx.tokens_in) == 2
        tokens = {effect: after(token) for effect, token in ctx.tokens_in.items()}
        ctx.set_tokens_out(mlir.TokenSet(tokens))
        return hlo.add(x, x)

    bind = primitive(rule, SENDING, RECEIVING).bind
    doubled = treadle.jit(lambda x: treadle.lax.fori_loop(0, 3, lambda _, x: bind(x), x))(X)
    np.testing.assert_array_equal(doubled, 8 * X)


def test_a_rule_that_gives_no_token_on_is_refused() -> None:
    with pytest.raises(ModuleError, match=r"of `test_tokens` sets no token"):
        treadle.jit(primitive(lambda ctx, x: x, SENDING).bind)(X)
    wrong = primitive(lambda ctx, x: ctx.set_tokens_out({}), SENDING)
    with pytest.raises(ArgumentError, match="a TokenSet"):
        treadle.jit(wrong.bind)(X)


def test_sets_of_tokens() -> None:
    tokens = mlir.TokenSet({SENDING: 1, RECEIVING: 2})
    assert tokens.subset([RECEIVING]).items() == ((RECEIVING, 2),)
    assert tokens.update_tokens(mlir.TokenSet({SENDING: 3})).get(SENDING) == 3
    assert tokens.get(SENDING) == 1
    with pytest.raises(KeyError):
        mlir.TokenSet().get(SENDING)
