"""Views of instructions under the names that JAX's primitives have: `lax.add_p.bind(x, y)`.

A view holds strings only. What it names is imported when it is asked for: the function at `bind`, nothing at `matches`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, final

from treadle_ir import (
    ArgumentError,
    Array,
    Equation,
    Primitive,
    UnsupportedError,
    bind,
    find_primitive,
)
from treadle_ir.calling import as_array
from treadle_ir.errors import import_module, refused
from treadle_ir.tracing import Trace, running

_HOMES: Final = {
    "lax": "treadle_numpy.lax",
    "linalg": "treadle_numpy.lax.linalg",
    "bindings": "treadle_numpy.lax.bindings",
    "custom_calls": "treadle_numpy.lax.custom_calls",
    "ops": "treadle_ir.ops",
}
# Parameters that JAX's primitives carry for its own sake; functions here need no such thing, or find out themselves.
_IGNORED: Final = frozenset(
    [
        *("accuracy", "axis_size", "input_dtype", "out_sharding", "sharding"),
        *("update_consts", "update_jaxpr"),
    ]
)


@final
class MetParameters(dict[str, Any]):
    """The parameters of an instruction that was met, under JAX's names; as long as they are the same, they know it."""

    def __init__(self, parameters: Mapping[str, Any], instruction: Primitive) -> None:
        super().__init__(parameters)
        self._met: Final = (dict(parameters), instruction)

    @property
    def instruction(self) -> Primitive | None:
        """The instruction; None where a parameter was changed."""
        parameters, instruction = self._met
        same = self.keys() == parameters.keys() and all(
            [value is parameters[name] for name, value in self.items()]
        )
        return instruction if same else None


@final
class BindParams(dict[str, Any]):
    """The parameters of an equation, for `bind(*operands, **bind_params)`; it can be unpacked as a pair, too.

    Since 0.10 JAX's `get_bind_params` gives such a dictionary, before it gave the functions to pass before the operands
    and the dictionary. Interpreters that were written for either work: no functions are needed here.
    """

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        """No functions, and the parameters."""
        return iter(([], self))


@final
class PrimitiveView:
    """An instruction under the name of JAX's primitive.

    `name` is JAX's, `multiple_results` says whether `bind` returns a list. Where treadle has no such instruction, or
    it takes programs, `bind` raises an error.

    Example:
        >>> import numpy as np
        >>> from treadle_numpy import lax
        >>> lax.reduce_sum_p
        reduce_sum
        >>> print(lax.reduce_sum_p.bind(np.ones((2, 3), np.float32), axes=(0,)))
        [2. 2. 2.]
    """

    call_primitive: ClassVar[bool] = False  # JAX's mark of calls that are not jit's
    map_primitive: ClassVar[bool] = False
    __slots__ = ("_function", "_instead", "_matched", "_rest", "multiple_results", "name")

    def __init__(
        self,
        name: str,
        function: str = "",
        matched: str = "",
        *,
        rest: int | None = None,
        several: bool = False,
        instead: str = "",
    ) -> None:
        """Name it by strings.

        `function` is "home:name", where the home is one of `_HOMES` or a module; from operand `rest` on it takes
        operands as one list. `matched` are mnemonics of treadle, "a|b c=d" for `a` or `b` whose attribute c is d.
        `instead` says what to do where there is no function.
        """
        self.name: Final = name
        self.multiple_results: Final = several
        self._function: Final = function
        self._matched: Final = matched
        self._rest: Final = rest
        self._instead: Final = instead

    def bind(
        self, *operands: Any, **parameters: Any
    ) -> Any:  # Any: as the function takes and returns
        """Apply the instruction to operands, with JAX's parameters: the parameters of an equation, or of the function.

        Raises:
            UnsupportedError: treadle has no such instruction, or it takes programs.
            ArgumentError: it takes other operands or parameters.
        """
        if parameters or all(isinstance(x, Array) for x in operands):
            found = self._bound(operands, parameters)
            if found is not None:
                return found if self.multiple_results else found[0]
        function = self._found()
        if self._rest is not None:
            operands = (*operands[: self._rest], list(operands[self._rest :]))
        given = {key: value for key, value in parameters.items() if key not in _IGNORED}
        try:
            call = inspect.signature(function).bind(*operands, **given)
        except TypeError as error:
            raise ArgumentError(
                f"{self.name}_p.bind: {error}",
                fix=f"its operands and parameters are {inspect.signature(function)}",
            ) from None
        results = function(*call.args, **call.kwargs)
        if not self.multiple_results:
            return results
        return list(results) if isinstance(results, (tuple, list)) else [results]

    def bind_with_trace(
        self, trace: Trace, operands: Sequence[Any], *avals_and_parameters: Any
    ) -> Any:  # Any: as bind
        """Apply the instruction under a trace; parameters come last, and what is known of the operands is not needed.

        The parameters that a trace was given apply the very instruction that it was given, even if that takes
        programs.

        Raises:
            UnsupportedError, ArgumentError: as `bind`.
        """
        return bound_under(self, trace, operands, avals_and_parameters[-1])

    def get_bind_params(self, params: Mapping[str, Any]) -> BindParams:  # Any: as bind
        """Return the keyword arguments of `bind`, as interpreters ask for them."""
        return BindParams(params)

    @property
    def mnemonics(self) -> list[str]:
        """The names of treadle's instructions that may match."""
        return self._matched.split(" ")[0].split("|") if self._matched else []

    @property
    def _told(self) -> dict[str, str]:
        """The attributes that the name says."""
        return dict([each.split("=") for each in self._matched.split(" ")[1:]])

    def _bound(self, operands: Sequence[Any], given: dict[str, Any]) -> list[Array] | None:
        """Return the results of the instruction that has exactly these parameters, if one of those that match has."""
        from treadle_numpy.lax.attributes import instruction, ordered  # noqa: PLC0415 - half of lax

        for mnemonic in self.mnemonics:
            cls = find_primitive(mnemonic)
            found = None if cls is None else instruction(cls, given, self._told)
            if found is not None:
                return list(bind(found, *ordered(mnemonic, [as_array(x) for x in operands])))
        return None

    def _found(self) -> Callable[..., Any]:
        home, _, name = self._function.partition(":")
        found: Callable[..., Any] | None = None
        if name:
            try:
                found = getattr(import_module(_HOMES.get(home, home)), name, None)
            except ModuleNotFoundError:
                found = None
        if found is None:
            raise UnsupportedError(
                f"{self.name}_p.bind: treadle has no such instruction to be bound",
                fix=self._instead or "use the functions of treadle.lax",
            )
        return found

    def matches(self, what: Primitive | Equation) -> bool:
        """Return whether a primitive of treadle's, or an equation's, is this instruction.

        Where treadle has one instruction for several of JAX's, several views match: `reshape_p` and `squeeze_p`. A view
        of what treadle makes of several instructions matches none.

        Raises:
            ArgumentError: it is neither.

        Example:
            >>> import numpy as np
            >>> from treadle_ir import ArrayType, stage
            >>> from treadle_numpy import lax
            >>> scalar = ArrayType((), np.dtype(np.float32))
            >>> (equation,) = stage(lambda x: [lax.exp(x)], scalar).program.equations
            >>> lax.exp_p.matches(equation), lax.sin_p.matches(equation.primitive)
            (True, False)
        """
        primitive = what.primitive if isinstance(what, Equation) else what
        if not isinstance(primitive, Primitive):
            raise refused(
                f"{self.name}_p.matches", "the argument", "a primitive or an equation", what
            )
        if primitive.name not in self.mnemonics:
            return False
        return all(str(getattr(primitive, name)) == value for name, value in self._told.items())

    def __repr__(self) -> str:
        return self.name


def bound_under(
    view: Any, trace: Trace, operands: Sequence[Any], parameters: dict[str, Any]
) -> Any:
    """Return the results of a view's `bind` under a trace. Any: a view, and as its `bind` takes and returns."""
    with running(trace):
        met = parameters.instruction if isinstance(parameters, MetParameters) else None
        if met is None:
            return view.bind(*operands, **parameters)
        from treadle_numpy.lax.attributes import ordered  # noqa: PLC0415 - half of lax

        results = list(bind(met, *ordered(met.name, [as_array(x) for x in operands])))
        return results if view.multiple_results else results[0]
