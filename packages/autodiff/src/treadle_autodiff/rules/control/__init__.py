"""Rules of control flow, a module per primitive; importing them registers the rules."""

from __future__ import annotations

from treadle_autodiff.rules.control import (
    case as case,
    scan as scan,
    scan_transpose as scan_transpose,
    while_loop as while_loop,
)
