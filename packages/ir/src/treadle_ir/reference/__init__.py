"""The NumPy reference evaluator: the specification of what each primitive computes.

Strict rather than kind, and plain rather than fast: types are checked by `infer`, results are compared with
it, and the kernels of each family say in NumPy what the operation means. The bits that an elementwise operation gives
for an element do not depend on the array around it: its length, its layout, the element's position (`blocks.py`). The
runtime evaluates small arrays with the same kernels, or with faster ones of its own. They are imported when the first
one is looked up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from treadle_ir.errors.lazily import lazy_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.reference.convert import converted_elements as converted_elements
    from treadle_ir.reference.evaluator import ReferenceEvaluator as ReferenceEvaluator
    from treadle_ir.reference.keys import (
        keys_of_words as keys_of_words,
        words_of_keys as words_of_keys,
    )
    from treadle_ir.reference.registry import (
        EvalRule as EvalRule,
        eval_rule as eval_rule,
        eval_rules as eval_rules,
    )
    from treadle_ir.reference.shape import padding_of as padding_of

MODULES: Final[Mapping[str, str]] = {
    "call": "call",
    "collective": "collective",
    "compare": "compare",
    "composite": "call composite",
    "contract": "contract",
    "control": "control",
    "convert": "convert",
    "creation": "creation",
    "cumulative": "cumulative",
    "custom_vmap": "call custom_vmap",
    "effectful": "effectful",
    "elementwise": "elementwise",
    "elementwise.special": "special.rules",
    "foreign": "foreign",
    "fourier": "fourier",
    "implicit": "implicit",
    "indexing": "indexing",
    "linear_algebra": "linear_algebra",
    "linear_call": "linear_call",
    "memory": "memory",
    "metadata": "call metadata",
    "partitioned": "call",
    "random": "random",
    "reduce": "reduce",
    "shape": "shape",
    "shard_map": "shard_map",
    "sharding": "sharding",
    "sort": "sort",
    "window": "window",
}
"""The modules with the kernels of each family of primitives, with blanks between; `RuleTable` imports them."""

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.reference.convert": "converted_elements",
            "treadle_ir.reference.evaluator": "ReferenceEvaluator",
            "treadle_ir.reference.keys": "keys_of_words words_of_keys",
            "treadle_ir.reference.registry": "EvalRule eval_rule eval_rules",
            "treadle_ir.reference.shape": "padding_of",
        },
    )
