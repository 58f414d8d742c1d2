"""References: mutable arrays, which tracing discharges into values of programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from treadle_ir.errors.lazily import room_names as _lazy_names

if TYPE_CHECKING:
    from treadle_ir.refs.abstract_ref import AbstractRef as AbstractRef
    from treadle_ir.refs.functions import (
        free_ref as free_ref,
        freeze as freeze,
        ref_addupdate as ref_addupdate,
        ref_get as ref_get,
        ref_set as ref_set,
        ref_swap as ref_swap,
    )
    from treadle_ir.refs.references import (
        Cell as Cell,
        HeldTree as HeldTree,
        Ref as Ref,
        Reference as Reference,
        as_body as as_body,
        as_reader as as_reader,
        cell_of as cell_of,
        discharged as discharged,
        empty_ref as empty_ref,
        holding as holding,
        is_reference as is_reference,
        lending as lending,
        new_cell as new_cell,
        new_ref as new_ref,
        references_once as references_once,
        store as store,
        usable as usable,
        without_references as without_references,
    )
    from treadle_ir.refs.views import TransformedRef as TransformedRef

# Written by scripts/names.py from the imports for type checkers: change nothing from here on by hand.
if not TYPE_CHECKING:
    __getattr__, __dir__, __all__ = _lazy_names(
        __name__,
        {
            "treadle_ir.refs.abstract_ref": "AbstractRef",
            "treadle_ir.refs.functions": "free_ref freeze ref_addupdate ref_get ref_set ref_swap",
            "treadle_ir.refs.references": (
                "Cell HeldTree Ref Reference as_body as_reader cell_of discharged empty_ref "
                "holding is_reference lending new_cell new_ref references_once store usable "
                "without_references"
            ),
            "treadle_ir.refs.views": "TransformedRef",
        },
    )
