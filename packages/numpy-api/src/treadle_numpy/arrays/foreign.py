"""Methods that arrays of other libraries have: asking for one is an AttributeError that names what to write here."""

from __future__ import annotations

from typing import Final, NoReturn, final

FOREIGN: Final = {
    "backward": "differentiate a function: `treadle.grad(f)(x)`",
    "cpu": "`treadle.device_put(x, treadle.devices('cpu')[0])`, or `np.asarray(x)` for its elements",
    "cuda": "`treadle.device_put(x, treadle.devices('cuda')[0])`",
    "detach": "`treadle.lax.stop_gradient(x)`",
    "numpy": "`np.asarray(x)`",
    "permute": "`x.transpose(axes)`",
    "requires_grad": "say what is differentiated by `treadle.grad(f, argnums=...)`",
    "requires_grad_": "say what is differentiated by `treadle.grad(f, argnums=...)`",
    "to": "`treadle.device_put(x, device)`, or `x.astype(dtype)`",
    "to_numpy": "`np.asarray(x)`",
    "unsqueeze": "`treadle.numpy.expand_dims(x, axis)`, or `x[:, None]`",
}
"""The names, and what to write for each."""


@final
class ForeignMethod:
    """Represents a method that arrays lack; `hasattr` and `dir` do not find it."""

    __slots__ = ("_fix", "_name")

    def __init__(self, name: str, fix: str) -> None:
        self._name = name
        self._fix = fix

    def __get__(self, instance: object, owner: type) -> NoReturn:
        error = AttributeError(
            f"{owner.__name__!r} object has no attribute {self._name!r}", name=self._name
        )
        error.add_note(f"  fix: {self._fix}")
        raise error


def _without_foreign(self: object) -> list[str]:
    """Return the names of attributes, without those that stand for others' methods."""
    return sorted({*object.__dir__(self)} - FOREIGN.keys())


def foreign_methods() -> dict[str, object]:
    """Return the methods by name, and what lists the names that arrays have."""
    methods = {name: ForeignMethod(name, fix) for name, fix in FOREIGN.items()}
    return {**methods, "__dir__": _without_foreign}
