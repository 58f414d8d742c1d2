from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from typing import Any, ClassVar

import pytest
from hypothesis import given, strategies as st

from treadle_ir.process import frozen


@dataclasses.dataclass(frozen=True)
class Told:
    x: Any
    y: Any = 0
    z: Any = dataclasses.field(default=None, compare=False)


@frozen
class Made:
    kind: ClassVar[str] = "made"
    x: Any
    y: Any = 0
    z: Any = dataclasses.field(default=None, compare=False)


@frozen(eq=False)
class Alone:
    x: Any


def built(cls: type[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    try:
        return cls(*args, **kwargs)
    except TypeError:
        return TypeError


VALUES = st.one_of(st.integers(0, 2), st.text(max_size=1), st.tuples(st.integers(0, 1)))
ARGUMENTS = st.tuples(
    st.lists(VALUES, max_size=4).map(tuple),
    st.dictionaries(st.sampled_from(["x", "y", "z", "w"]), VALUES, max_size=3),
)


@given(ARGUMENTS, ARGUMENTS)
def test_it_does_what_a_dataclass_does(one: Any, other: Any) -> None:
    told, made = [[built(cls, *each) for each in (one, other)] for cls in (Told, Made)]
    assert [x is TypeError for x in told] == [x is TypeError for x in made]
    for left, right in zip(told, made, strict=True):
        if left is not TypeError:
            assert repr(left) == repr(right).replace("Made", "Told")
            assert dataclasses.astuple(left) == dataclasses.astuple(right)
    if TypeError not in told:
        assert (told[0] == told[1]) == (made[0] == made[1])
        if made[0] == made[1]:
            assert hash(made[0]) == hash(made[1])


def test_it_is_frozen() -> None:
    value = Made(1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.x


def test_it_is_copied_pickled_and_replaced() -> None:
    value = Made(1, z=[2])
    for twin in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert (twin, twin.z) == (value, [2])
    assert dataclasses.replace(value, x=5) == Made(5)


def test_objects_of_another_class_are_not_equal() -> None:
    class Sub(Made):  # type: ignore[misc]  # it is final in spirit
        pass

    assert Made(1) != Sub(1)
    other: object = Told(1)
    assert Made(1) != other


def test_without_eq_an_object_is_equal_to_itself_only() -> None:
    one, other = Alone(1), Alone(1)
    assert one == one
    assert one != other
    assert len({one, other}) == 2


def test_errors_name_the_fields() -> None:
    for args, kwargs, message in (
        ((), {}, "Made needs a value for x; its fields are x, y, z"),
        ((1, 2, 3, 4), {}, "Made takes 3 arguments, but 4 were given"),
        ((1,), {"w": 1}, "Made has no field 'w'"),
        ((1,), {"x": 1}, "Made got two values for field 'x'"),
    ):
        with pytest.raises(TypeError, match=message):
            Made(*args, **kwargs)


def test_help_shows_the_signature() -> None:
    assert str(inspect.signature(Made)) == "(x: 'Any', y: 'Any' = 0, z: 'Any' = None)"


def test_post_init_sees_the_fields() -> None:
    @frozen
    class Positive:
        x: int

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError(self.x)

    assert Positive(1).x == 1
    with pytest.raises(ValueError, match="-1"):
        Positive(-1)
