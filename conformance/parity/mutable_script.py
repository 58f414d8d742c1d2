"""A box of arrays as a type of a library's own whose values change, in whichever library: its name is the argument.

    python mutable_script.py jax        prints, as JSON, values, types and errors, by case

It is a script by itself, since the interpreter that has JAX has nothing of ours. JAX 0.10.2 has no reverse mode through
boxes made within, and no `vmap` of what they hold: there is nothing to compare with there.
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
experimental: Any = importlib.import_module(f"{NAME}.experimental")
if not hasattr(experimental, "cur_qdd"):  # JAX since 0.11
    print(json.dumps({}))
    sys.exit()
cur_qdd: Any = experimental.cur_qdd
np = importlib.import_module("numpy")
BUILT_IN = (NotImplementedError, AttributeError, TypeError, ValueError, ZeroDivisionError)


@dataclasses.dataclass(frozen=True)
class Held:
    types: tuple[Any, ...]

    def normalize(self):
        return Held(tuple(each.normalize() for each in self.types))

    def to_tangent_qdd(self):
        return Held(tuple(each.to_tangent_aval() for each in self.types))


@dataclasses.dataclass(frozen=True)
class BoxType(hijax.MutableHiType):
    has_qdd = True

    def lo_ty_qdd(self, qdd):
        return [*qdd.types]

    def read_loval(self, qdd, box):
        return [*box.arrays]

    def new_from_loval(self, qdd, *arrays):
        return Box(*arrays)

    def update_from_loval(self, qdd, box, *arrays):
        box.arrays = [*arrays]

    def to_tangent_aval(self):
        return BoxType()

    def str_short(self, short_dtypes=False, mesh_axis_types=False):
        return "box"

    get = hijax.aval_method(lambda box: get(box))
    put = hijax.aval_method(lambda box, *xs: put(box, *xs))
    grow = hijax.aval_method(lambda box, x: grow(box, x))


class Box:
    def __init__(self, *arrays):
        self.arrays = list(map(lnp.asarray, arrays))

    def cur_qdd(self):
        return Held(tuple(map(lib.typeof, self.arrays)))

    def get(self):
        return get(self)

    def put(self, *xs):
        put(self, *xs)

    def grow(self, x):
        grow(self, x)


hijax.register_hitype(Box, lambda box: BoxType())


class Operation(hijax.HiPrimitive):
    def is_high(self, *avals, **params):
        return True


class New(Operation):
    def abstract_eval(self, *xs):
        return hijax.AvalQDD(BoxType(), Held(xs)), set()

    def to_lojax(self, *xs):
        return Box(*xs)

    def jvp(self, primals, tangents):
        return new(*primals), new(*map(hijax.instantiate_zeros, tangents))


class Put(Operation):
    multiple_results = True

    def abstract_eval(self, box, *xs):
        box.mutable_qdd.update(Held(xs))
        return [], set()

    def to_lojax(self, box, *xs):
        box.arrays = [*xs]
        return []

    def jvp(self, primals, tangents):
        put(*primals)
        put(tangents[0], *map(hijax.instantiate_zeros, tangents[1:]))
        return [], []


class Grow(Operation):
    multiple_results = True

    def abstract_eval(self, box, x):
        box.mutable_qdd.update(Held((*box.mutable_qdd.cur_val.types, x)))
        return [], set()

    def to_lojax(self, box, x):
        box.arrays.append(x)
        return []


class Get(Operation):
    multiple_results = True

    def abstract_eval(self, box):
        return box.mutable_qdd.cur_val.types, set()

    def to_lojax(self, box):
        return [*box.arrays]

    def jvp(self, primals, tangents):
        return get_p.bind(*primals), get_p.bind(*tangents)


class Square(Operation):
    """A square whose rules are wrong on purpose, to distinguish them from the rules of its body."""

    def abstract_eval(self, x):
        return x, set()

    def to_lojax(self, x):
        return x * x

    def jvp(self, primals, tangents):
        return self.bind(*primals), scale_p.bind(tangents[0], by=3.0) * primals[0]


class Scale(Operation):
    def abstract_eval(self, x, *, by):
        return x, set()

    def to_lojax(self, x, *, by):
        return x * by

    def jvp(self, primals, tangents, *, by):
        return self.bind(*primals, by=by), self.bind(*tangents, by=by)

    def transpose(self, ct, x, *, by):
        return [ct * (by + 2)]


class Stash(Operation):
    def abstract_eval(self, box, x):
        return x, {"stash"}

    def to_lojax(self, box, x):
        return x

    def jvp(self, primals, tangents):
        put(primals[0], tangents[1])
        return primals[1], tangents[1]


class Bare(Operation):
    pass


new_p, put_p, grow_p, get_p = New("new"), Put("put"), Grow("grow"), Get("get")
square_p, scale_p, stash_p, bare_p = Square("square"), Scale("scale"), Stash("stash"), Bare("bare")
new, square = new_p.bind, square_p.bind


def put(box, *xs):
    put_p.bind(box, *map(lnp.asarray, xs))


def grow(box, x):
    grow_p.bind(box, lnp.asarray(x))


def get(box):
    found = get_p.bind(box)
    return found[0] if len(found) == 1 else tuple(found)


def add(box, x):
    """Add to what a box holds; what it held."""
    before = box.get()
    box.put(before + x)
    return before


def sum_in_a_box(x):
    box = new(x, lnp.int32(2))
    held, count = box.get()
    box.put(held * count * x, count)
    return box.get()[0]


line = lnp.arange(3.0)
one = lnp.float32(1)
CASES = {
    "get": lambda b: b.get(),
    "put": lambda b: add(b, 2.0),
    "jit": lambda b: lib.jit(add)(b, 2.0),
    "jit twice": lambda b: [lib.jit(add)(b, 2.0), lib.jit(add)(b, 2.0)],
    "jit tree": lambda b: lib.jit(lambda t: add(t["b"], t["x"]))({"b": b, "x": 2.0}),
    "jit grows": lambda b: lib.jit(grow)(b, line),
    "jit another type": lambda b: lib.jit(put)(b, lnp.int32(3)),
    "closed": lambda b: lib.jit(lambda x: add(b, x))(2.0),
    "static": lambda b: lib.jit(add, static_argnums=0)(b, 2.0),
    "nested": lambda b: lib.jit(lambda b, x: lib.jit(add)(b, x))(b, 2.0),
    "nested closed": lambda b: lib.jit(lambda x: lib.jit(lambda y: add(b, y))(x))(2.0),
    "nested grows": lambda b: lib.jit(lambda b, x: lib.jit(grow)(b, x))(b, 2.0),
    "made within": lambda b: lib.jit(lambda x: add(new(x), x))(2.0),
    "typeof": lambda b: lib.typeof(b).str_short(),
    "known": lambda b: len(cur_qdd(b).types),
    "known within": lambda b: len(
        lib.jit(lambda b: (grow(b, 1.0), [0.0 for _ in b.type_state().types])[1])(b)
    ),
    "attribute": lambda b: lib.jit(lambda b: b.arrays)(b),
    "is a tracer": lambda b: lib.jit(
        lambda b: 1.0 if isinstance(b, lib.core.Tracer) and not isinstance(b, Box) else 0.0
    )(b),
    "no array": lambda b: lib.jit(lambda b: lnp.sin(b))(b),
    "operators": lambda b: lib.jit(lambda b: b + 1)(b),
    "equality": lambda b: lib.jit(lambda b: b == 1)(b),
    "leaves": lambda b: lib.tree.structure([b]).num_leaves,
    "eval_shape": lambda b: lib.eval_shape(lambda b: add(b, 2.0), b).shape,
    "eval_shape to a box": lambda b: lib.eval_shape(new, 2.0).str_short(),
    "eval_shape closed": lambda b: lib.eval_shape(lambda x: add(b, x), 2.0).shape,
    "error": lambda b: lib.jit(lambda b: (add(b, 2.0), 1 / 0))(b),
    "scan": lambda b: lax.scan(lambda c, x: (c, add(b, x)), 0.0, line)[1],
    "jit scan": lambda b: lib.jit(lambda: lax.scan(lambda c, x: (c, add(b, x)), 0.0, line)[1])(),
    "scan made within": lambda b: lax.scan(lambda c, x: (c, new(x).get()), 0.0, line)[1],
    "nested scan": lambda b: lax.scan(
        lambda c, x: (c, lax.scan(lambda c, y: (c, add(b, x * y)), c, line)[1]), 0.0, line
    )[1],
    "fori": lambda b: lax.fori_loop(0, 3, lambda i, c: c + add(b, 1.0), 0.0),
    "while": lambda b: lax.while_loop(lambda c: c < 9, lambda c: c + add(b, 1.0), 0.0),
    "map": lambda b: lax.map(lambda x: add(b, x), line),
    "scan weak": lambda b: (put(b, 1.0), lax.scan(lambda c, x: (c, add(b, x)), 0.0, line)[1])[1],
    "cond": lambda b: lax.cond(True, lambda: add(b, 2.0), lambda: one),
    "cond not": lambda b: lax.cond(False, lambda: add(b, 2.0), lambda: one),
    "jit cond": lambda b: lib.jit(lambda p: lax.cond(p, lambda: add(b, 2.0), lambda: one))(True),
    "cond operand": lambda b: lax.cond(True, lambda b: add(b, 2.0), lambda b: one, b),
    "jit cond operand": lambda b: lib.jit(
        lambda b, p: lax.cond(p, lambda b: add(b, 2.0), lambda b: one, b)
    )(b, True),
    "cond weak": lambda b: (put(b, 1.0), lax.cond(True, lambda: put(b, one), lambda: None))[1],
    "grad of what it holds": lambda b: lib.grad(lambda x: b.get() * x * x)(3.0),
    "grad with a box": lambda b: lib.grad(lambda b, x: b.get() * x * x, 1)(b, 3.0),
    "grad stopped": lambda b: lib.grad(
        lambda b, x: (b.put(lax.stop_gradient(2 * x)), b.get() * x)[1], 1
    )(b, 3.0),
    "jit grad stopped": lambda b: lib.jit(
        lib.grad(lambda b, x: (b.put(lax.stop_gradient(2 * x)), b.get() * x)[1], 1)
    )(b, 3.0),
    "jvp through": lambda b: lib.jvp(sum_in_a_box, (3.0,), (1.0,)),
    "jvp of jit through": lambda b: lib.jvp(lib.jit(sum_in_a_box), (3.0,), (1.0,)),
    "jvp that changes": lambda b: lib.jvp(lambda x: stash_p.bind(b, x), (3 * one,), (one,)),
    "jvp of jit that changes": lambda b: lib.jvp(
        lib.jit(lambda x: stash_p.bind(b, x)), (3.0,), (5.0,)
    ),
    "vmap with a box": lambda b: lib.vmap(lambda x: b.get() * x)(line),
    "vmap with a box as argument": lambda b: lib.vmap(
        lambda b, x: (add(b, 1.0), x)[1], in_axes=(None, 0)
    )(b, line),
    "vmap over": lambda b: lib.vmap(get)(b),
    "own jvp": lambda b: lib.jvp(square, (2 * one,), (one,)),
    "own transpose": lambda b: lib.grad(square)(2.0),
    "own transpose in jit": lambda b: lib.jit(lib.grad(lib.jit(square)))(2.0),
    "repr": lambda b: repr(square_p),
}


def plain(value):
    """Convert a value to what JSON can represent."""
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if value is None or isinstance(value, (str, bool)):
        return value
    array = np.asarray(value)
    return {"dtype": str(array.dtype), "array": array.astype(float).tolist()}


def outcome(case):
    """The result, or the built-in classes of the error; and what the box holds in the end."""
    box = Box(one)
    try:
        found = plain(case(box))
    except Exception as error:
        found = {"error": [cls.__name__ for cls in BUILT_IN if isinstance(error, cls)]}
    return [found, plain(box.arrays)]


print(json.dumps({name: outcome(case) for name, case in CASES.items()}))
