"""The policies that say what `checkpoint` stores nevertheless."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from treadle_ir import ArgumentError, Primitive
from treadle_ir.errors import functions, names, shown
from treadle_ir.primitives.call import CheckpointName, CheckpointPolicy
from treadle_ir.primitives.contract import DotGeneral


@final
class Decision:
    """What a policy answers: true is `Saveable`, false is `Recompute`."""

    __slots__ = ("_name", "_saves")

    def __init__(self, name: str, saves: bool) -> None:
        self._name = name
        self._saves = saves

    def __bool__(self) -> bool:
        return self._saves

    def __repr__(self) -> str:
        return self._name


Recompute: Final = Decision("Recompute", False)
Saveable: Final = Decision("Saveable", True)


@final
@dataclass(frozen=True)
class Offloadable:
    """What a policy answers for results to be stored in another memory of the device, by the kinds of both."""

    src: str
    dst: str


def decision(policy: CheckpointPolicy, primitive: Primitive) -> bool | Offloadable:
    """Return whether a policy stores the results of a primitive, or the memory to which it offloads them."""
    answer = policy(primitive)
    return answer if isinstance(answer, Offloadable) else bool(answer)


def _saves_dots(primitive: Primitive) -> bool:
    return primitive.name in ("dot_general", "convolution")


def _saves_plain_dots(primitive: Primitive) -> bool:
    return isinstance(primitive, DotGeneral) and not any(primitive.batching)


def _saves_everything(primitive: Primitive) -> bool:
    return True


def _saves_nothing(primitive: Primitive) -> bool:
    return False


def _names(function: str, names: object) -> frozenset[str]:
    given = tuple(names) if isinstance(names, (tuple, list, set, frozenset)) else (names,)
    for name in given:
        if not isinstance(name, str):
            raise ArgumentError(
                f"{function}: a name is {shown(name)}, but names are strings",
                fix="give the names that checkpoint_name was called with",
            )
    return frozenset(given)


@final
class checkpoint_policies:  # noqa: N801 - a namespace, by its public name
    """What `checkpoint` stores nevertheless; pass one as `policy`.

    A policy of your own is a function that is given a primitive and answers with a boolean: whether its results are
    stored. `primitive.name` is its name, as `make_jaxpr` prints it.
    """

    everything_saveable = staticmethod(_saves_everything)
    nothing_saveable = staticmethod(_saves_nothing)
    dots_saveable = staticmethod(_saves_dots)
    checkpoint_dots = staticmethod(_saves_dots)
    dots_with_no_batch_dims_saveable = staticmethod(_saves_plain_dots)
    checkpoint_dots_with_no_batch_dims = staticmethod(_saves_plain_dots)

    @staticmethod
    def save_anything_except_these_names(*names: str) -> CheckpointPolicy:
        """Store everything but the arrays marked by `checkpoint_name` with one of these names.

        The operation that made such an array is not marked, and its result is stored.
        """
        dropped = _names("save_anything_except_these_names", names)
        return lambda primitive: (
            not (isinstance(primitive, CheckpointName) and primitive.label in dropped)
        )

    @staticmethod
    def save_any_names_but_these(*names: str) -> CheckpointPolicy:
        """Store the arrays marked by `checkpoint_name` unless they have one of these names."""
        dropped = _names("save_any_names_but_these", names)
        return lambda primitive: (
            isinstance(primitive, CheckpointName) and primitive.label not in dropped
        )

    @staticmethod
    def save_only_these_names(*names: str) -> CheckpointPolicy:
        """Store the arrays marked by `checkpoint_name` with one of these names, nothing else."""
        kept = _names("save_only_these_names", names)
        return lambda primitive: isinstance(primitive, CheckpointName) and primitive.label in kept

    @staticmethod
    def save_from_both_policies(
        policy_1: CheckpointPolicy, policy_2: CheckpointPolicy
    ) -> CheckpointPolicy:
        """Store what one of two policies stores, or both.

        Raises:
            ArgumentError: a policy is not a function.
        """
        functions("save_from_both_policies", policy_1=policy_1, policy_2=policy_2)
        return lambda primitive: decision(policy_1, primitive) or decision(policy_2, primitive)

    @staticmethod
    def offload_dot_with_no_batch_dims(offload_src: str, offload_dst: str) -> CheckpointPolicy:
        """Store results of matrix products without batch axes in another memory.

        Args:
            offload_src: the kind of memory in which they are computed, `device`.
            offload_dst: the kind in which they wait for the backward pass, such as `pinned_host`.

        Raises:
            ArgumentError: a kind is not a string.
        """
        names("offload_dot_with_no_batch_dims", offload_src=offload_src, offload_dst=offload_dst)
        return lambda primitive: (
            Offloadable(offload_src, offload_dst) if _saves_plain_dots(primitive) else Recompute
        )

    @staticmethod
    def save_and_offload_only_these_names(
        *,
        names_which_can_be_saved: object,
        names_which_can_be_offloaded: object,
        offload_src: str,
        offload_dst: str,
    ) -> CheckpointPolicy:
        """Store the arrays marked by `checkpoint_name` with some names, and those with others in another memory.

        Args:
            names_which_can_be_saved: names of arrays to be stored where they are.
            names_which_can_be_offloaded: names of arrays that wait for the backward pass elsewhere.
            offload_src: the kind of memory in which these are computed, `device`.
            offload_dst: the kind in which they wait, such as `pinned_host`.

        Raises:
            ArgumentError: names or kinds are not strings, or one is in both lists.
        """
        function = "save_and_offload_only_these_names"
        names(function, offload_src=offload_src, offload_dst=offload_dst)
        kept = _names(function, names_which_can_be_saved)
        moved = _names(function, names_which_can_be_offloaded)
        if kept & moved:
            raise ArgumentError(
                f"{function}: {sorted(kept & moved)} cannot be both saved and offloaded",
                fix="name each array in one of the two lists",
            )

        def policy(primitive: Primitive) -> object:
            if not isinstance(primitive, CheckpointName):
                return False
            if primitive.label in moved:
                return Offloadable(offload_src, offload_dst)
            return primitive.label in kept

        return policy
