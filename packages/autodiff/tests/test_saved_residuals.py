from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from treadle_autodiff import (
    checkpoint,
    checkpoint_name,
    checkpoint_policies as policies,
    print_saved_residuals,
    saved_residuals,
)
from treadle_ir import ArgumentError, ops

X = np.ones((4, 4))


def layer(x: Any, w: Any) -> Any:
    y = checkpoint_name(ops.dot_general(x, w["w"], contracting=((1,), (0,))), "product")
    return ops.sine(ops.tanh(y))


def size(function: Any) -> int:
    return sum(residual.type.nbytes for residual in saved_residuals(function, X, {"w": X}))


def test_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    policy = policies.save_only_these_names("product")
    print_saved_residuals(checkpoint(layer, policy=policy), X, w={"w": X})
    here = Path(__file__).name
    assert capsys.readouterr().out.splitlines()[:2] == [
        "f64[4,4] from the argument x",
        "f64[4,4] from the argument w['w']",
    ]
    print_saved_residuals(ops.sine, X)
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"f64[4,4] output of cosine from {here}:")
    assert line.endswith("(test_what_is_printed)")
    print_saved_residuals(ops.negate, X)
    assert capsys.readouterr().out == ""


def test_the_line_is_that_of_the_operation() -> None:
    lines = [str(each) for each in saved_residuals(layer, X, {"w": X})]
    assert any("output of cosine" in line and line.endswith("(layer)") for line in lines), lines


def test_policies_and_sizes() -> None:
    array = X.nbytes
    nothing = size(checkpoint(layer))
    assert nothing == 2 * array  # the arguments
    assert size(checkpoint(layer, policy=policies.nothing_saveable)) == nothing
    for more in (
        policies.dots_saveable,
        policies.dots_with_no_batch_dims_saveable,
        policies.save_only_these_names("product"),
        policies.save_any_names_but_these("other"),
        policies.save_from_both_policies(
            policies.save_only_these_names("product"), policies.nothing_saveable
        ),
    ):
        assert size(checkpoint(layer, policy=more)) == nothing + array
    everything = size(checkpoint(layer, policy=policies.everything_saveable))
    assert everything == size(layer) == nothing + 2 * array
    dropped = policies.save_anything_except_these_names("product")
    assert size(checkpoint(layer, policy=dropped)) == everything  # of the product that it names


def test_only_what_the_backward_pass_needs_is_stored() -> None:
    def sines(x: Any) -> Any:
        return ops.sine(checkpoint_name(ops.sine(checkpoint_name(x, "given")), "middle"))

    def stored(policy: Any) -> list[str]:
        found = saved_residuals(checkpoint(sines, policy=policy), X)
        return [residual.origin.partition(" from ")[0] for residual in found]

    named = policies.save_only_these_names
    assert stored(policies.dots_saveable) == ["from the argument x"]
    assert stored(named("given")) == ["named 'given'"]  # not the argument besides
    assert stored(named("middle")) == ["from the argument x", "named 'middle'"]
    assert stored(policies.everything_saveable) == ["output of cosine"] * 2


def test_constants_and_integers() -> None:
    lines = [str(each) for each in saved_residuals(lambda x: ops.multiply(x, X), X)]
    assert lines == ["f64[4,4] from a constant"]
    scaled = lambda x, n: ops.multiply(x, ops.convert(n, dtype=np.dtype("f8")))  # noqa: E731
    (line,) = saved_residuals(scaled, np.float64(2.0), np.int32(3))
    assert line.origin.startswith("output of convert")


def test_errors() -> None:
    with pytest.raises(ArgumentError, match="must be a function"):
        print_saved_residuals(3.0)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="argument"):
        print_saved_residuals(ops.sine, "x")


def test_a_long_chain_of_calls_takes_time_in_proportion() -> None:
    call = checkpoint(
        lambda x, y: (ops.multiply(ops.sine(x), y), ops.multiply(ops.cosine(y), x)),
        policy=policies.everything_saveable,
    )

    def f(x: Any, y: Any) -> Any:
        for _ in range(40):  # whose operands all come from the call before: 2^40 ways back
            x, y = call(x, y)
        return ops.add(x, y)

    residuals = saved_residuals(f, np.float32(1.0), np.float32(2.0))
    assert len(residuals) >= 80
    assert "output of sine" in str(residuals)
