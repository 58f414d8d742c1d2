"""What a case is, and the namespace that it is written against."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

BOTH: Final = ("treadle", "jax")
ALL: Final = ("treadle", "jax", "numpy")


class Namespace:
    """One library's public names: `np` is its NumPy-like module, the rest are its transformations.

    Everything in it is Any: these are three libraries behind one set of names.
    """

    def __init__(self, library: str) -> None:
        self.library = library
        self.np: Any
        if library == "numpy":
            self.np = importlib.import_module("numpy")
            return
        self.top: Any = importlib.import_module(library)
        self.np = importlib.import_module(f"{library}.numpy")
        self.lax: Any = importlib.import_module(f"{library}.lax")
        self.random: Any = importlib.import_module(f"{library}.random")
        self.jit: Any = self.top.jit
        self.grad: Any = self.top.grad
        self.vmap: Any = self.top.vmap
        self.checkpoint: Any = self.top.checkpoint

    def warm_up(self) -> None:
        """Use each transformation once: what is loaded at its first use belongs to the start-up cases."""
        if self.library != "numpy":
            function = self.vmap(self.grad(lambda x: self.np.sum(self.np.sin(x @ x))))
            self.jit(function)(self.np.ones((2, 3, 3)))
            self.jit(function).trace(self.np.ones((2, 3, 3))).lower().compile()

    def wait(self, value: Any) -> Any:
        """The value, computed."""
        return value if self.library == "numpy" else self.top.block_until_ready(value)


@dataclass(frozen=True)
class Budget:
    """A goal from section 5 of the design: times jax, times numpy plus seconds, or an amount, at most."""

    jax: float | None = None
    numpy: float | None = None
    extra: float = 0.0
    most: float | None = None

    def text(self) -> str:
        """As the table shows it."""
        parts = []
        if self.jax is not None:
            parts.append(f"≤ {self.jax:.3g} × jax")
        if self.numpy is not None:
            extra = (
                f" + {self.extra * 1e6:g} µs"
                if self.extra < 1e-3
                else f" + {self.extra * 1e3:g} ms"
            )
            parts.append(f"≤ {self.numpy:g} × numpy{extra if self.extra else ''}")
        if self.most is not None:
            parts.append(f"≤ {self.most:g} MB")
        return ", ".join(parts) or "–"

    def excess(self, times: dict[str, float]) -> float | None:
        """Return the time relative to the strictest goal: above 1 is a miss; None without a goal."""
        ours, used = times.get("treadle"), []
        if ours is None:
            return None
        if self.jax is not None and "jax" in times:
            goal = self.jax * times["jax"]
            used.append(ours / goal if goal else math.inf if ours else 0.0)
        if self.numpy is not None and times.get("numpy"):
            used.append(ours / (self.numpy * times["numpy"] + self.extra))
        if self.most is not None:
            used.append(ours / self.most)
        return max(used, default=None)


@dataclass(frozen=True)
class Case:
    """One row: `make(namespace)` prepares, and gives the function that is called again and again.

    `kind` says what is measured: `call` the CPU time of a call, `stages` the CPU time of tracing, lowering and
    compiling (`make` gives a function and its arguments; each is fresh, so nothing is cached), `value` a number that
    the function returns itself, `process` a script run by itself.
    """

    name: str
    make: Callable[[Namespace], Any]
    kind: str = "call"
    budget: Budget = Budget()
    libraries: tuple[str, ...] = BOTH
    unit: str = "s"
    slow: bool = False  # left out by --quick
    compared: bool = True  # whether the libraries give the same result
