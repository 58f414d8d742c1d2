"""The first stage of a jitted call: the function, traced for arguments of certain types; what all stages have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from treadle_ir import (
    ArgumentError,
    Array,
    ArrayType,
    Effects,
    Operand,
    Program,
    Type,
    UnsupportedError,
)
from treadle_ir.calling import as_array
from treadle_ir.core import unsharded
from treadle_ir.errors import boundary
from treadle_ir.process import frozen
from treadle_ir.tracing import (
    Arguments,
    interpret_unchecked as interpret,
    shown_program,
    take_apart,
)
from treadle_ir.tree import PyTreeDef, leaves_in_any_order
from treadle_runtime.abstract import ShapeDtypeStruct
from treadle_runtime.jitting.donation import Donation, donations_of
from treadle_runtime.jitting.options import Split, platforms_of
from treadle_runtime.jitting.staged_refs import StagedReferences
from treadle_runtime.jitting.statics import static_key
from treadle_runtime.jitting.traced import Traced
from treadle_runtime.placement.explicit import shown_sharding
from treadle_runtime.placement.named import NamedSharding
from treadle_runtime.placement.placement import PlacedType
from treadle_runtime.placement.sharding import Sharding

if TYPE_CHECKING:
    from treadle_ir.analysis import Cost
    from treadle_runtime.jitting.stages import Lowered


@final
@frozen
class ArgInfo:
    """The type of one array among the arguments of a stage, and whether its memory is donated."""

    aval: ShapeDtypeStruct
    donated: bool

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each axis."""
        return self.aval.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The element type."""
        return self.aval.dtype


def _donated(arguments: Arguments, split: Split) -> list[bool]:
    """Return which of the arrays among the arguments are donated, in their order."""
    positional, keywords = arguments.rebuilt(range(len(arguments.leaves)))
    donated = [x for number, x in enumerate(positional) if number in split.donate_argnums]
    donated += [x for name, x in keywords.items() if name in split.donate_argnames]
    numbers = set(leaves_in_any_order(donated))
    return [number in numbers for number in range(len(arguments.leaves))]


def structs_of(
    types: Sequence[Type], shardings: Sequence[NamedSharding | None] | None = None
) -> list[ShapeDtypeStruct]:
    """Return the types of arrays as users see them, with their shardings over explicit axes of a mesh."""
    return [
        ShapeDtypeStruct(
            type.shape,
            type.dtype,
            weak_type=type.weak,
            sharding=each and NamedSharding(each.mesh.abstract_mesh, each.spec),
        )
        for type, each in zip(types, shardings or [None] * len(types), strict=True)
        if isinstance(type, ArrayType)
    ]


def as_before(
    said: str,
    expected: Arguments,
    split: Split,
    name: str,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Arguments:
    """Return the arguments of a call, after a check that their structure and static values are the staged ones.

    Raises:
        ArgumentError: their structure or static values differ.
    """
    given = take_apart(args, kwargs, split.static_argnums, split.static_argnames)
    if given.structure == expected.structure and static_key(given, name) == static_key(
        expected, name
    ):
        return given
    if expected.statics is not None:
        # Static arguments may be left out, since they are part of the program.
        dynamic = take_apart(args, kwargs)
        if dynamic.whole_structure == expected.structure:
            return Arguments(dynamic.leaves, expected.structure, expected.statics)
    wanted, called = expected.whole_structure, given.whole_structure
    differs = f"arguments of structure {wanted}, called with {called}"
    if wanted == called:
        differs = "static values that differ from the values it was called with"
    raise ArgumentError(
        f"{said} for {differs}",
        fix="call it as it was lowered, with static arguments or without, or call the jitted function itself",
    )


class Stage:
    """The information that each stage of a jitted call has about its arguments."""

    __slots__ = ("_arguments", "_operands", "_references", "_split", "_types")

    def __init__(
        self,
        arguments: Arguments,
        split: Split,
        operands: Sequence[PlacedType],
        references: StagedReferences | None,
    ) -> None:
        self._arguments = arguments
        self._references = (
            references  # if there are any, the other attributes describe the pure function
        )
        self._split = split
        self._operands = operands
        self._types = tuple([operand.type for operand in operands])

    @property
    def in_tree(self) -> PyTreeDef:
        """The structure of the arguments, `(positional, keywords)`."""
        references = self._references
        return (references.arguments if references else self._arguments).whole_structure

    @property
    def in_avals(self) -> Any:  # Any: a tree like the arguments
        """The arguments' types and shardings over explicit axes, as (args, kwargs) of `ShapeDtypeStruct`."""
        return self._like_arguments(self._structs())

    @property
    def args_info(self) -> Any:  # Any: a tree like the arguments
        """The types of the arguments, and whether they are donated, as (args, kwargs) of `ArgInfo`.

        Static ones are left out, as `in_tree` leaves them out.
        """
        pairs = zip(self._structs(), _donated(self._arguments, self._split), strict=True)
        return self._like_arguments([ArgInfo(type, given) for type, given in pairs])

    def _structs(self) -> list[ShapeDtypeStruct]:
        structs = structs_of(self._types, [shown_sharding(x) for x in self._operands])
        for number in self._references.operands if self._references else ():
            structs[number] = structs[number].update(is_ref=True)
        return structs

    def _like_arguments(self, leaves: Sequence[Any]) -> Any:  # Any: a tree
        """Return a tree like the arguments, from one leaf for each operand."""
        if self._references is None:
            return self._arguments.without_statics(leaves)
        return self._references.like_arguments(self._arguments, leaves)

    def _like_results(self, structure: PyTreeDef, leaves: Sequence[Any]) -> Any:  # Any: a tree
        """Return a tree like the results, from one leaf for each result of the program."""
        tree = structure.unflatten(leaves)
        return tree if self._references is None else tree[0]

    def _results_of(self, structure: PyTreeDef) -> PyTreeDef:
        """Return the structure of the results, which the pure function returns with what references hold."""
        return structure if self._references is None else structure.children()[0]

    def _refuse_references(self, what: str) -> None:
        """Raise the error for what cannot be done to a function that uses references."""
        if self._references is not None:
            raise UnsupportedError(
                f"a function that uses references cannot be {what}",
                fix="pass what they hold, `ref[...]`, and return what the function writes",
            )

    @property
    def donate_argnums(self) -> tuple[int, ...]:
        """The numbers of the donated arrays, counted through all arrays among the arguments."""
        donated = _donated(self._arguments, self._split)
        return tuple([number for number, given in enumerate(donated) if given])


@boundary
@final
class TracedCall(Stage):
    """A function staged for arguments of certain types."""

    __slots__ = ("_lower", "_name", "_shown", "_traced", "shardings")

    def __init__(
        self,
        traced: Traced,
        arguments: Arguments,
        operands: Sequence[PlacedType],
        name: str,
        split: Split,
        lower: Callable[[str | None], Lowered],
        shardings: Callable[[], tuple[list[Sharding | None], list[Sharding | None]]],
        shown: Sequence[NamedSharding | None],
        references: StagedReferences | None = None,
    ) -> None:
        super().__init__(arguments, split, operands, references)
        # Returns the shardings that were requested for the arrays among the arguments and results, for export.
        self.shardings = shardings
        self._traced = traced
        self._name = name
        self._lower = lower
        self._shown = shown  # shardings of results over explicit axes of a mesh

    @property
    def parts(self) -> tuple[Traced, Arguments]:
        """The traced function and its arguments, for export.

        Raises:
            UnsupportedError: the function uses references.
        """
        self._refuse_references("written down, as by export")
        return self._traced, self._arguments

    @property
    def program(self) -> Program:
        """The program; captured arrays are its leading parameters."""
        return self._traced.program

    @property
    def captured(self) -> tuple[Operand, ...]:
        """The arrays that the function captured: the operands of the program's leading parameters."""
        return self._traced.captured

    @property
    def operands(self) -> list[Operand]:
        """The array of each parameter of the program: the captured arrays, then the arguments' leaves."""
        return [*self._traced.captured, *map(as_array, self._arguments.leaves)]

    def parameter_paths(self, names: Sequence[str] = ()) -> list[str]:
        """Return what each parameter of the program stands for: `captured array 0`, or `argument x['w']`.

        Args:
            names: the names of the function's positional parameters.

        Example:
            >>> import treadle
            >>> treadle.jit(lambda x: x["w"] + 1).trace({"w": 1.0}).parameter_paths(["x"])
            ["argument x['w']"]
        """
        captured = [f"captured array {number}" for number in range(len(self.captured))]
        return [*captured, *self._arguments.paths(names)]

    @property
    def costs(self) -> list[Cost]:
        """The floating-point operations and the bytes of each equation of the program, in order.

        Example:
            >>> import treadle, treadle.numpy as tnp
            >>> treadle.jit(lambda x: x @ x).trace(tnp.ones((3, 3))).costs
            [Cost(flops=54, bytes=108, exact=True)]
        """
        from treadle_ir.analysis import equation_costs  # noqa: PLC0415 - few ask for them

        return equation_costs(self.program)

    def donation(self, names: Sequence[str] = ()) -> tuple[Donation, ...]:
        """Return what becomes of the memory of each array that the user wants to donate.

        Args:
            names: the names of the function's positional parameters. Arrays that were passed by the keyword of a
                donated position are not donated, and known by them.

        Example:
            >>> import treadle, treadle.numpy as tnp
            >>> step = treadle.jit(lambda x: x.sum(), donate_argnums=0)
            >>> [given] = step.trace(tnp.ones(3)).donation(["x"])
            >>> given.argument, given.result, given.refusal
            ('x', None, 'shape')
        """
        results = unsharded(self.program.result_types)
        return donations_of(
            self._split,
            self._arguments,
            self._types,
            [each for each in results if isinstance(each, ArrayType)],
            names,
        )

    def static_values(self, names: Sequence[str] = ()) -> dict[str, Any]:  # Any: values of users
        """Return the static arguments by name, which the program has as constants.

        Args:
            names: the names of the function's positional parameters; other arguments are known by their number.

        Example:
            >>> import treadle
            >>> treadle.jit(lambda x, n: x * n, static_argnums=1).trace(1.0, 3).static_values(["x", "n"])
            {'n': 3}
        """
        if self._arguments.statics is None:
            return {}
        numbers, values, keywords, named = self._arguments.statics
        known = [names[number] if number < len(names) else str(number) for number in numbers]
        return dict(zip([*known, *keywords], [*values, *named], strict=True))

    @property
    def jaxpr(self) -> Any:  # Any: a view, by the code that has installed one
        """The program as `make_jaxpr` returns it."""
        shardings = [shown_sharding(x) for x in self._operands], self._shown
        return shown_program(self.program, self._traced.captured, shardings)

    @property
    def effects(self) -> Effects:
        """What the program does besides compute its results."""
        return self.program.effects

    @property
    def out_avals(self) -> Any:  # Any: a tree like the results
        """The types of the results; the same as `out_info`."""
        return self.out_info

    @property
    def fun_name(self) -> str:
        """The function's name."""
        return self._name

    @property
    def out_info(self) -> Any:
        """Shapes and element types of the results, and shardings over explicit axes of a mesh, in their structure."""
        types = unsharded(self._traced.program.result_types)
        return self._like_results(self._traced.structure, structs_of(types, self._shown))

    @property
    def out_tree(self) -> PyTreeDef:
        """The structure of the results."""
        return self._results_of(self._traced.structure)

    @property
    def lojax(self) -> TracedCall:
        """Itself: the program has types of arrays and keys only, so nothing is left to be lowered.

        Example:
            >>> import treadle, treadle.numpy as tnp
            >>> traced = treadle.jit(tnp.sin).trace(1.0)
            >>> traced.lojax is traced
            True
        """
        return self

    def lower(self, *, lowering_platforms: Sequence[str] | None = None) -> Lowered:
        """Lower it for where the arguments are, or for other platforms, whose text it then has.

        Args:
            lowering_platforms: of `cpu`, `cuda`, `rocm` and `tpu`. Of several, the text is for the one where the
                arguments are, or else for the first.

        Example:
            >>> import treadle, treadle.numpy as tnp
            >>> treadle.jit(tnp.sin).trace(1.0).lower(lowering_platforms=("tpu",))
            <sin, lowered for tpu>

        Raises:
            ArgumentError: there is no such platform.
            MissingRuleError: an operation cannot be lowered for one of them.
        """
        platforms = platforms_of("lower", "lowering_platforms", lowering_platforms)
        if not platforms:
            return self._lower(None)
        made = [self._lower(platform) for platform in platforms]
        return next((each for each in made if each.is_for_here), made[0])

    def closure_convert(self) -> tuple[list[Array], Callable[..., Any]]:
        """Return the arrays that the function captured, and a function of a list of such arrays and of its arguments.

        Example:
            >>> import treadle, treadle.numpy as tnp
            >>> table = tnp.arange(4.0)
            >>> arrays, f = treadle.jit(lambda x: x + table).trace(1.0).closure_convert()
            >>> print(f([10 * arrays[0]], 1.0))
            [ 1. 11. 21. 31.]
        """
        self._refuse_references("converted")
        traced = self._traced

        def converted(consts: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
            said = f"{self._name} was staged"
            given = as_before(said, self._arguments, self._split, self._name, args, kwargs)
            operands = [as_array(each) for each in (*consts, *given.leaves)]
            types = traced.program.parameter_types
            found = [each.type for each in operands]
            if [each.strong() for each in found] != [each.strong() for each in types]:
                raise ArgumentError(
                    f"{said} for constants and arguments of types {[*map(str, types)]}, "
                    f"called with {[*map(str, found)]}",
                    fix="pass a list of as many arrays as `closure_convert` gave, then the arguments",
                )
            results = [as_array(each) for each in interpret(traced.program, *operands)]
            return traced.structure.unflatten(results)

        converted.__name__ = self._name
        return [as_array(each) for each in traced.captured], converted

    def with_consts_as_arg(self) -> tuple[list[Array], TracedCall]:
        """Return the arrays that the function captured, and the same, staged with a list of them as its first argument.

        Example:
            >>> import treadle, treadle.numpy as tnp
            >>> table = tnp.arange(4.0)
            >>> arrays, traced = treadle.jit(lambda x: x + table).trace(1.0).with_consts_as_arg()
            >>> print(traced.lower().compile()(arrays, 1.0))
            [1. 2. 3. 4.]
        """
        from treadle_runtime.jitting.jit import jit  # noqa: PLC0415 - which makes stages

        arrays, function = self.closure_convert()
        split = self._split
        shifted = jit(
            function,
            static_argnums=[number + 1 for number in split.static_argnums],
            static_argnames=split.static_argnames,
            donate_argnums=[number + 1 for number in split.donate_argnums],
            donate_argnames=split.donate_argnames,
        )
        args, kwargs = self._arguments.rebuilt(structs_of(self._types))
        return arrays, shifted.trace(arrays, *args, **kwargs)

    def __repr__(self) -> str:
        return f"<{self._name}, staged: {len(self.program.equations)} equations>"
