"""`jax.experimental.colocated_python`: for orbax, which decorates a class by it as it is imported."""

from __future__ import annotations

from typing import Any, NoReturn

from treadle.errors import UnsupportedError


def colocated_python_class(cls: type) -> type:
    """Return a class in the place of `cls` that cannot be instantiated: objects are of the process that makes them."""

    def refuse(made: type, *_: Any, **__: Any) -> NoReturn:
        raise UnsupportedError(
            f"{cls.__name__}: treadle has no `jax.experimental.colocated_python`, objects that live on the hosts of "
            "devices",
            fix="make the object in each process itself",
        )

    return type(cls.__name__, (), {"__new__": refuse, "__module__": cls.__module__})
