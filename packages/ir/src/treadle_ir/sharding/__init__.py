"""Shardings over explicit axes, which are part of types: meshes, specs, and the propagation rules of each family.

Where the current mesh has axes of type `Explicit`, `treadle_ir.inference` asks the rule of a primitive's family
(`rules`, `families/`) for the shardings of its results. Without such a mesh no rule is asked. Nothing is imported here,
since types need `types` when treadle is imported. See decisions/0143-shardings-in-types.md.
"""

from __future__ import annotations
