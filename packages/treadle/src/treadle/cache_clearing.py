"""`clear_caches`: clear all in-memory caches.

docs/cells.md lists the process-wide state; the table here names the cells that are caches. The other cells are state
and rules, on which results depend, and interned values.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from operator import attrgetter
from typing import Final

from treadle_compiler import forget_disk, forget_executables
from treadle_ir import Program
from treadle_runtime import FunctionCache, runtime_evaluator

CACHES: Final[dict[str, str]] = {
    "treadle_autodiff.rules.elementwise": "_literal",
    "treadle_compiler.emit": "_comparison",
    "treadle_compiler.types": "mlir_type _i64_array",
    "treadle_ir.core.equality": "field_names",
    "treadle_ir.formulas.arithmetic": "_powers",
    "treadle_compiler.decompositions.euclid": "greatest_common_divisor_program",
    "treadle_compiler.decompositions.staged": "program_of",
    "treadle_ir.core.typing": "_CACHE",
    "treadle_ir.tracing.interning": "_INTERNED",
    "treadle_ir.core.printing": "constructor_fields",
    "treadle_ir.core.promotion": "_promote",
    "treadle_ir.errors.source": "_IS_INTERNAL",
    "treadle_ir.errors.stored_names": "_instructions",
    "treadle_ir.text.attributes": "_hints",
    "treadle_ir.core.types": "ArrayType._recent",
    "treadle_numpy.indexing.known": "STATIC",
    "treadle_numpy.indexing.reading": "_ROWS",
    "treadle_numpy.indexing.windows": "_WINDOWS",
    "treadle_numpy.numpy.contraction.einsums": "_path _parsed",
    "treadle_numpy.numpy.contraction.products": "_DOTS _PRODUCTS",
    "treadle_numpy.numpy.dtypes.limits": "_finfo _iinfo",
    "treadle_numpy.numpy.dtypes.questions": "_castable _promoted",
    "treadle_numpy.numpy.manipulation.axes": "_TRANSPOSES",
    "treadle_numpy.numpy.manipulation.conversion": "_CONVERSIONS",
    "treadle_numpy.numpy.manipulation.joining": "_CONCATENATIONS",
    "treadle_numpy.numpy.manipulation.shapes": "_RESHAPES",
    "treadle_numpy.operands.broadcast": "_BROADCASTS",
    "treadle_runtime.arrays.from_user": "_numbers",
    "treadle_runtime.jitting.advice": "_lost",
    "treadle_runtime.jitting.caches": "_recent",
}
"""The caches by module: dictionaries, and functions with a cache."""


_OTHERS: Final[dict[str, Callable[[], object]]] = {}  # users' caches, by name


def also_clear(name: str, clear: Callable[[], object]) -> None:
    """Make `clear_caches` call `clear`, too; a later call with the same name replaces it."""
    _OTHERS[name] = clear


def clear_caches() -> None:
    """Clear all caches of programs, executables, plans and numbers: the next calls trace and compile again.

    Results are the same as before. Arrays, settings and the disk cache are unaffected.

    Example:
        >>> import treadle
        >>> f = treadle.jit(lambda x: x + 1)
        >>> f(1.0), treadle.clear_caches(), f(1.0)
        (Array(2., dtype=float32, weak_type=True), None, Array(2., dtype=float32, weak_type=True))
    """
    # Functions own their caches, and programs own their derived results: find them among all objects.
    for each in gc.get_objects():
        if type(each) is FunctionCache:
            each.clear()
        elif type(each) is Program:
            each.derived.clear()
    forget_executables()
    forget_disk()
    evaluator = runtime_evaluator()
    if evaluator is not None:
        evaluator.clear()
    for module, cells in CACHES.items():
        loaded = sys.modules.get(module)
        if loaded is not None:
            for cell in cells.split():
                found = attrgetter(cell)(loaded)
                (found.cache_clear if hasattr(found, "cache_clear") else found.clear)()
    for clear in [*_OTHERS.values()]:
        clear()
    gc.collect()  # reference cycles
