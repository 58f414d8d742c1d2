"""The modules that treadle has no equivalent of, against their formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle import lax, random
from treadle.experimental.hijax import HiPrim
from treadle_jax.modules._src.numpy import index_tricks
from treadle_jax.modules.example_libraries import optimizers, stax
from treadle_jax.modules.experimental import hijax

MAKERS: dict[str, Any] = {
    "sgd": lambda: optimizers.sgd(0.1),
    "momentum": lambda: optimizers.momentum(0.05, 0.9),
    "nesterov": lambda: optimizers.nesterov(0.05, 0.9),
    "adagrad": lambda: optimizers.adagrad(0.5),
    "rmsprop": lambda: optimizers.rmsprop(0.05),
    "rmsprop_momentum": lambda: optimizers.rmsprop_momentum(0.02, momentum=0.5),
    "adam": lambda: optimizers.adam(optimizers.exponential_decay(0.2, 50, 0.5)),
    "adamax": lambda: optimizers.adamax(0.2),
    "sm3": lambda: optimizers.sm3(0.5),
}


@pytest.mark.parametrize("name", MAKERS)
def test_optimisers_find_the_minimum(name: str) -> None:
    init, update, get_params = MAKERS[name]()
    target = {"a": tnp.array([1.0, -2.0]), "b": (tnp.array(0.5).reshape(1),)}

    def loss(params: Any) -> Any:
        return sum(
            tnp.sum((x - y) ** 2)
            for x, y in zip(treadle.tree.leaves(params), treadle.tree.leaves(target), strict=True)
        )

    @treadle.jit
    def step(i: Any, state: Any) -> Any:
        return update(i, treadle.grad(loss)(get_params(state)), state)

    state = init(treadle.tree.map(tnp.zeros_like, target))
    for i in range(200):
        state = step(i, state)
    assert treadle.tree.structure(get_params(state)) == treadle.tree.structure(target)
    assert loss(get_params(state)) < 0.05
    packed = optimizers.pack_optimizer_state(optimizers.unpack_optimizer_state(state))
    assert treadle.tree.structure(packed) == treadle.tree.structure(state)


def test_the_first_steps_of_adam_are_those_of_the_paper() -> None:
    init, update, get_params = optimizers.adam(0.1)
    x, m, v = np.array([1.0, -3.0]), np.zeros(2), np.zeros(2)
    state = init(tnp.array(x))
    for i in range(3):
        g = 2 * x
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        state = update(i, tnp.array(g), state)
        x = x - 0.1 * (m / (1 - 0.9 ** (i + 1))) / (np.sqrt(v / (1 - 0.999 ** (i + 1))) + 1e-8)
        np.testing.assert_allclose(get_params(state), x, rtol=1e-4)


def test_schedules() -> None:
    assert optimizers.constant(0.1)(7) == 0.1
    assert optimizers.inverse_time_decay(1.0, 2, 3.0)(4) == pytest.approx(1 / 7)
    assert float(optimizers.inverse_time_decay(1.0, 3, 3.0, staircase=True)(4)) == 0.25
    assert float(optimizers.polynomial_decay(1.0, 10, 0.5)(5)) == 0.75
    steps = optimizers.piecewise_constant([2, 4], [1.0, 2.0, 3.0])
    assert [float(steps(i)) for i in (1, 3, 5)] == [1.0, 2.0, 3.0]
    with pytest.raises(ValueError, match="one element less"):
        optimizers.piecewise_constant([2], [1.0])
    with pytest.raises(TypeError, match="step size"):
        optimizers.make_schedule([1.0, 2.0])


def test_gradients_are_clipped() -> None:
    clipped = optimizers.clip_grads({"a": tnp.array([3.0, 4.0])}, 1.0)
    np.testing.assert_allclose(clipped["a"], [0.6, 0.8], rtol=1e-6)
    np.testing.assert_allclose(optimizers.l2_norm([tnp.array([3.0]), tnp.array([4.0])]), 5.0)


def test_layers() -> None:
    init, apply = stax.serial(
        stax.Conv(4, (3, 3), padding="SAME"),
        stax.Relu,
        stax.Flatten,
        stax.FanOut(2),
        stax.parallel(stax.Dense(3), stax.serial(stax.Dense(3), stax.Tanh)),
        stax.FanInSum,
        stax.Dropout(0.5, mode="test"),
        stax.LogSoftmax,
    )
    shape, params = init(random.key(0), (2, 5, 5, 1))
    assert shape == (2, 3)
    out = apply(params, tnp.ones((2, 5, 5, 1)), rng=random.key(1))
    np.testing.assert_allclose(tnp.exp(out).sum(axis=1), 1.0, rtol=1e-5)
    shape, params = stax.FanInConcat()[0](None, [(2, 3), (2, 4)])
    assert shape == (2, 7)
    with pytest.raises(ValueError, match="key"):
        stax.Dropout(0.5)[1]((), tnp.ones(2))
    kept = stax.Dropout(0.5)[1]((), tnp.ones(1000), rng=random.key(2))
    assert {*np.unique(kept)} == {0.0, 2.0}


def test_layers_of_windows() -> None:
    x = np.random.default_rng(0).normal(size=(2, 5, 6, 3)).astype(np.float32)
    for layer, reduce in ((stax.MaxPool, np.max), (stax.SumPool, np.sum), (stax.AvgPool, np.mean)):
        init, apply = layer((2, 3), strides=(2, 1))
        shape, params = init(random.key(0), x.shape)
        outputs = apply(params, x)
        assert shape == outputs.shape == (2, 2, 4, 3)
        for i, j in np.ndindex(2, 4):
            window = x[:, 2 * i : 2 * i + 2, j : j + 3]
            np.testing.assert_allclose(outputs[:, i, j], reduce(window, (1, 2)), rtol=1e-5)
        other = layer((2, 3), strides=(2, 1), spec="NCHW")[1]((), x.transpose(0, 3, 1, 2))
        np.testing.assert_allclose(other.transpose(0, 2, 3, 1), outputs, rtol=1e-5)
    # at the edges the mean is over the existing elements
    assert stax.AvgPool((2, 2), padding="SAME")[1]((), np.ones((1, 3, 3, 1), np.float32)).min() == 1


def test_batches_are_normalised() -> None:
    x = np.random.default_rng(1).normal(3, 2, size=(4, 5, 6, 3)).astype(np.float32)
    init, apply = stax.BatchNorm(epsilon=0.0)
    shape, (beta, gamma) = init(random.key(0), x.shape)
    assert shape == x.shape
    assert beta.shape == gamma.shape == (3,)
    plain = np.asarray(apply((beta, gamma), x))
    np.testing.assert_allclose(plain.mean((0, 1, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(plain.var((0, 1, 2)), 1, rtol=1e-4)
    moved = apply((np.array([1, 2, 3]), np.array([2, 2, 4])), x)
    np.testing.assert_allclose(moved, plain * [2, 2, 4] + [1, 2, 3], rtol=1e-5, atol=1e-5)
    init, apply = stax.BatchNorm(axis=0, center=False, scale=False)
    _, params = init(random.key(0), x.shape)
    assert params == ((), ())
    np.testing.assert_allclose(apply(params, x).mean(0), 0, atol=1e-5)


def test_transposed_convolutions() -> None:
    x = np.random.default_rng(2).normal(size=(2, 4, 5, 3)).astype(np.float32)
    for padding, size in (("VALID", (2, 9, 11, 7)), ("SAME", (2, 8, 10, 7))):
        init, apply = stax.ConvTranspose(7, (3, 3), (2, 2), padding)
        shape, (weights, bias) = init(random.key(0), x.shape)
        assert shape == size
        assert bias.shape == (1, 1, 1, 7)
        expected = lax.conv_transpose(x, weights, (2, 2), padding) + 1
        np.testing.assert_allclose(apply((weights, 1), x), expected, rtol=1e-5)


def test_a_colocated_class_can_be_made_and_has_no_instances() -> None:
    from treadle_jax.modules.experimental.colocated_python import colocated_python_class

    @colocated_python_class
    class Worker:
        pass

    assert Worker.__name__ == "Worker"
    with pytest.raises(treadle.errors.UnsupportedError, match="Worker"):
        Worker()


def test_one_process_is_not_connected() -> None:
    from treadle_jax.modules._src.distributed import global_state
    from treadle_jax.modules.experimental.pjit import pjit

    assert global_state.client is None
    assert (global_state.process_id, global_state.num_processes) == (0, 1)
    assert pjit is treadle.jit


def test_errors_of_prefixes_name_the_place() -> None:
    from treadle_jax.modules._src.tree_util import prefix_errors

    assert prefix_errors((1, None), (2, None)) == []
    assert prefix_errors(1, {"a": 2}) == []
    one, two = prefix_errors(({"a": (1, 2)}, [3]), ({"a": (1, 2, 3)}, 3))
    for error in (one("in_axes"), two("in_axes")):
        assert isinstance(error, ValueError)
    assert "in_axes[0]['a'] it has a tuple of 2" in str(one("in_axes"))
    assert "in_axes[1] it has a list" in str(two("in_axes"))
    assert prefix_errors([1, 2], [1, 2, 3], is_leaf=lambda x: isinstance(x, list)) == []


def test_hijax_has_the_names_of_both_releases() -> None:
    assert hijax.VJPHiPrimitive is hijax.HiPrim is HiPrim

    for name in ("MutableHiType", "HiPrimitive", "AvalQDD", "AvalMutableQDD"):
        assert getattr(hijax, name) is getattr(treadle.experimental.hijax, name)
    assert hijax.control_flow_allowed_effects.filter_in([]) == []


def test_lines_of_the_functions_here_are_not_the_users() -> None:
    from treadle_jax.modules import numpy as view

    with pytest.raises(treadle.errors.ShapeError) as raised:
        view.reshape(tnp.ones(4), (3, 3))
    assert "test_modules.py" in raised.value.__notes__[0]


def test_the_example_libraries_have_jax_s_names() -> None:
    """The names that JAX 0.12's modules list, run as a black box, but for what they import for themselves."""
    layers = """
    AvgPool BatchNorm Conv Conv1DTranspose ConvTranspose Dense Dropout Elu Exp FanInConcat FanInSum FanOut Flatten
    Gelu GeneralConv GeneralConvTranspose Identity LeakyRelu LogSoftmax MaxPool Relu Selu
    Sigmoid Softmax Softplus SumPool Tanh
    elementwise elu gelu glorot glorot_normal leaky_relu log_softmax logsoftmax normal ones parallel randn
    relu selu serial shape_dependent sigmoid softmax softplus standardize zeros
    """
    of_optimizers = """
    InitFn JoinPoint Optimizer OptimizerState ParamsFn Schedule Step UpdateFn adagrad adam adamax clip_grads constant
    exponential_decay inverse_time_decay l2_norm make_schedule momentum nesterov optimizer pack_optimizer_state
    piecewise_constant polynomial_decay rmsprop rmsprop_momentum sgd sm3 unpack_optimizer_state
    """
    assert {*layers.split()} <= {*stax.__all__}
    assert {*of_optimizers.split()} <= {*optimizers.__all__}
    for module in (stax, optimizers):
        assert not [name for name in module.__all__ if not hasattr(module, name)]
    assert stax.randn is treadle.nn.initializers.normal


@pytest.mark.parametrize("name", ["r_", "c_"])
def test_what_concatenators_say_of_themselves_is_what_numpy_says(name: str) -> None:
    ours = getattr(index_tricks, f"{name[0].upper()}Class")
    theirs = getattr(np, name)
    for attribute in ("axis", "ndmin", "trans1d"):
        assert getattr(ours, attribute) == getattr(theirs, attribute), attribute
    assert ours.op_name == name


def test_sm3_keeps_the_greatest_squares_of_rows_and_columns() -> None:
    init, update, get_params = optimizers.sm3(1.0, momentum=0.0)
    gradient = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], np.float32)
    state = init(tnp.zeros((2, 3)))
    for i in range(2):
        state = update(i, gradient, state)
    first = np.sign(gradient)  # the totals are the squares
    rows, columns = np.array([[9.0], [36.0]]), np.array([[16.0, 25.0, 36.0]])
    second = gradient / np.sqrt(np.minimum(rows, columns) + gradient**2)
    np.testing.assert_allclose(get_params(state), -first - second, rtol=1e-6)
