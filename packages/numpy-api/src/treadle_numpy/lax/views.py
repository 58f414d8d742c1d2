"""Views of instructions under the names that JAX's primitives have: `lax.add_p.bind(x, y)`.

A view holds strings only. What it names is imported when it is asked for: the function at `bind`, nothing at `matches`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Final, final

from treadle_ir import (
    ArgumentError,
    Equation,
    Primitive,
    UnsupportedError,
    as_array,
    bind,
    find_primitive,
    import_module,
    refused,
)
from treadle_numpy.lax.attributes import instruction, parameter_names

_HOMES: Final = {
    "lax": "treadle_numpy.lax",
    "linalg": "treadle_numpy.lax.linalg",
    "bindings": "treadle_numpy.lax.bindings",
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
class PrimitiveView:
    """An instruction under the name of JAX's primitive.

    `name` is JAX's, `multiple_results` says whether `bind` returns a list. Where treadle has no such instruction, or it
    takes programs, `bind` says so.

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

        `function` is "home:name"; from operand `rest` on it takes operands as one list. `matched` are mnemonics of
        treadle, "a|b c=d" for `a` or `b` whose attribute c is d. `instead` says what to do where there is no function.
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
        """Apply the instruction to operands, with JAX's parameters; or with treadle's attributes, all of them.

        Raises:
            UnsupportedError: treadle has no such instruction, or it takes programs.
            ArgumentError: it takes other operands or parameters.
        """
        if parameters:
            instruction = self._instruction(parameters)
            if instruction is not None:
                found = list(bind(instruction, *[as_array(x) for x in operands]))
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

    @property
    def mnemonics(self) -> list[str]:
        """The names of treadle's instructions that may match."""
        return self._matched.split(" ")[0].split("|") if self._matched else []

    def _instruction(self, attributes: dict[str, Any]) -> Primitive | None:
        """The instruction of treadle's that has exactly these attributes, if one of those that match has."""
        for mnemonic in self.mnemonics:
            cls = find_primitive(mnemonic)
            if cls is not None and parameter_names(cls).keys() == attributes.keys():
                return instruction(cls, attributes)
        return None

    def _found(self) -> Callable[..., Any]:
        home, _, name = self._function.partition(":")
        found: Callable[..., Any] | None = None
        if name:
            try:
                found = getattr(import_module(_HOMES[home]), name, None)
            except ModuleNotFoundError:
                found = None
        if found is None:
            raise UnsupportedError(
                f"{self.name}_p.bind: treadle has no such instruction to be bound",
                fix=self._instead or "use the functions of treadle.lax",
            )
        return found

    def matches(self, what: Primitive | Equation) -> bool:
        """Whether a primitive of treadle's, or an equation's, is this instruction.

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
        names, *attributes = self._matched.split(" ")
        if primitive.name not in names.split("|"):
            return False
        wanted = [each.split("=") for each in attributes]
        return all(str(getattr(primitive, name)) == value for name, value in wanted)

    def __repr__(self) -> str:
        return self.name
