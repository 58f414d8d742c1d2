import sys

import numpy as np
import pytest

from treadle_autodiff import checkpoint, checkpoint_policies, grad
from treadle_ir import ArrayType, ops, stage
from treadle_ir.primitives.contract import DotGeneral

checkpoint_module = sys.modules[checkpoint.__module__]  # whose name the function has, too

X = np.linspace(0.5, 2.0, 4)
TYPE = ArrayType((4,), np.dtype("f8"))


def f(x):
    return ops.reduce_add(ops.sine(ops.sine(ops.sine(x))), axes=(0,))


def sines(program):
    programs = [program, *program.nested()]
    return sum(e.primitive.name == "sine" for p in programs for e in p.equations)


def test_values_and_gradients_are_the_same():
    np.testing.assert_allclose(checkpoint(f)(X), f(X))
    np.testing.assert_allclose(grad(checkpoint(f))(X), grad(f)(X), rtol=1e-12)
    np.testing.assert_allclose(
        grad(lambda x: f(grad(checkpoint(f))(x)))(X), grad(lambda x: f(grad(f)(x)))(X), rtol=1e-12
    )


def test_the_backward_pass_computes_again():
    plain = stage(lambda x: [grad(f)(x)], TYPE).program
    again = stage(lambda x: [grad(checkpoint(f))(x)], TYPE).program
    assert sines(again) > sines(plain)
    names = [e.primitive.name for p in (again, *again.nested()) for e in p.equations]
    assert "checkpoint" in names


@pytest.mark.parametrize(
    "policy",
    [
        checkpoint_policies.everything_saveable,
        checkpoint_policies.nothing_saveable,
        checkpoint_policies.dots_saveable,
        checkpoint_policies.save_only_these_names("middle"),
    ],
)
def test_policies_change_no_result(policy):
    def g(x):
        y = ops.checkpoint_name(ops.sine(ops.sine(x)), label="middle")
        return ops.reduce_add(ops.sine(y), axes=(0,))

    np.testing.assert_allclose(grad(checkpoint(g, policy=policy))(X), grad(f)(X), rtol=1e-12)


def test_saving_everything_computes_nothing_again():
    saved = checkpoint(f, policy=checkpoint_policies.everything_saveable)
    nothing = stage(lambda x: [grad(checkpoint(f))(x)], TYPE).program
    everything = stage(lambda x: [grad(saved)(x)], TYPE).program
    assert sines(everything) < sines(nothing)


def test_functions_that_do_the_same_again_are_one_program(monkeypatch):
    seen = []
    bound = checkpoint_module.bind

    def watched(primitive, *operands):
        seen.append(primitive.program)
        return bound(primitive, *operands)

    monkeypatch.setattr(checkpoint_module, "bind", watched)
    for scale in (1.0, 1.0, 2.0):  # what a function reads is read each time
        found = grad(checkpoint(lambda x, scale=scale: f(ops.multiply(x, scale))))(X)
        wanted = grad(lambda x, scale=scale: f(ops.multiply(x, scale)))(X)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert seen[0] is seen[1] is not seen[2]


def test_layers_that_are_one_function_are_differentiated_once():
    layer = checkpoint(lambda x: ops.sine(ops.sine(x)))

    def network(x):
        return ops.reduce_add(layer(layer(layer(x))), axes=(0,))

    program = stage(lambda x: [grad(network)(x)], TYPE).program
    held = [each for e in program.equations for each in e.primitive.programs().values()]
    assert (len(held), len({*held})) == (6, 2)  # three times forward, and three times back


def test_static_arguments_and_keywords():
    def g(kind, x, *, scale):
        return ops.multiply(f(x), scale) if kind == "scaled" else f(x)

    gradient = grad(lambda x: checkpoint(g, static_argnums=0)("scaled", x, scale=np.float64(2.0)))(
        X
    )
    np.testing.assert_allclose(gradient, 2 * grad(f)(X))


def test_static_arguments_are_counted_from_the_end_where_negative():
    def g(x, kind):
        return ops.multiply(f(x), np.float64(2.0)) if kind == "scaled" else f(x)

    gradient = grad(lambda x: checkpoint(g, static_argnums=(-1,))(x, "scaled"))(X)
    np.testing.assert_allclose(gradient, 2 * grad(f)(X))


@pytest.mark.parametrize("static_argnums", [(5,), (-5,), ("x",)])
def test_static_arguments_that_are_not_there(static_argnums):
    with pytest.raises(ValueError, match="static_argnums"):
        checkpoint(f, static_argnums=static_argnums)(X)


def test_a_product_with_batch_dimensions_is_told_from_one_without():
    plain = checkpoint_policies.dots_with_no_batch_dims_saveable
    assert plain(DotGeneral(contracting=((1,), (0,))))
    assert not plain(DotGeneral(contracting=((2,), (1,)), batching=((0,), (0,))))
    assert checkpoint_policies.dots_saveable(
        DotGeneral(contracting=((2,), (1,)), batching=((0,), (0,)))
    )
