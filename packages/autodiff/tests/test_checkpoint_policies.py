from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from treadle_autodiff import (
    Offloadable,
    Recompute,
    Saveable,
    checkpoint,
    checkpoint_name,
    checkpoint_policies as policies,
    grad,
)
from treadle_ir import ArgumentError, ops, stage, type_of
from treadle_ir.primitives.memory import ToMemory

X = np.float64(0.5)


def f(x):
    return ops.sine(checkpoint_name(ops.sine(x), "middle"))


def test_answers() -> None:
    assert not Recompute
    assert Saveable
    assert (repr(Recompute), repr(Saveable)) == ("Recompute", "Saveable")
    assert (
        repr(Offloadable("device", "pinned_host")) == "Offloadable(src='device', dst='pinned_host')"
    )


def test_a_policy_of_the_users() -> None:
    seen = []

    def policy(primitive, *_, **__):
        seen.append(primitive.name)
        return Saveable if primitive.name == "sine" else Recompute

    np.testing.assert_allclose(grad(checkpoint(f, policy=policy))(X), grad(f)(X))
    assert "sine" in seen
    with pytest.raises(ArgumentError, match="policy"):
        checkpoint(f, policy=3)  # type: ignore[call-overload]  # what is refused


def test_what_is_offloaded_waits_elsewhere() -> None:
    names: Any = {"names_which_can_be_saved": ["other"], "offload_src": "device"}
    both = policies.save_and_offload_only_these_names
    moved = both(**names, names_which_can_be_offloaded=["middle"], offload_dst="pinned_host")
    derivative = grad(checkpoint(f, policy=moved))
    np.testing.assert_allclose(derivative(X), grad(f)(X))
    staged = stage(lambda x: [derivative(x)], type_of(X)).program
    kinds = [
        equation.primitive.kind
        for program in (staged, *staged.nested())
        for equation in program.equations
        if isinstance(equation.primitive, ToMemory)
    ]
    assert {*kinds} == {"pinned_host", "device"}
    kept = both(**names, names_which_can_be_offloaded=[], offload_dst="pinned_host")
    np.testing.assert_allclose(grad(checkpoint(f, policy=kept))(X), grad(f)(X))
    dots = policies.offload_dot_with_no_batch_dims("device", "pinned_host")
    np.testing.assert_allclose(grad(checkpoint(f, policy=dots))(X), grad(f)(X))
    square = lambda x: ops.reduce_add(ops.dot_general(x, x, contracting=((1,), (0,))), axes=(0, 1))  # noqa: E731
    np.testing.assert_allclose(
        grad(checkpoint(square, policy=dots))(np.ones((2, 2))), np.full((2, 2), 4.0)
    )
    with pytest.raises(ArgumentError, match="offload_dst must be a string"):
        policies.offload_dot_with_no_batch_dims("device", 3)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ArgumentError, match="both saved and offloaded"):
        both(**names, names_which_can_be_offloaded=["other"], offload_dst="pinned_host")


def test_names_are_strings() -> None:
    with pytest.raises(ArgumentError, match="a name is 3"):
        policies.save_only_these_names(3)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ArgumentError, match="the name is 3"):
        checkpoint_name(X, 3)  # type: ignore[arg-type]  # what is refused
    with pytest.raises(ArgumentError, match="policy_2"):
        policies.save_from_both_policies(policies.nothing_saveable, None)  # type: ignore[arg-type]  # what is refused


def test_arguments_of_checkpoint() -> None:
    named = checkpoint(lambda x, twice: ops.add(x, x) if twice else x, static_argnames="twice")
    assert grad(lambda x: named(x, twice=True))(X) == 2.0
    assert grad(checkpoint(f, prevent_cse=[False]))(X) == grad(f)(X)
    with pytest.raises(ArgumentError, match="one for each of 1"):
        checkpoint(f, prevent_cse=(True, False))(X)
    tree = checkpoint_name({"a": X, "b": [1.0]}, "n")
    assert (tree["a"], tree["b"]) == (0.5, [1.0])
