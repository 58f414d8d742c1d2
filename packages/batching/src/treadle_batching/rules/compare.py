"""Batching of comparison and selection: all of it is elementwise, so the family's rule serves."""

from __future__ import annotations

from treadle_batching.rules import elementwise as elementwise
