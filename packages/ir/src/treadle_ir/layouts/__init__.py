"""Explicit axes: how each value lies over a mesh, found from how operands lie.

Types say nothing of it. Where the mesh in force has axes of type `Explicit`, staging and evaluation ask the rule of a
primitive's family how its results lie (`rules`, `families/`), and remember the answer by value (`staged`). Where no
such mesh is in force, nothing is asked. See decisions/0077-explicit-axes.md.
"""

from __future__ import annotations
