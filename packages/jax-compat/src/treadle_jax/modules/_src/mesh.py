"""`jax._src.mesh`: the mesh of `with mesh:`, where libraries that train on several devices look it up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, final

from treadle.sharding import Mesh, get_mesh


@final
class _Env:
    """What `thread_resources.env` says of the current thread."""

    __slots__ = ()

    @property
    def physical_mesh(self) -> Mesh:
        """The mesh in force; one without axes where there is none."""
        return get_mesh()

    @property
    def empty(self) -> bool:
        """Whether there is none."""
        return get_mesh().empty

    @property
    def shape(self) -> Mapping[str, int]:
        """The sizes of its axes, by name."""
        return get_mesh().shape


@final
class _ThreadResources:
    """JAX's object for what is in force in a thread."""

    __slots__ = ()

    env: Final = _Env()


thread_resources: Final = _ThreadResources()


def get_concrete_mesh() -> Mesh:
    """Return the mesh of devices in force, one without axes where there is none; for haliax."""
    return get_mesh()
