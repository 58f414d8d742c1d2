"""Examples of random bits; keys and counters are drawn from all 32-bit words."""

from __future__ import annotations

from typing import Final

from treadle_ir.core.dtypes import BY_NAME
from treadle_ir.primitives.random import (
    RandomBits,
    RandomFoldIn,
    RandomSplit,
    RandomUnwrap,
    RandomWrap,
    Threefry2x32,
)
from treadle_ir.testing.examples import Example, example

_WIDE: Final = ("key<rbg>", "key<urbg>")
_WORDS: Final = (0.0, 2.0**32 - 3)

EXAMPLES: Final[list[Example]] = [
    example(Threefry2x32(), "u32[]", "u32[]", "u32[]", "u32[]", domain=_WORDS),
    example(Threefry2x32(), "u32[]", "u32[]", "u32[5]", "u32[5]", domain=_WORDS),
    example(Threefry2x32(), "u32[0]", "u32[]", "u32[0]", "u32[]", domain=_WORDS),
    example(Threefry2x32(), "u32[2,3]", "u32[2,3]", "u32[2,3]", "u32[]", domain=_WORDS),
    *[
        example(RandomBits(shape, width), "u32[2]", domain=_WORDS, label=f"{width} bits, {shape}")
        for shape in ((), (1,), (7,), (2, 3), (0, 2))
        for width in (8, 16, 32, 64)
    ],
    example(RandomBits((5000,)), "u32[2]", domain=_WORDS, label="many"),
    example(RandomBits((3,)), "u32[4,2]", domain=_WORDS),
    example(RandomBits((), 8), "u32[2,3,2]", domain=_WORDS),
    *[
        example(RandomSplit(shape), "u32[2]", domain=_WORDS, label=str(shape))
        for shape in ((), (2,), (9,), (2, 3), (0,))
    ],
    example(RandomSplit((3,)), "u32[4,2]", domain=_WORDS),
    example(RandomFoldIn(), "u32[2]", "u32[]", domain=_WORDS),
    example(RandomFoldIn(), "u32[3,2]", "u32[3]", domain=_WORDS),
    example(RandomFoldIn(), "u32[0,2]", "u32[0]", domain=_WORDS),
    example(RandomFoldIn(), "u32[2,3,2]", "u32[]", domain=_WORDS),
    *[
        example(RandomBits(shape, width), "key<fry>[]", label=f"{width} bits, {shape}, typed")
        for shape in ((), (7,), (0, 2))
        for width in (8, 16, 32, 64)
    ],
    example(RandomBits((5000,)), "key<fry>[]", label="many, typed"),
    example(RandomBits((3,)), "key<fry>[4]"),
    example(RandomBits((), 8), "key<fry>[2,3]"),
    *[
        example(RandomSplit(shape), "key<fry>[]", label=f"{shape}, typed")
        for shape in ((), (2,), (9,), (2, 3), (0,))
    ],
    example(RandomSplit((3,)), "key<fry>[4]"),
    example(RandomFoldIn(), "key<fry>[]", "u32[]", domain=_WORDS),
    example(RandomFoldIn(), "key<fry>[3]", "u32[3]", domain=_WORDS),
    example(RandomFoldIn(), "key<fry>[0]", "u32[0]", domain=_WORDS),
    example(RandomFoldIn(), "key<fry>[2,3]", "u32[]", domain=_WORDS),
    *[example(RandomWrap(), f"u32[{shape}2]", domain=_WORDS) for shape in ("", "3,", "0,", "2,3,")],
    *[
        example(RandomBits(shape, width), f"{keys}[]", label=f"{width} bits, {shape}")
        for keys in _WIDE
        for shape, width in (((), 8), ((7,), 16), ((2, 3), 32), ((5,), 64), ((0, 2), 32))
    ],
    *[
        example(RandomSplit(shape), f"{keys}[]", label=str(shape))
        for keys in _WIDE
        for shape in ((), (2,), (2, 3), (0,))
    ],
    *[
        each
        for keys in _WIDE
        for each in (
            example(RandomBits((3,)), f"{keys}[4]"),
            example(RandomBits((3,)), f"{keys}[0]"),
            example(RandomSplit((3,)), f"{keys}[2,2]"),
            example(RandomFoldIn(), f"{keys}[]", "u32[]", domain=_WORDS),
            example(RandomFoldIn(), f"{keys}[3]", "u32[3]", domain=_WORDS),
            example(RandomFoldIn(), f"{keys}[2,3]", "u32[1,3]", domain=_WORDS),
            example(RandomFoldIn(), f"{keys}[2,3]", "u32[]", domain=_WORDS),
            example(RandomWrap(BY_NAME[keys]), "u32[3,4]", domain=_WORDS, label=keys),
            example(RandomUnwrap(), f"{keys}[2,3]"),
        )
    ],
    example(RandomFoldIn(), "key<fry>[2,3]", "u32[2,1]", domain=_WORDS),
    *[example(RandomUnwrap(), f"key<fry>[{shape}]") for shape in ("", "3", "0", "2,3")],
]
