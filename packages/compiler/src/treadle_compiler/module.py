"""A module while it is written: its functions as text, its meshes, and what the text refers to by number.

Functions are numbered in order of first use, so a program gives the same bytes in every process; the text is the key of
the disk cache.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, final

from treadle_compiler.function_text import function_text
from treadle_compiler.partitioning import CustomPart, Inspection, Partitioning, mesh_text
from treadle_compiler.value import HloValue
from treadle_ir import AbstractMesh, Program, Type

_FIRST: Final = "@first"  # the mesh of the first device alone


@final
class Module:
    """Collects functions, meshes, and what the text refers to by number."""

    def __init__(
        self, program: Program, platform: str, partitioning: Partitioning | None = None
    ) -> None:
        self.program: Final = program  # the whole program that is lowered
        self.platform: Final = platform
        self.partitioning: Final = partitioning
        self.callbacks: list[Callable[..., object]] = []
        self.inspections: list[Inspection] = []
        self.custom_parts: list[CustomPart] = []
        self.shared: dict[Hashable, str] = {}  # names of functions that equal operations share
        self._functions: list[str] = []
        self._meshes: dict[tuple[tuple[str, int], ...], str] = {}  # names, by axes
        self._has_first = False  # whether something is on the first device alone
        if partitioning is not None:
            self.mesh_name(partitioning.mesh)

    def mesh_name(self, mesh: AbstractMesh) -> str:
        """Return the name of a mesh, which is declared when it is first asked for."""
        number = len(self._meshes)
        name = f"@mesh{number}" if number else "@mesh"
        return self._meshes.setdefault(mesh.shape_tuple, name)

    def on_first_device(self, count: int) -> str:
        """Return an attribute: the values of an operation, so many, are on the first device, where it takes place.

        XLA has to know where operations with effects take place; else they would take place on each device.
        """
        self._has_first = True
        return f"#sdy.sharding_per_value<[{', '.join([f'<{_FIRST}, []>'] * count)}]>"

    def add_callback(self, function: Callable[..., object]) -> int:
        """Register a host function; return the index that selects it."""
        self.callbacks.append(function)
        return len(self.callbacks) - 1

    def add_inspection(self, callback: Callable[[Any], object], ndim: int) -> int:
        """Register a callback that receives the sharding of an array; return the number that selects it."""
        self.inspections.append(Inspection(callback, ndim))
        return len(self.inspections) - 1

    def add_custom_part(self, part: CustomPart) -> int:
        """Register a call whose user says how it is partitioned; return the number that selects it."""
        self.custom_parts.append(part)
        return len(self.custom_parts) - 1

    def identity(self, type: Type) -> str:
        """Return the name of a function that returns its operand, which has this type."""
        name = self.shared.get(type)
        if name is None:
            same = HloValue("%0", type)
            name = self.shared[type] = self.add_function(
                lambda name: function_text(name, "private", (), [same], [same])
            )
        return name

    def reserve(self) -> int:
        """Reserve the place of a function that is written later, by `fill`."""
        self._functions.append("")
        return len(self._functions) - 1

    def fill(self, place: int, text: str) -> None:
        """Put the text of a function in its place."""
        self._functions[place] = text

    def add_function(self, write: Callable[[str], str]) -> str:
        """Add a function that `write` returns as text for its name. Return the name."""
        (name,) = self.add_functions(1, lambda names: [write(*names)])
        return name

    def add_functions(
        self, count: int, write: Callable[[Sequence[str]], Sequence[str]]
    ) -> list[str]:
        """Add so many functions that call each other, which `write` returns for their names. Return the names."""
        first = len(self._functions)
        names = [f"@b{first + number}" for number in range(count)]
        self._functions += write(names)
        return names

    def part(self) -> str:
        """Return the module of one device, which names no mesh."""
        functions = "\n".join(self._functions)
        return f"module {{\n{functions}\n}}\n"

    def text(self) -> str:
        """Return the whole module."""
        if self.partitioning is None:
            return self.part()
        functions = "\n".join(self._functions)
        count = self.partitioning.mesh.size
        declared = [mesh_text(name, axes) for axes, name in self._meshes.items()]
        if self._has_first:
            declared.append(f"sdy.mesh {_FIRST} = <[], device_ids=[0]>")
        meshes = "\n".join(declared)
        return (
            f"module attributes {{mhlo.num_partitions = {count} : i32, mhlo.num_replicas = 1 : i32}} "
            f"{{\n{meshes}\n{functions}\n}}\n"
        )
