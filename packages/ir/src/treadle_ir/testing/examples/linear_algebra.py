"""Examples of linear algebra: matrices far from singular, with eigenvalues and singular values apart.

Vectors of complex matrices and columns that complete a basis are unique up to phases and rotations only, so finite
differences of them are meaningless: they are not differentiable here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from treadle_ir.core.equality import field_names
from treadle_ir.primitives.linear_algebra import (
    Cholesky,
    Eig,
    Eigh,
    Hessenberg,
    HouseholderMultiply,
    HouseholderProduct,
    Lu,
    LuPivotsToPermutation,
    Qr,
    QrReflections,
    Schur,
    Svd,
    TriangularSolve,
    Tridiagonal,
    TridiagonalSolve,
)
from treadle_ir.testing.examples import Draw, Example, array_type, example, sample
from treadle_ir.tracing.array import Operand


def dominant(*types: str, by: float = 4.0) -> Draw:
    """Return operands of which the first has a large diagonal, with signs of its own."""

    def draw(random: np.random.Generator) -> list[Operand]:
        first, *rest = [np.asarray(sample(random, array_type(t), (-2.0, 2.0))) for t in types]
        m, n = first.shape[-2:]
        signs = np.where(np.arange(min(m, n)) % 2, -1.0, 1.0) * by
        first = first + np.pad(np.diag(signs), ((0, m - min(m, n)), (0, n - min(m, n))))
        return [first.astype(array_type(types[0]).dtype), *rest]

    return draw


def positive(type: str) -> Draw:
    """Return Hermitian positive definite matrices; the upper triangle, which is not read, holds something else."""

    def draw(random: np.random.Generator) -> list[Operand]:
        x = np.asarray(sample(random, array_type(type), (-2.0, 2.0)))
        square = x @ np.swapaxes(x, -1, -2).conj() + np.eye(x.shape[-1])
        return [np.asarray(np.tril(square) + np.triu(x, 1)).astype(x.dtype)]

    return draw


def _middle(*types: str) -> Draw:
    """Return three diagonals, the middle one large, and right-hand sides."""

    def draw(random: np.random.Generator) -> list[Operand]:
        low, diagonal, high, b = [sample(random, array_type(t), (-2.0, 2.0)) for t in types]
        return [low, (np.asarray(diagonal) + 5).astype(array_type(types[1]).dtype), high, b]

    return draw


def _reflections(type: str, count: int, *others: str) -> Draw:
    """Return reflections of a QR factorisation."""

    def draw(random: np.random.Generator) -> list[Operand]:
        x = np.asarray(sample(random, array_type(type), (-2.0, 2.0)))
        raw, taus = np.linalg.qr(x, "raw")
        form = np.swapaxes(raw, -1, -2)
        rest = [sample(random, array_type(t), (-2.0, 2.0)) for t in others]
        return [
            np.ascontiguousarray(form).astype(x.dtype),
            taus[..., :count].astype(x.dtype),
            *rest,
        ]

    return draw


def _flags(count: int) -> list[tuple[bool, ...]]:
    """None of so many flags, each alone, and all."""
    alone = [tuple([i == j for i in range(count)]) for j in range(count)]
    return [(False,) * count, *alone, (True,) * count]


def _labelled(example: Example) -> Example:
    """Return the example with its attributes for a label, where it has none."""
    if example.label:
        return example
    primitive = example.primitive
    own = [f"{name}={getattr(primitive, name)}" for name in field_names(type(primitive))]
    return replace(example, label=" ".join(own))


_EXAMPLES: Final[list[Example]] = [
    *[
        example(Cholesky(), type, draw=positive(type))
        for type in ("f32[3,3]", "f64[3,3]", "c64[2,3,3]", "c128[3,3]", "f64[1,1]")
    ],
    example(Cholesky(), "f32[0,0]"),
    example(
        Cholesky(),
        "f32[2,2]",
        draw=lambda random: [np.array([[1, 0], [2, 1]], np.float32)],
        label="not positive",
    ),
    *[
        example(TriangularSolve(*flags), *types, draw=dominant(*types))
        for flags in _flags(5)
        for types in [("f64[3,3]", "f64[3,2]" if flags[0] else "f64[2,3]")]
    ],
    *[
        example(TriangularSolve(True, True), *types, draw=dominant(*types))
        for types in [
            ("f32[3,3]", "f32[3,2]"),
            ("f64[2,3,3]", "f64[2,3,1]"),
            ("c64[3,3]", "c64[3,2]"),
            ("bf16[3,3]", "bf16[3,2]"),
            ("f16[3,3]", "f16[3,2]"),
            ("f64[1,1]", "f64[1,2]"),
        ]
    ],
    example(
        TriangularSolve(True, False, True, True),
        "c128[3,3]",
        "c128[3,2]",
        draw=dominant("c128[3,3]", "c128[3,2]"),
    ),
    example(TriangularSolve(), "f32[0,0]", "f32[0,2]"),
    *[
        example(TridiagonalSolve(perturb), *types, draw=_middle(*types))
        for perturb in (False, True)
        for types in [
            ("f64[4]", "f64[4]", "f64[4]", "f64[4,2]"),
            ("f32[2,3]", "f32[2,3]", "f32[2,3]", "f32[2,3,1]"),
            ("c128[3]", "c128[3]", "c128[3]", "c128[3,2]"),
            ("f64[1]", "f64[1]", "f64[1]", "f64[1,2]"),
        ]
    ],
    example(TridiagonalSolve(), "f32[0]", "f32[0]", "f32[0]", "f32[0,2]"),
    *[
        example(Lu(), type, draw=dominant(type))
        for type in (
            "f32[3,3]",
            "f64[3,3]",
            "f64[4,2]",
            "f64[2,4]",
            "f64[2,3,3]",
            "c128[3,3]",
            "c64[3,2]",
            "f64[1,1]",
        )
    ],
    *[example(Lu(), type) for type in ("f32[0,0]", "f32[0,2]", "f32[2,0]")],
    example(
        LuPivotsToPermutation(4),
        "i32[3]",
        draw=lambda random: [np.array([2, 1, 3], np.int32)],
    ),
    example(
        LuPivotsToPermutation(3),
        "i32[2,3]",
        draw=lambda random: [np.array([[2, 1, 2], [1, 1, 2]], np.int32)],
    ),
    *[example(LuPivotsToPermutation(n), "i32[0]") for n in (0, 2)],
    *[
        example(
            Qr(pivoting, full),
            type,
            draw=dominant(type),
            differentiable=not (full and type == "f64[4,2]"),
        )
        for pivoting in (False, True)
        for full in (False, True)
        for type in ("f32[3,3]", "f64[3,3]", "f64[4,2]", "f64[2,4]", "c128[3,3]", "f64[2,2,2]")
    ],
    *[example(Qr(pivoting), "f64[1,1]") for pivoting in (False, True)],
    *[example(Qr(), type) for type in ("f32[0,0]", "f32[0,2]", "f32[2,0]")],
    *[
        example(QrReflections(), type)
        for type in ("f32[3,3]", "f64[2,4,2]", "f64[2,3]", "c64[3,2]", "c128[3,3]", "f32[0,2]")
    ],
    *[
        example(HouseholderProduct(), type, taus, draw=_reflections(type, int(taus[-2])))
        for type, taus in [
            ("f64[3,3]", "f64[3]"),
            ("f32[4,2]", "f32[2]"),
            ("c128[3,3]", "c128[2]"),
            ("f64[2,3,2]", "f64[2,1]"),
        ]
    ],
    example(HouseholderProduct(), "f32[0,0]", "f32[0]"),
    *[
        example(
            HouseholderMultiply(left, adjoint),
            f"{dtype}[3,2]",
            f"{dtype}[2]",
            f"{dtype}[3,4]" if left else f"{dtype}[4,3]",
            draw=_reflections(f"{dtype}[3,2]", 2, f"{dtype}[3,4]" if left else f"{dtype}[4,3]"),
        )
        for left in (True, False)
        for adjoint in (False, True)
        for dtype in ("f32", "c128")
    ],
    example(HouseholderMultiply(), "f32[0,0]", "f32[0]", "f32[0,2]"),
    *[
        example(Eigh(lower), type, draw=dominant(type), differentiable=type[0] == "f")
        for lower in (True, False)
        for type in ("f32[3,3]", "f64[3,3]", "f64[2,2,2]", "c64[3,3]", "c128[2,2]")
    ],
    *[
        example(Eigh(lower, compute_vectors=False), type, draw=dominant(type))
        for lower in (True, False)
        for type in ("f32[3,3]", "f64[2,2,2]", "c64[3,3]", "c128[2,2]")
    ],
    example(Eigh(), "f64[1,1]"),
    example(Eigh(compute_vectors=False), "f32[0,0]"),
    example(Eigh(), "f32[0,0]"),
    *[
        example(
            Svd(full, vectors),
            type,
            draw=dominant(type),
            differentiable=not vectors or (type[0] == "f" and not (full and type != "f64[3,3]")),
        )
        for full, vectors in ((False, False), (False, True), (True, True))
        for type in ("f32[3,3]", "f64[3,3]", "f64[4,2]", "f64[2,4]", "c128[3,2]", "f64[2,2,3]")
    ],
    example(Svd(False, True, "qr"), "f64[3,2]", draw=dominant("f64[3,2]")),
    example(Svd(False), "f64[1,1]"),
    *[example(Svd(), type) for type in ("f32[0,0]", "f32[0,2]", "f32[2,0]")],
    *[
        example(Eig(left, right), type, draw=dominant(type), differentiable=type != "c128[2,2,2]")
        for left, right in ((False, False), (False, True), (True, False), (True, True))
        for type in ("f32[3,3]", "f64[3,3]", "c128[2,2,2]")
    ],
    example(Eig(), "f64[1,1]"),
    example(Eig(), "f32[0,0]"),
    *[
        example(Schur(vectors), type)
        for vectors in (True, False)
        for type in ("f32[3,3]", "f64[4,4]", "c64[3,3]", "c128[2,2,2]", "f64[1,1]")
    ],
    example(Schur(), "f32[0,0]"),
    *[
        example(Hessenberg(), type)
        for type in ("f32[4,4]", "f64[3,3]", "c64[2,3,3]", "c128[3,3]", "f64[1,1]", "f32[0,0]")
    ],
    *[
        example(Tridiagonal(lower), type)
        for lower in (True, False)
        for type in ("f32[4,4]", "f64[3,3]", "c64[2,3,3]", "c128[3,3]", "f64[1,1]")
    ],
    example(Tridiagonal(), "f32[0,0]"),
]
EXAMPLES: Final[list[Example]] = [_labelled(each) for each in _EXAMPLES]
