"""JAX's names that treadle lacks: their errors, and placeholders for the names that libraries import."""

from __future__ import annotations

from typing import Any, Final, NoReturn

from treadle import errors

USERS: Final[dict[str, str]] = {
    "jax.experimental.array_serialization.serialization.GlobalAsyncCheckpointManager": "flax",
    "jax.experimental.array_serialization.serialization.get_tensorstore_spec": "flax",
    "jax.experimental.array_serialization.serialization.run_deserialization": "flax",
    "jax.experimental.colocated_python.colocated_cpu_devices": "orbax",
    "jax.experimental.colocated_python.colocated_python": "orbax",
    "jax.experimental.colocated_python.func.make_callable": "orbax",
    "jax.extend.ifrt_programs.ifrt_programs": "orbax",
    "jax.experimental.colocated_python.serialization.DeviceList": "orbax",
    "jax.experimental.pallas.ops.tpu.splash_attention.splash_attention_kernel": "keras",
    "jax.experimental.pallas.ops.tpu.splash_attention.splash_attention_mask": "keras",
}
"""The libraries that import a name which is missing, by name. The name is there, and raises when it is used."""

MODULES: Final[dict[str, str]] = {
    "jax._src.earray": "flax",
    "jax._src.interpreters": "flax",
    "jax._src.pretty_printer": "haliax",
    "jax.experimental.array_serialization": "orbax",
    "jax.experimental.pallas": "jax_md",
    "jax.experimental.pallas.tpu": "jax_md",
    "jax.experimental.pallas.triton": "jax_md",
    "jax.experimental.pallas.ops": "keras",
    "jax.experimental.pallas.ops.tpu": "keras",
    "jax.extend.ifrt_programs": "orbax",
}
"""Modules that a library imports, and asks names of only where it uses them: they are there, and have none."""


def missing(name: str) -> str:
    """Return the message for a name or module of JAX's that treadle lacks."""
    users = USERS.get(name) or MODULES.get(name)
    used = f"; {users} imports it" if users else ""
    return f"treadle has no `{name}`, which was asked for through treadle_jax{used}"


def modules() -> set[str]:
    """Return the modules that the stand-ins are in, and those that have no names."""
    return {name.rpartition(".")[0] for name in USERS} | MODULES.keys()


def stand_in(name: str) -> type | None:
    """Return a class in the place of a name that a library imports; None for other names.

    It can stand in annotations and in `isinstance`, which is false; a call of it raises.
    """
    if name not in USERS:
        return None

    def refuse(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        raise errors.UnsupportedError(
            missing(name), fix="do without it, or run this part of the program on JAX"
        )

    return type(name.rpartition(".")[2], (), {"__new__": refuse, "__module__": "treadle_jax"})
