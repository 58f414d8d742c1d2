"""Meshes of the devices that are attached; of several, in another process that has them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import treadle
from treadle.errors import ArgumentError, PlatformError, UnsupportedError
from treadle.experimental import topologies

FOUR = """
import treadle
treadle.config.update("treadle_num_cpu_devices", 4)
from treadle.experimental import topologies
topology = topologies.get_attached_topology("cpu")
mesh = topologies.make_mesh(topology, (2, 2), ("x", "y"))
print([[device.id for device in row] for row in mesh.devices], [each.name for each in mesh.axis_types])
for shape in ((8,), (3,), (2,)):
    try:
        topologies.make_mesh(topology, shape, ("x",))
    except ValueError as error:
        print(type(error).__name__)
"""


def test_a_mesh_of_all_devices() -> None:
    """As JAX 0.10.2 orders four devices of the CPU; it refuses other numbers, too."""
    done = subprocess.run([sys.executable, "-c", FOUR], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, *refused = done.stdout.splitlines()
    assert first == "[[0, 1], [2, 3]] ['Auto', 'Auto']"
    assert len(refused) == 3


def test_mistakes_are_named() -> None:
    assert topologies.get_attached_topology().devices == treadle.devices()
    with pytest.raises(PlatformError):
        topologies.get_attached_topology("nope")
    with pytest.raises(UnsupportedError, match="not attached"):
        topologies.get_topology_desc(platform="cpu")
    with pytest.raises(ArgumentError, match="topo must be a TopologyDescription"):
        topologies.make_mesh(treadle.devices(), (1,), ("x",))  # type: ignore[arg-type]
