"""custom_vmap: a function with its own batching rule; and sequential_vmap, a rule that loops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, final

from treadle_ir import ArgumentError, Operand, Operands, ShapeError, bind, type_of
from treadle_ir.calling import TreeFunction, array_results, flatten_arrays, ruled
from treadle_ir.core import Flags
from treadle_ir.errors import StructureError, forwarded, functions, shown, shown_as
from treadle_ir.primitives.control import Scan
from treadle_ir.primitives.custom_vmap import CustomBatching, CustomVmapCall
from treadle_ir.process import frozen
from treadle_ir.tracing import in_positional_form, stage_tree
from treadle_ir.tree import (
    PyTreeDef,
    explain_difference,
    flatten_leaves_and_structure,
    tree_unflatten,
)

Tree = Any  # a pytree: any Python object
P = ParamSpec("P")
R = TypeVar("R", bound=Any)
Rule = TypeVar("Rule", bound=Callable[..., Any])  # Any: rules are returned unchanged


@final
class custom_vmap(Generic[P, R]):  # noqa: N801 - the public name, used as a decorator
    """A function with its own batching rule.

    The rule, `rule(axis_size, in_batched, *args) -> (results, out_batched)`, runs in the place of the function under
    `vmap`. `in_batched` is a list with a tree of booleans for each argument, which say which arrays have the batch;
    those have it at axis 0. `out_batched` says the same of the results, as a tree like them. Under several `vmap`s the
    rule is itself vectorised. Forward mode differentiates the rule; reverse mode needs a `vmap` inside, as in the
    gradient of a vectorised function.

    Raises:
        ArgumentError: by the call: no rule was set, or an argument is not a tree of arrays.

    Example:
        >>> import numpy as np
        >>> from treadle_batching import custom_vmap, vmap
        >>> from treadle_ir import ops
        >>> @custom_vmap
        ... def f(x, y):
        ...     return ops.add(x, y)
        >>> @f.def_vmap
        ... def f_vmap(axis_size, in_batched, x, y):
        ...     print(axis_size, in_batched)
        ...     return ops.multiply(x, y), in_batched[0]
        >>> print(vmap(f, (0, None))(np.arange(3.0), np.float64(10.0)))
        3 [True, False]
        [ 0. 10. 20.]
    """

    vmap_rule: Callable[..., tuple[Tree, Tree]] | None

    def __init__(self, fun: Callable[P, R]) -> None:
        functions("custom_vmap", fun=fun)
        shown_as(self, fun)
        self.fun = fun
        self.vmap_rule = None

    if not TYPE_CHECKING:  # for type checkers there is nothing but what is declared
        __getattr__ = forwarded

    def def_vmap(self, vmap_rule: Rule) -> Rule:
        """Set the rule.

        Raises:
            ArgumentError: it is not a function.
        """
        functions("custom_vmap.def_vmap", vmap_rule=vmap_rule)
        self.vmap_rule = vmap_rule
        return vmap_rule

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        name = getattr(self.fun, "__name__", "function")
        rule = self.vmap_rule
        if rule is None:
            raise ArgumentError(
                f"custom_vmap: no batching rule was set for `{name}`",
                fix=f"decorate the rule with @{name}.def_vmap before calling the function",
            )
        positional = in_positional_form(self.fun, args, kwargs)
        leaves, structure = flatten_arrays(positional, f"{name}: argument ")
        found: list[PyTreeDef] = []  # of the results, when the function or the rule has run

        def function(*operands: Operand) -> Operands:
            output: Any = self.fun(*tree_unflatten(structure, operands))  # type: ignore[call-arg]
            results, out = flatten_arrays(output, f"{name}: result ")
            found.append(out)
            return results

        def by_rule(out: PyTreeDef) -> None:
            if found and out != found[0]:
                lines = "; ".join(explain_difference(found[0], out))
                raise StructureError(
                    f"the batching rule of `{name}` must return what the function returns, with the batch at axis 0, "
                    f"but they differ {lines}",
                    fix="return results of the function's structure",
                )
            found.append(out)

        batching = CustomBatching(_Rule(name, rule, structure, by_rule))
        outputs = bind(CustomVmapCall(name, function, batching), *leaves)
        tree: R = tree_unflatten(found[-1], outputs)
        return tree


@final
@frozen(eq=False)
class _Rule:
    """The user's rule at a call, on flat operands."""

    name: str
    rule: Callable[..., tuple[Tree, Tree]]
    structure: PyTreeDef
    tell: Callable[[PyTreeDef], None]  # of which structure the results are

    def __call__(self, size: int, operands: Operands, flags: Flags) -> tuple[Operands, Flags]:
        """Return the results, and which of them are batched."""
        what = f"the batching rule of `{self.name}`"
        in_batched = list(tree_unflatten(self.structure, flags))
        arguments = tree_unflatten(self.structure, operands)
        takes = ", ".join(
            ["axis_size", "in_batched", *[f"argument_{i}" for i in range(len(arguments))]]
        )
        given: object = ruled(what, takes, self.rule, size, in_batched, *arguments)
        if not isinstance(given, (tuple, list)) or len(given) != 2:
            raise ArgumentError(
                f"{what} must return a pair (results, out_batched), but it returned {type(given).__name__}"
            )
        results, structure = flatten_arrays(given[0], f"{self.name}: result ")
        batched, of_batched = flatten_leaves_and_structure(given[1])
        if of_batched != structure:
            lines = "; ".join(explain_difference(structure, of_batched))
            raise StructureError(
                f"{what} must return results and out_batched of one structure, but they differ {lines}",
                fix="give one boolean for each array of the results",
            )
        for flag in batched:
            if not isinstance(flag, bool):
                raise ArgumentError(
                    f"{what} returned {shown(flag)} in out_batched, which is made of booleans",
                    fix="True where a result has the batch at axis 0, False where it has none",
                )
        for number, (x, flag) in enumerate(zip(results, batched, strict=True)):
            shape = type_of(x).shape
            if flag and shape[:1] != (size,):
                raise ShapeError(
                    f"{what} returned {type_of(x)} for result {number}, which should have the batch, {size} elements, "
                    "at axis 0",
                    fix="put the batch at axis 0, or say in out_batched that the result has none",
                )
        self.tell(structure)
        return results, tuple(batched)


def sequential_vmap(f: Callable[P, R]) -> custom_vmap[P, R]:
    """Let `vmap` apply a function to one batch element after the other, in a loop.

    For functions that cannot be vectorised, such as those that call other code, or that would take too much memory.

    Raises:
        ArgumentError: `f` is not a function; by the call: an argument is not a tree of arrays.

    Example:
        >>> import numpy as np
        >>> from treadle_batching import sequential_vmap, vmap
        >>> from treadle_ir import ops
        >>> print(vmap(sequential_vmap(ops.square))(np.arange(3.0)))
        [0. 1. 4.]
    """
    functions("sequential_vmap", f=f)
    sequential = custom_vmap(f)

    def rule(axis_size: int, in_batched: Sequence[Tree], *args: Tree) -> tuple[Tree, Tree]:
        leaves, structure = flatten_arrays(args, "sequential_vmap: argument ")
        flags, _ = flatten_leaves_and_structure(tuple(in_batched))
        shared = [x for x, flag in zip(leaves, flags, strict=True) if not flag]
        mapped = [x for x, flag in zip(leaves, flags, strict=True) if flag]

        def element(operands: Sequence[Operand]) -> tuple[tuple[Tree, ...], dict[str, Tree]]:
            constants, elements = iter(operands[: len(shared)]), iter(operands[len(shared) :])
            ordered = [next(elements) if flag else next(constants) for flag in flags]
            arguments: tuple[Tree, ...] = tree_unflatten(structure, ordered)
            return arguments, {}

        body = TreeFunction(sequential, element, array_results("sequential_vmap: result "))
        types = [type_of(x).unsharded for x in shared]
        types += [type_of(x).with_shape(type_of(x).shape[1:]) for x in mapped]
        staged, out = stage_tree(body, *types)
        constants = [*staged.captured, *shared]
        loop = Scan(staged.program, axis_size, len(constants))
        results = bind(loop, *constants, *mapped)
        return tree_unflatten(out, results), tree_unflatten(out, [True] * len(results))

    sequential.def_vmap(rule)
    return sequential
