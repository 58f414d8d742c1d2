"""Rewriting passes: `Program -> Program`, one per file, each linear in the size of the program.

All preserve the types of parameters and results, except that a known sharding may become automatic and the reverse, and
they preserve effects and their order. `optimise` is the pipeline of `jit`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.core.equality import inside_out as inside_out
    from treadle_ir.rewrite.cse import cse as cse
    from treadle_ir.rewrite.dce import dce as dce, prune as prune
    from treadle_ir.rewrite.fold import fold as fold
    from treadle_ir.rewrite.forward import Applied as Applied
    from treadle_ir.rewrite.inline import inline as inline
    from treadle_ir.rewrite.nested import (
        map_programs as map_programs,
        rebuilt as rebuilt,
        with_nested as with_nested,
        with_primitive as with_primitive,
    )
    from treadle_ir.rewrite.optimise import optimise as optimise
    from treadle_ir.rewrite.pass_manager import PASSES as PASSES, PassManager as PassManager
    from treadle_ir.rewrite.pattern import (
        PatternRewriter as PatternRewriter,
        RewritePattern as RewritePattern,
        apply_patterns as apply_patterns,
        rewrite_pattern as rewrite_pattern,
    )
    from treadle_ir.rewrite.plain import plain as plain
    from treadle_ir.rewrite.roll import (
        certain_to_win as certain_to_win,
        every as every,
        roll as roll,
    )
    from treadle_ir.rewrite.simplify import (
        ALL as ALL,
        DEFAULT as DEFAULT,
        SIMPLIFY as SIMPLIFY,
        enabled as enabled,
        simplify as simplify,
    )
    from treadle_ir.rewrite.unpromised import unpromised as unpromised
    from treadle_ir.rewrite.unsharded import without_shardings as without_shardings

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.core.equality": "inside_out",
            "treadle_ir.rewrite.cse": "cse",
            "treadle_ir.rewrite.dce": "dce prune",
            "treadle_ir.rewrite.fold": "fold",
            "treadle_ir.rewrite.forward": "Applied",
            "treadle_ir.rewrite.inline": "inline",
            "treadle_ir.rewrite.nested": "map_programs rebuilt with_nested with_primitive",
            "treadle_ir.rewrite.optimise": "optimise",
            "treadle_ir.rewrite.pass_manager": "PASSES PassManager",
            "treadle_ir.rewrite.pattern": (
                "PatternRewriter RewritePattern apply_patterns rewrite_pattern"
            ),
            "treadle_ir.rewrite.plain": "plain",
            "treadle_ir.rewrite.roll": "certain_to_win every roll",
            "treadle_ir.rewrite.simplify": "ALL DEFAULT SIMPLIFY enabled simplify",
            "treadle_ir.rewrite.unpromised": "unpromised",
            "treadle_ir.rewrite.unsharded": "without_shardings",
        },
    )
