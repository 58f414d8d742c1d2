"""Programs that fail, each through another entrance of treadle's: functions without arguments that raise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

import treadle
import treadle.numpy as tnp
from treadle import lax, random
from treadle.experimental import checkify

PROGRAMS: Final[list[Callable[[], object]]] = []


def program(function: Callable[[], object]) -> Callable[[], object]:
    """Put a program on the list."""
    PROGRAMS.append(function)
    return function


def fails(*operands: Any, **_: Any) -> Any:
    """Raise an error of the user's own."""
    raise KeyError("what the user raises")


def mismatch(x: Any, *_: Any) -> Any:
    """Add arrays of shapes that do not go together."""
    return tnp.ones(3) * x + tnp.ones(4)


@program
def an_operator() -> object:
    return tnp.ones(3) + tnp.ones(4)


@program
def a_comparison() -> object:
    return tnp.ones(3) < tnp.ones(4)


@program
def a_matrix_product() -> object:
    return tnp.ones(3) @ tnp.ones(4)


@program
def an_operator_of_a_list() -> object:
    return [1, 2, 3] * tnp.ones(3)


@program
def an_assignment() -> object:
    tnp.ones(3)[0] = 1  # type: ignore[index]
    return None


@program
def an_index() -> object:
    return tnp.ones(3)["a"]  # type: ignore[index]


@program
def an_update() -> object:
    return tnp.ones(3).at[0].set("a")  # type: ignore[arg-type]


@program
def an_update_at_a_wrong_index() -> object:
    return tnp.ones(3).at["a"].add(1)  # type: ignore[index]


@program
def a_method() -> object:
    return tnp.ones(3).reshape(5)


@program
def a_conversion_of_elements() -> object:
    return tnp.ones(3).astype("no type")


@program
def a_python_number() -> object:
    return float(tnp.ones(3))


@program
def an_iteration() -> object:
    return [*tnp.float32(1.0)]


@program
def an_attribute() -> object:
    return tnp.ones(3).numpy()  # type: ignore[attr-defined]


@program
def an_attribute_of_a_module() -> object:
    return tnp.no_such_function(1)  # type: ignore[attr-defined]


@program
def a_function_of_one_array() -> object:
    return tnp.sin("a")  # type: ignore[arg-type]


@program
def a_ufunc_method() -> object:
    return tnp.add.reduce("a")  # type: ignore[arg-type]


@program
def a_composed_function() -> object:
    return tnp.concatenate([tnp.ones((2, 3)), tnp.ones((2, 4))])


@program
def an_einsum() -> object:
    return tnp.einsum("ij,jk->ik", tnp.ones((2, 3)), tnp.ones((4, 3)))


@program
def a_linear_solve() -> object:
    return tnp.linalg.solve(tnp.ones((3, 3)), tnp.ones((4, 4)))


@program
def a_lax_function() -> object:
    return lax.add(tnp.ones(3), tnp.ones(4))


@program
def a_convolution() -> object:
    return lax.conv(tnp.ones((3, 3)), tnp.ones((3, 3)), (1, 1), "SAME")


@program
def a_distribution() -> object:
    return random.normal("a")  # type: ignore[arg-type]


@program
def a_split_of_no_key() -> object:
    return random.split(tnp.ones(3))


@program
def jit_of_a_mismatch() -> object:
    return treadle.jit(mismatch)(tnp.ones(3))


@program
def jit_of_a_string() -> object:
    return treadle.jit(lambda mode: 1)("a")


@program
def jit_of_an_if() -> object:
    return treadle.jit(lambda x: x if x > 0 else -x)(1.0)


@program
def an_unknown_option_of_jit() -> object:
    return treadle.jit(mismatch, static_argnames="no_such_parameter")(tnp.ones(3))


@program
def lowering() -> object:
    return treadle.jit(mismatch).lower(tnp.ones(3))


@program
def a_compiled_program() -> object:
    return treadle.jit(lambda x: x + 1).lower(tnp.ones(3)).compile()(tnp.ones(4))


@program
def grad() -> object:
    return treadle.grad(fails)(1.0)


@program
def grad_of_no_scalar() -> object:
    return treadle.grad(lambda x: x * tnp.ones(3))(1.0)


@program
def grad_of_jit() -> object:
    return treadle.grad(treadle.jit(mismatch))(1.0)


@program
def value_and_grad() -> object:
    return treadle.value_and_grad(mismatch)(1.0)


@program
def hessian() -> object:
    return treadle.hessian(mismatch)(1.0)


@program
def jacrev_within_jacfwd() -> object:
    return treadle.jacfwd(treadle.jacrev(fails))(1.0)


@program
def jvp() -> object:
    return treadle.jvp(lambda x: x, (1.0,), (tnp.ones(3),))


@program
def the_function_of_vjp() -> object:
    _, pull = treadle.vjp(lambda x: x * 2, tnp.ones(3))
    return pull(tnp.ones(4))


@program
def the_function_of_linearize() -> object:
    _, push = treadle.linearize(lambda x: x * 2, tnp.ones(3))
    return push(tnp.ones(4))


@program
def vmap() -> object:
    return treadle.vmap(fails)(tnp.ones(3))


@program
def vmap_of_unequal_sizes() -> object:
    return treadle.vmap(lambda x, y: x + y)(tnp.ones(3), tnp.ones(4))


@program
def scan() -> object:
    return lax.scan(lambda carry, x: (mismatch(carry), x), 1.0, tnp.ones(3))


@program
def scan_of_another_carry() -> object:
    return lax.scan(lambda carry, x: (tnp.ones(3), x), 1.0, tnp.ones(3))


@program
def cond() -> object:
    return lax.cond(True, mismatch, fails, 1.0)


@program
def a_while_loop() -> object:
    return lax.while_loop(lambda x: x < 3, fails, 1.0)


@program
def lax_map() -> object:
    return lax.map(fails, tnp.ones(3))


@program
def a_rule_of_custom_vjp() -> object:
    function = treadle.custom_vjp(lambda x: x)
    function.defvjp(lambda x: (x, None), fails)
    return treadle.grad(function)(1.0)


@program
def a_rule_of_custom_jvp() -> object:
    function = treadle.custom_jvp(lambda x: x)
    function.defjvp(fails)
    return treadle.grad(function)(1.0)


@program
def checkpoint() -> object:
    return treadle.grad(treadle.checkpoint(mismatch))(1.0)


@program
def a_callback() -> object:
    shape = treadle.ShapeDtypeStruct((), np.float32)
    return treadle.pure_callback(fails, shape, 1.0)


@program
def a_callback_under_jit() -> object:
    shape = treadle.ShapeDtypeStruct((), np.float32)
    return treadle.jit(lambda x: treadle.pure_callback(fails, shape, x))(1.0).block_until_ready()


@program
def functions_of_trees() -> object:
    return treadle.tree.map(lambda x, y: x, {"a": 1}, {"b": 1})


@program
def a_function_that_trees_are_mapped_over() -> object:
    return treadle.tree.map(fails, {"a": 1})


@program
def a_setting() -> object:
    treadle.config.update("treadle_enable_x64", "perhaps")
    return None


@program
def a_setting_of_no_such_name() -> object:
    treadle.config.update("treadle_no_such_setting", 1)
    return None


@program
def a_setting_for_a_while() -> object:
    with treadle.default_matmul_precision("no such precision"):
        return None


@program
def what_runs_under_a_setting() -> object:
    with treadle.enable_x64(True):
        return tnp.ones(3) + tnp.ones(4)


@program
def a_device_put() -> object:
    return treadle.device_put("a")


@program
def an_unknown_device() -> object:
    return treadle.devices("no such platform")


@program
def a_mesh() -> object:
    return treadle.make_mesh((3,), ("a", "b"))


@program
def make_jaxpr() -> object:
    return treadle.make_jaxpr(mismatch)(1.0)


@program
def eval_shape() -> object:
    return treadle.eval_shape(mismatch, 1.0)


@program
def a_donated_array() -> object:
    x = tnp.ones(3)
    x.delete()
    return x + 1


@program
def a_check() -> object:
    def checked(x: Any) -> Any:
        checkify.check(x > 1, "too small")
        return x

    error, _ = checkify.checkify(treadle.jit(checked))(1.0)
    error.throw()
    return None


@program
def a_reference() -> object:
    return treadle.new_ref(tnp.ones(3))["a"]


@program
def vectorize() -> object:
    return tnp.vectorize(fails)(tnp.ones(3))


@program
def shard_map() -> object:
    mesh = treadle.make_mesh((1,), ("a",))
    spec = treadle.P("a")
    return treadle.shard_map(fails, mesh=mesh, in_specs=spec, out_specs=spec)(tnp.ones(3))


@program
def a_tracer_that_escaped() -> object:
    escaped = []
    treadle.jit(lambda x: escaped.append(x))(1.0)
    return escaped[0] + 1


@program
def explain() -> object:
    return treadle.explain(fails)(1.0)


@program
def a_watched_call() -> object:
    with treadle.watch():
        return treadle.jit(fails)(1.0)


@program
def a_part_of_watch_that_there_is_not() -> object:
    return treadle.watch("compilations")
