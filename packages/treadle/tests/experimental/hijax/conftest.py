"""A quantised array, a pair and a box of arrays, as libraries would write them, for all tests of this folder."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import treadle
import treadle.numpy as tnp
from treadle.experimental.hijax import (
    AvalQDD,
    HiPrim,
    HiPrimitive,
    HiType,
    MappingSpec,
    MutableHiType,
    ShapedArray,
    aval_method,
    instantiate_zeros,
    register_hitype,
)

FLOAT = np.dtype("float32")


@dataclass(frozen=True)
class Quantised:
    values: Any
    scale: Any


@dataclass(frozen=True)
class Leading(MappingSpec):
    """Along the first axis."""


@dataclass(frozen=True)
class QuantisedType(HiType):
    shape: tuple[int, ...]

    def lo_ty(self):
        return [ShapedArray(self.shape, np.dtype("int8")), ShapedArray(self.shape[:-1], FLOAT)]

    def lower_val(self, q):
        return [q.values, q.scale]

    def raise_val(self, values, scale):
        return Quantised(values, scale)

    def to_tangent_aval(self):
        return ShapedArray(self.shape, FLOAT)

    def dec_rank(self, size, spec):
        assert isinstance(spec, Leading)
        assert self.shape[0] == size
        return QuantisedType(self.shape[1:])

    def inc_rank(self, size, spec):
        assert isinstance(spec, Leading)
        return QuantisedType((size, *self.shape))

    def leading_axis_spec(self):
        return Leading()

    def str_short(self, short_dtypes=False, mesh_axis_types=False):
        return f"q8[{','.join(map(str, self.shape))}]"


register_hitype(Quantised, lambda q: QuantisedType(q.values.shape))


class Quantise(HiPrim):
    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval,), QuantisedType(aval.shape), {}
        super().__init__()

    def expand(self, x):
        scale = tnp.max(tnp.abs(x), axis=-1) / 127
        return Quantised(tnp.round(x / scale[..., None]).astype("int8"), scale)

    def vjp_fwd(self, nzs_in, x):
        return self(x), None

    def vjp_bwd_retval(self, _, ct):
        return (ct,)

    def jvp(self, primals, tangents):
        return self(*primals), tangents[0]

    def batch(self, axis_data, args, dims):
        (x,), (dim,) = args, dims
        if dim is None:
            return quantise(x), None
        return quantise(tnp.moveaxis(x, dim, 0)), Leading()


class Dequantise(HiPrim):
    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval,), ShapedArray(aval.shape, FLOAT), {}
        super().__init__()

    def expand(self, q):
        return q.values.astype("float32") * q.scale[..., None]

    def vjp_fwd(self, nzs_in, q):
        return self(q), None

    def vjp_bwd_retval(self, _, ct):
        return (ct,)

    def jvp(self, primals, tangents):
        return self(*primals), tangents[0]

    def batch(self, axis_data, args, dims):
        return dequantise(*args), None if dims[0] is None else 0


class Product(HiPrim):
    """Of an array and a quantised one."""

    def __init__(self, x, q):
        self.in_avals, self.params = (x, q), {}
        self.out_aval = ShapedArray((x.shape[0], q.shape[1]), FLOAT)
        super().__init__()

    def expand(self, x, q):
        return (x * q.scale) @ q.values.astype("float32")

    def vjp_fwd(self, nzs_in, x, q):
        return self(x, q), (x, q)

    def vjp_bwd_retval(self, res, ct):
        x, q = res
        return ct @ dequantise(q).T, x.T @ ct


def quantise(x):
    return Quantise(treadle.typeof(x))(x)


def dequantise(q):
    return Dequantise(treadle.typeof(q))(q)


def product(x, q):
    return Product(treadle.typeof(x), treadle.typeof(q))(x, q)


@dataclass(frozen=True)
class Pair:
    parts: tuple[Any, ...]


@dataclass(frozen=True)
class PairSpec(MappingSpec):
    axes: tuple[int | None, ...]


@dataclass(frozen=True)
class PairType(HiType):
    """Of values of any types; its tangents are pairs."""

    of: tuple[Any, ...]

    def lo_ty(self):
        return [lo for each in self.of for lo in each.lo_ty()]

    def lower_val(self, pair):
        return [lo for ty, x in zip(self.of, pair.parts, strict=True) for lo in ty.lower_val(x)]

    def raise_val(self, *arrays):
        rest = iter(arrays)
        return Pair(tuple(ty.raise_val(*itertools.islice(rest, len(ty.lo_ty()))) for ty in self.of))

    def to_tangent_aval(self):
        return PairType(tuple(ty.to_tangent_aval() for ty in self.of))

    def vspace_add(self, x, y):
        return pair(*[part(x, i) + part(y, i) for i in range(len(self.of))])

    def dec_rank(self, size, spec):
        return PairType(
            tuple(ty.dec_rank(size, a) for ty, a in zip(self.of, spec.axes, strict=True))
        )

    def inc_rank(self, size, spec):
        return PairType(
            tuple(ty.inc_rank(size, a) for ty, a in zip(self.of, spec.axes, strict=True))
        )


register_hitype(Pair, lambda p: PairType(tuple(map(treadle.typeof, p.parts))))


class MakePair(HiPrim):
    def __init__(self, *avals):
        self.in_avals, self.out_aval, self.params = avals, PairType(avals), {}
        super().__init__()

    def expand(self, *parts):
        return Pair(parts)

    def vjp_fwd(self, nzs_in, *parts):
        return self(*parts), None

    def vjp_bwd_retval(self, _, ct):
        return tuple(part(ct, i) for i in range(len(self.in_avals)))

    def jvp(self, primals, tangents):
        return self(*primals), pair(*map(instantiate_zeros, tangents))

    def batch(self, axis_data, args, dims):
        return pair(*args), PairSpec(tuple(dims))


class Part(HiPrim):
    def __init__(self, aval, index):
        self.in_avals, self.out_aval, self.params = (aval,), aval.of[index], {"index": index}
        super().__init__()

    def expand(self, of):
        return of.parts[self.index]

    def vjp_fwd(self, nzs_in, of):
        return self(of), None

    def vjp_bwd_retval(self, _, ct):
        avals = self.in_avals[0].to_tangent_aval().of
        zeros = [tnp.zeros(aval.shape, aval.dtype) for aval in avals]
        return (pair(*[ct if i == self.index else zero for i, zero in enumerate(zeros)]),)

    def jvp(self, primals, tangents):
        return part(primals[0], self.index), part(tangents[0], self.index)

    def batch(self, axis_data, args, dims):
        return part(args[0], self.index), None if dims[0] is None else dims[0].axes[self.index]


def pair(*parts):
    return MakePair(*map(treadle.typeof, parts))(*parts)


def part(of, index):
    return Part(treadle.typeof(of), index)(of)


@dataclass(frozen=True)
class Held:
    """What is known of a box: the types of the arrays in it."""

    types: tuple[Any, ...]

    def normalize(self):
        return Held(tuple(each.normalize() for each in self.types))

    def to_tangent_qdd(self):
        return Held(tuple(each.to_tangent_aval() for each in self.types))


@dataclass(frozen=True)
class BoxType(MutableHiType):
    def lo_ty_qdd(self, qdd):
        return [*qdd.types]

    def read_loval(self, qdd, box):
        return [*box.arrays]

    def new_from_loval(self, qdd, *arrays):
        box = Box()
        box.arrays = [*arrays]
        return box

    def update_from_loval(self, qdd, box, *arrays):
        box.arrays = [*arrays]

    def to_tangent_aval(self):
        return BoxType()

    def str_short(self, short_dtypes=False, mesh_axis_types=False):
        return "box"

    get = aval_method(lambda box: get(box))
    put = aval_method(lambda box, *xs: put(box, *xs))
    grow = aval_method(lambda box, x: grow(box, x))


class Box:
    """Arrays, which may be replaced, and become more."""

    def __init__(self, *arrays):
        self.arrays = list(map(tnp.asarray, arrays))

    def cur_qdd(self):
        return Held(tuple(map(treadle.typeof, self.arrays)))

    def get(self):
        return get(self)

    def put(self, *xs):
        put(self, *xs)

    def grow(self, x):
        grow(self, x)


register_hitype(Box, lambda box: BoxType())


class New(HiPrimitive):
    def abstract_eval(self, *xs):
        return AvalQDD(BoxType(), Held(xs)), set()

    def to_lojax(self, *xs):
        return Box(*xs)

    def jvp(self, primals, tangents):
        return new(*primals), new(*map(instantiate_zeros, tangents))


class Put(HiPrimitive):
    multiple_results = True

    def abstract_eval(self, box, *xs):
        box.mutable_qdd.update(Held(xs))
        return [], {"written"}

    def to_lojax(self, box, *xs):
        box.arrays = [*xs]
        return []

    def jvp(self, primals, tangents):
        put(*primals)
        put(tangents[0], *map(instantiate_zeros, tangents[1:]))
        return [], []


class Grow(HiPrimitive):
    """It tells of no effect: what is known of the box shows it."""

    multiple_results = True

    def abstract_eval(self, box, x):
        box.mutable_qdd.update(Held((*box.mutable_qdd.cur_val.types, x)))
        return [], set()

    def to_lojax(self, box, x):
        box.arrays.append(x)
        return []

    def jvp(self, primals, tangents):
        grow(*primals)
        grow(tangents[0], instantiate_zeros(tangents[1]))
        return [], []


class Get(HiPrimitive):
    multiple_results = True

    def abstract_eval(self, box):
        return box.mutable_qdd.cur_val.types, set()

    def to_lojax(self, box):
        return [*box.arrays]

    def jvp(self, primals, tangents):
        return Get("get").bind(*primals), Get("get").bind(*tangents)


def new(*xs):
    return New("new").bind(*xs)


def put(box, *xs):
    Put("put").bind(box, *map(tnp.asarray, xs))


def grow(box, x):
    Grow("grow").bind(box, tnp.asarray(x))


def get(box):
    found = Get("get").bind(box)
    return found[0] if len(found) == 1 else tuple(found)


@pytest.fixture(scope="session")
def lib():
    """The two libraries."""
    return SimpleNamespace(**globals())


@pytest.fixture
def x():
    """A matrix that is not what it is when quantised."""
    return np.array([[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]], np.float32)


@pytest.fixture
def rounded(x):
    """Return the matrix, quantised and restored."""
    scale = np.abs(x).max(-1, keepdims=True) / np.float32(127)
    return np.round(x / scale) * scale
