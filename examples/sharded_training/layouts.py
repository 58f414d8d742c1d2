"""Three ways to lay the same program over eight devices: a mesh, and a specification for each parameter."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import model

import treadle
from treadle.sharding import AxisType, Mesh, NamedSharding, PartitionSpec as P


class Layout(NamedTuple):
    """A mesh with axes "data" and "model", and the specifications of parameters; the others are replicated."""

    title: str
    mesh: Mesh
    specs: dict[str, P]

    def of(self, state: model.State) -> model.State:
        """Return a sharding for each array of the state: Adam's means are sharded like their parameters."""
        each = {
            name: NamedSharding(self.mesh, self.specs.get(name, P())) for name in state.parameters
        }
        return model.State(each, each, each)

    @property
    def batch(self) -> NamedSharding:
        """Sequences are divided by the rows of the mesh."""
        return NamedSharding(self.mesh, P("data"))

    @property
    def whole(self) -> NamedSharding:
        """All of it on each device."""
        return NamedSharding(self.mesh, P())


def _mesh(data: int, model: int) -> Mesh:
    """So many devices for parts of the batch, times so many for parts of the model; XLA shards results."""
    return treadle.make_mesh((data, model), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def data_parallel(_: model.State) -> Layout:
    """Each device has all parameters and an eighth of the batch; gradients are summed."""
    return Layout("data", _mesh(*(8, 1)), {})


COLUMNS: Final = ("query", "key", "value", "up", "logits")  # what these make is divided
ROWS: Final = ("mix", "down")  # what these are given is divided, and what they make is summed


def tensor_parallel(state: model.State) -> Layout:
    """Four devices share each large matrix, by heads and by hidden units; two such rows share the batch.

    Source: M. Shoeybi et al., Megatron-LM, 2019.
    """
    specs: dict[str, Any] = {}
    for name in state.parameters:
        if name.startswith(COLUMNS):
            specs[name] = P(None, "model")
        elif name.startswith(ROWS):
            specs[name] = P("model", None)
    return Layout("tensor", _mesh(*(2, 4)), specs)


def fully_sharded(state: model.State) -> Layout:
    """Each device has an eighth of each parameter and of the batch; parameters are gathered where they are used.

    Source: S. Rajbhandari et al., ZeRO, 2020.
    """
    specs = {name: P("data") for name in state.parameters}
    return Layout("fully sharded", _mesh(*(8, 1)), specs)


ALL: Final = (data_parallel, tensor_parallel, fully_sharded)
