"""Static types of the functions that `grad` and `value_and_grad` return; this code does not run.

A gradient is a tree like the first argument. Where that is declared more loosely than what comes back, as a number
or as anything that can become an array, the gradient is an array.
"""

from __future__ import annotations

from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from treadle_ir import Array, Operand

ArrayLike: TypeAlias = Operand | bool | int | float | complex
P = ParamSpec("P")
# The bound is what parameters of a lambda get from pyright.
A = TypeVar("A", bound=Any)  # the first argument, whose gradient is a tree like it
R = TypeVar("R", bound=Any)  # what the function returns
X = TypeVar("X")  # auxiliary output


class Undeclared:
    """No argument has this type: of all functions only those match it whose first argument has no declared type."""


class Gradient(Protocol[A, P]):  # type: ignore[misc]  # not covariant in A: overloads tell types of A apart
    """What `grad` returns for a function of `A` and more."""

    @overload
    def __call__(
        self: Gradient[Undeclared, P], x: Any, /, *args: P.args, **kwargs: P.kwargs
    ) -> Any: ...
    @overload
    def __call__(
        self: Gradient[ArrayLike, P], x: ArrayLike, /, *args: P.args, **kwargs: P.kwargs
    ) -> Array: ...
    @overload
    def __call__(
        self: Gradient[float, P], x: float, /, *args: P.args, **kwargs: P.kwargs
    ) -> Array: ...
    @overload
    def __call__(self, x: A, /, *args: P.args, **kwargs: P.kwargs) -> A: ...


class ValueAndGradient(Protocol[A, P, R]):  # type: ignore[misc]
    """What `value_and_grad` returns for a function of `A` and more that returns `R`."""

    @overload
    def __call__(
        self: ValueAndGradient[Undeclared, P, R], x: Any, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[R, Any]: ...
    @overload
    def __call__(
        self: ValueAndGradient[ArrayLike, P, R], x: ArrayLike, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[R, Array]: ...
    @overload
    def __call__(
        self: ValueAndGradient[float, P, R], x: float, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[R, Array]: ...
    @overload
    def __call__(self, x: A, /, *args: P.args, **kwargs: P.kwargs) -> tuple[R, A]: ...


class GradientAndAux(Protocol[A, P, X]):  # type: ignore[misc]
    """What `grad` with `has_aux` returns for a function of `A` and more that returns its value and `X`."""

    @overload
    def __call__(
        self: GradientAndAux[Undeclared, P, X], x: Any, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Any, X]: ...
    @overload
    def __call__(
        self: GradientAndAux[ArrayLike, P, X], x: ArrayLike, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Array, X]: ...
    @overload
    def __call__(
        self: GradientAndAux[float, P, X], x: float, /, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[Array, X]: ...
    @overload
    def __call__(self, x: A, /, *args: P.args, **kwargs: P.kwargs) -> tuple[A, X]: ...
