"""Three virtual CPU devices, no disk cache, the runtime's evaluator installed, and no import of jax."""

from __future__ import annotations

import importlib.abc
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

os.environ.setdefault("TREADLE_NUM_CPU_DEVICES", "3")  # before any backend is started
os.environ.setdefault("TREADLE_CACHE", "0")

import pytest

from treadle_ir.tracing import current_evaluator, install
from treadle_runtime import RuntimeEvaluator


class Tripwire(importlib.abc.MetaPathFinder):
    """Refuses jax, and anything of it, with an exception that no `except ImportError` swallows."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name == "jax" or name.startswith("jax."):
            raise AssertionError(f"something imports {name}")
        return None


@pytest.fixture(autouse=True, scope="session")
def no_jax() -> Iterator[None]:
    wire = Tripwire()
    sys.meta_path.insert(0, wire)
    yield
    sys.meta_path.remove(wire)
    assert "jax" not in sys.modules


@pytest.fixture(autouse=True)
def evaluator() -> Iterator[RuntimeEvaluator]:
    """Install the runtime's evaluator for all threads; afterwards restore the previous evaluator."""
    before = current_evaluator()
    made = RuntimeEvaluator()
    install(evaluator=made)
    yield made
    install(evaluator=before)
