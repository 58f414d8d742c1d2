"""The primitives that only `jax.extend.core.primitives` has, as views; one line each."""

from __future__ import annotations

from typing import Final

from treadle_numpy.lax.views import PrimitiveView as View

OTHERS: Final = {
    "add_jaxvals_p": View("add_any", "bindings:add_any", "add"),
    "call_p": View(
        "call",
        "",
        "call",
        several=True,
        instead="call treadle.jit",
    ),
    "closed_call_p": View(
        "closed_call",
        "",
        "call",
        several=True,
        instead="call treadle.jit",
    ),
    "custom_jvp_call_p": View(
        "custom_jvp_call",
        "custom_calls:custom_jvp_call",
        "custom_jvp_call",
        several=True,
    ),
    "custom_lin_p": View("custom_lin", several=True, instead="use treadle.custom_vjp"),
    "custom_vjp_call_p": View(
        "custom_vjp_call",
        "custom_calls:custom_vjp_call",
        "custom_vjp_call",
        several=True,
    ),
    "empty2_p": View("empty2", "bindings:empty2"),
    "get_p": View("get", instead="use treadle.ref.get"),
    "jit_p": View(
        "jit",
        "",
        "call",
        several=True,
        instead="call treadle.jit",
    ),
    "name_p": View("name", "bindings:name", "checkpoint_name"),
    "random_bits_p": View("random_bits", "ops:random_bits", "random_bits"),
    "random_fold_in_p": View("random_fold_in", "ops:random_fold_in", "random_fold_in"),
    "random_gamma_p": View("random_gamma", instead="use treadle.random.gamma"),
    "random_seed_p": View("random_seed", instead="use treadle.random.key"),
    "random_split_p": View("random_split", "ops:random_split", "random_split"),
    "remat_p": View(
        "remat2",
        "",
        "checkpoint",
        several=True,
        instead="call treadle.checkpoint",
    ),
    "swap_p": View("swap", instead="use treadle.ref.swap"),
    "threefry2x32_p": View("threefry2x32", "ops:threefry2x32", "threefry2x32", several=True),
}
