"""The lowering rules, one module per family of primitives; importing a module registers its rules."""

from __future__ import annotations
