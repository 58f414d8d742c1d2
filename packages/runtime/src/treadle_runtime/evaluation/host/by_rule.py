"""Reference kernels in the form of host kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from treadle_ir import Primitive, eval_rules

# Any: a kernel takes as many arrays as its primitive has operands. It may return a NumPy scalar.
Kernel: TypeAlias = Callable[..., Any]


def by_rule(primitive: Primitive) -> Kernel:
    """Return the reference kernel of a primitive with one result, as a function of the operands alone."""
    rule = eval_rules[primitive]
    return lambda *operands: rule(primitive, *operands)[0]
