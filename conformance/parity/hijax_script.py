"""A quantised array as a type of a library's own, in whichever library: run with its name as the argument.

    python hijax_script.py jax        prints, as JSON, values, types and errors, by case

It is a script by itself, since the interpreter that has JAX has nothing of ours.
"""

# mypy: disable-error-code="misc"
# The classes to derive from are known when the library is.

import dataclasses
import importlib
import json
import sys
from typing import Any

NAME = sys.argv[1]
lib = importlib.import_module(NAME)
lnp = importlib.import_module(f"{NAME}.numpy")
lax = importlib.import_module(f"{NAME}.lax")
hijax: Any = importlib.import_module(f"{NAME}.experimental.hijax")
np = importlib.import_module("numpy")
# JAX 0.10.2 has the older name.
HiPrim: Any = getattr(hijax, "VJPHiPrimitive", None) or hijax.HiPrim
BUILT_IN = (NotImplementedError, AttributeError, TypeError, ValueError)


@dataclasses.dataclass(frozen=True)
class Quantised:
    values: Any
    scale: Any


@dataclasses.dataclass(frozen=True)
class Leading:
    pass


@dataclasses.dataclass(frozen=True)
class QuantisedType(hijax.HiType):
    shape: tuple[int, ...]

    def lo_ty(self):
        return [
            hijax.ShapedArray(self.shape, np.dtype("int8")),
            hijax.ShapedArray(self.shape[:-1], np.dtype("float32")),
        ]

    def lower_val(self, q):
        return [q.values, q.scale]

    def raise_val(self, values, scale):
        return Quantised(values, scale)

    def to_tangent_aval(self):
        return hijax.ShapedArray(self.shape, np.dtype("float32"))

    def dec_rank(self, size, spec):
        return QuantisedType(self.shape[1:])

    def inc_rank(self, size, spec):
        return QuantisedType((size, *self.shape))

    def leading_axis_spec(self):
        return spec()

    def str_short(self, short_dtypes=False, mesh_axis_types=False):
        return f"q8[{','.join(map(str, self.shape))}]"

    __repr__ = str_short


def spec():
    return getattr(hijax, "MappingSpec", Leading)()


hijax.register_hitype(Quantised, lambda q: QuantisedType(q.values.shape))


class Quantise(HiPrim):
    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval,), QuantisedType(aval.shape), {}
        super().__init__()

    def expand(self, x):
        scale = lnp.max(lnp.abs(x), axis=-1) / 127
        return Quantised(lnp.round(x / scale[..., None]).astype("int8"), scale)

    def vjp_fwd(self, nzs_in, x):
        return self(x), None

    def vjp_bwd_retval(self, _, ct):
        return (ct,)

    def jvp(self, primals, tangents):
        return self(*primals), tangents[0]

    def batch(self, axis_data, args, dims):
        if dims[0] is None:
            return quantise(args[0]), None
        return quantise(lnp.moveaxis(args[0], dims[0], 0)), spec()


class Dequantise(HiPrim):
    def __init__(self, aval):
        self.in_avals, self.params = (aval,), {}
        self.out_aval = hijax.ShapedArray(aval.shape, np.dtype("float32"))
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
        return dequantise(args[0]), None if dims[0] is None else 0


class Square(HiPrim):
    """A square whose rules are wrong on purpose, to distinguish them from the rules of its body."""

    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval,), aval, {}
        super().__init__()

    def expand(self, x):
        return x * x

    def vjp_fwd(self, nzs_in, x):
        return self(x), x

    def vjp_bwd_retval(self, x, ct):
        return (5 * x * ct,)

    def jvp(self, primals, tangents):
        return self(*primals), 3 * primals[0] * tangents[0]

    def batch(self, axis_data, args, dims):
        return square(args[0]), dims[0]


class Placed(Square):
    """Batched by the older rule, which says where the batch is and nothing else."""

    batch = HiPrim.batch

    def batch_dim_rule(self, axis_data, dims):
        return dims[0]


class Power(HiPrim):
    def __init__(self, aval, exponent):
        self.in_avals, self.out_aval = (aval,), aval
        self.params = {"exponent": exponent, "word": "x"}
        super().__init__()

    def expand(self, x):
        return x**self.exponent


class Bare(HiPrim):
    def __init__(self, aval):
        self.in_avals, self.out_aval, self.params = (aval,), aval, {}
        super().__init__()

    def expand(self, x):
        return x * x


def quantise(x):
    return Quantise(lib.typeof(x))(x)


def dequantise(q):
    return Dequantise(lib.typeof(q))(q)


def square(x):
    return Square(lib.typeof(x))(x)


def placed(x):
    return Placed(lib.typeof(x))(x)


def bare(x):
    return Bare(lib.typeof(x))(x)


def step(carry, x):
    return quantise(dequantise(carry) + x), quantise(2 * x)


def custom(q):
    return 2 * dequantise(q)


of_custom = lib.custom_vjp(custom)
of_custom.defvjp(lambda q: (custom(q), q), lambda q, ct: (ct * dequantise(q),))
x = lnp.array([[1.0, 2.0, 3.0], [4.0, -5.0, 6.0]])
xs = lnp.arange(24.0).reshape(4, 2, 3) + 1
ones = lnp.ones_like(x)
q, qs = quantise(x), quantise(xs)
line = lnp.arange(3.0)
CASES = {
    "value": lambda: q,
    "typeof": lambda: str(lib.typeof(q)),
    "tree": lambda: lib.tree.map(lambda each: str(lib.typeof(each)), {"a": [q], "b": x}),
    "structure": lambda: lib.tree.structure([q]).num_leaves,
    "jit result": lambda: lib.jit(quantise)(x),
    "jit argument": lambda: lib.jit(dequantise)(q),
    "jit tree": lambda: lib.jit(lambda t: {"q": t["q"], "x": dequantise(t["q"][0])})({"q": [q]}),
    "jit closure": lambda: lib.jit(lambda x: dequantise(q) + x)(x),
    "type inside": lambda: lib.eval_shape(lambda x: dequantise(quantise(x)), x).shape,
    "eval_shape": lambda: str(lib.eval_shape(quantise, x)),
    "attribute": lambda: lib.jit(lambda q: q.values)(q),
    "no array": lambda: lib.jit(lambda q: lnp.sin(q))(q),
    "sum": lambda: lib.jit(lambda q: q + q)(q),
    "grad": lambda: lib.grad(lambda x: (dequantise(quantise(x)) ** 2).sum())(x),
    "grad of value": lambda: lib.grad(lambda q: (dequantise(q) ** 2).sum())(q),
    "grad of tree": lambda: lib.grad(lambda t: (dequantise(t[0]) ** 2).sum() * t[1])((q, 2.0)),
    "jit grad": lambda: lib.jit(lib.grad(lambda q: (dequantise(q) ** 2).sum()))(q),
    "grad jit": lambda: lib.grad(lambda q: (lib.jit(dequantise)(q) ** 2).sum())(q),
    "jvp": lambda: lib.jvp(lambda x: 2 * dequantise(quantise(x)), (x,), (ones,)),
    "jvp of value": lambda: lib.jvp(dequantise, (q,), (ones,)),
    "jvp to value": lambda: lib.jvp(quantise, (x,), (ones,)),
    "vjp of value": lambda: lib.vjp(dequantise, q)[1](ones),
    "vjp to value": lambda: lib.vjp(quantise, x)[1](ones),
    "custom_vjp": lambda: lib.grad(lambda q: of_custom(q).sum())(q),
    "checkpoint": lambda: lib.grad(lib.checkpoint(lambda q: (dequantise(q) ** 2).sum()))(q),
    "scan over values": lambda: lax.scan(
        lambda c, q: (c + dequantise(q).sum(), None), 0.0, qs, length=4
    )[0],
    "scan": lambda: lax.scan(step, q, xs),
    "grad of scan": lambda: lib.grad(lambda xs: dequantise(lax.scan(step, q, xs)[0]).sum())(xs),
    "cond": lambda: lax.cond(True, lambda q: quantise(2 * dequantise(q)), lambda q: q, q),
    "while": lambda: lax.while_loop(
        lambda q: dequantise(q).sum() < 100, lambda q: quantise(2 * dequantise(q)), q
    ),
    "switch": lambda: lax.switch(1, [lambda q: q, lambda q: quantise(3 * dequantise(q))], q),
    "map": lambda: lax.map(lambda x: dequantise(quantise(x)), xs),
    "vmap": lambda: lib.vmap(lambda x: dequantise(quantise(x)))(xs),
    "vmap with an array": lambda: lib.vmap(lambda x, q: x + dequantise(q), in_axes=(0, None))(
        xs, q
    ),
    "vmap vmap": lambda: lib.vmap(lib.vmap(lambda x: dequantise(quantise(x))))(xs[None]),
    "vmap grad": lambda: lib.vmap(lib.grad(lambda x: (dequantise(quantise(x)) ** 2).sum()))(xs),
    "vmap over 0": lambda: lib.vmap(dequantise)(qs),
    "vmap to 0": lambda: lib.vmap(quantise)(xs),
    "own rule": lambda: lib.grad(square)(2.0),
    "own second rule": lambda: lib.grad(lib.grad(square))(2.0),
    "own jvp": lambda: lib.jvp(square, (lnp.float32(2),), (lnp.float32(1),)),
    "own vmap": lambda: lib.vmap(square)(line),
    "own vmap grad": lambda: lib.vmap(lib.grad(square))(line),
    "own grad vmap": lambda: lib.grad(lambda x: lib.vmap(square)(x).sum())(line),
    "own jvp vmap": lambda: lib.jvp(lib.vmap(square), (line,), (lnp.ones(3),)),
    "equal": lambda: Square(lib.typeof(x)) == Square(lib.typeof(x)),
    "repr": lambda: repr(Square(lib.typeof(x))),
    "repr with parameters": lambda: repr(Power(lib.typeof(x), 3)),
    "no grad": lambda: lib.grad(bare)(1.0),
    "no jvp": lambda: lib.jvp(bare, (1.0,), (1.0,)),
    "no vmap": lambda: lib.vmap(bare)(line),
}
OLDER = {  # removed from JAX in 0.11
    "placed vmap": lambda: lib.vmap(placed)(line),
    "placed vmap grad": lambda: lib.vmap(lib.grad(placed))(line),
    "placed grad vmap": lambda: lib.grad(lambda x: lib.vmap(placed)(x).sum())(line),
    "placed jvp vmap": lambda: lib.jvp(lib.vmap(placed), (line,), (lnp.ones(3),)),
}
if hasattr(HiPrim, "batch_dim_rule"):
    CASES |= OLDER


def plain(value):
    """Convert a value to what JSON can represent."""
    if isinstance(value, Quantised):
        return {"values": plain(value.values), "scale": plain(value.scale)}
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    array = np.asarray(value)
    return {"dtype": str(array.dtype), "array": array.astype(float).tolist()}


def outcome(case):
    """The result, or the built-in classes of the error."""
    try:
        return plain(case())
    except Exception as error:
        return {"error": [cls.__name__ for cls in BUILT_IN if isinstance(error, cls)]}


print(json.dumps({name: outcome(case) for name, case in CASES.items()}))
