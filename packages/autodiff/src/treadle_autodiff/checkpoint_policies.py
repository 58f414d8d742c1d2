"""The policies that say what `checkpoint` stores nevertheless."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

from treadle_ir import ArgumentError, Primitive, UnsupportedError, functions, shown
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
    """What a policy answers for results to be stored in another memory, which treadle does not do: it is refused."""

    src: object
    dst: object


def saves(policy: CheckpointPolicy, primitive: Primitive) -> bool:
    """Whether a policy stores the results of a primitive.

    Raises:
        UnsupportedError: it wants them in another memory.
    """
    answer = policy(primitive)
    if isinstance(answer, Offloadable):
        raise UnsupportedError(
            f"checkpoint: the policy offloads results of `{primitive.name}` from {shown(answer.src)} to "
            f"{shown(answer.dst)}, but treadle stores residuals on the device only",
            fix="use a policy that stores or recomputes, such as save_only_these_names",
        )
    return bool(answer)


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
class checkpoint_policies:  # noqa: N801 - a namespace, JAX's name
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
            ArgumentError: a policy is no function.
        """
        functions("save_from_both_policies", policy_1=policy_1, policy_2=policy_2)
        return lambda primitive: saves(policy_1, primitive) or saves(policy_2, primitive)

    @staticmethod
    def offload_dot_with_no_batch_dims(offload_src: str, offload_dst: str) -> CheckpointPolicy:
        """Refused where it is used: arrays cannot be stored in another memory."""
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
        """Store the arrays with names that can be saved; refused where it meets one of those to be offloaded.

        Raises:
            ArgumentError: names are not strings, or one is in both lists.
        """
        function = "save_and_offload_only_these_names"
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
