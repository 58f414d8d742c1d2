"""What both libraries are asked of random numbers, initializers and attention."""

from __future__ import annotations

from typing import Any, Final

from conformance.parity.questions import Drawer, Question, array, call, filled


def key(seed: int, impl: str | None = None) -> dict[str, Any]:
    """A typed random key."""
    return {"key": seed, "impl": impl}


def floats(d: Drawer) -> tuple[str, ...]:
    """The floating types of a width."""
    return ("bfloat16", "float16", "float32", *(("float64",) if d.x64 else ()))


NAMED: Final = tuple(
    f"{who}_{how}"
    for who in ("glorot", "he", "kaiming", "lecun", "xavier")
    for how in ("normal", "uniform")
)
SCALED: Final = [
    (mode, distribution)
    for mode in ("fan_in", "fan_out", "fan_avg", "fan_geo_avg")
    for distribution in ("truncated_normal", "normal", "uniform")
]


def initializers(d: Drawer) -> list[Question]:
    """The same numbers of the same keys."""
    wide = ("float64", "complex128") if d.x64 else ()
    asked = []
    for dtype in ("float32", "bfloat16", "complex64", *wide):
        asked += [
            call("initializer.variance_scaling", key(d.seed + 1), [3, 5], dtype, 2.0, *each)
            for each in SCALED
        ]
    for dtype in (None, *floats(d)):
        asked += [call(f"initializer.{name}", key(5), [4, 3], dtype) for name in NAMED]
        asked += [
            call(f"initializer.{name}", key(5), shape, dtype, 0.7)
            for name in ("normal", "uniform", "truncated_normal", "constant")
            for shape in ([], [3], [2, 0])
        ]
    asked += [
        call("initializer.truncated_normal", key(3), [5], None, 2.0, lower=-1.0, upper=0.5),
        call("initializer.normal", key(3), [5], "complex64", 2.0),
        call("initializer.he_normal", key(3), [3, 3, 4, 2], None),
        call("initializer.he_normal", key(3), [2, 4, 3, 3], None, [0, 1], 3),
        call("initializer.he_normal", key(3), [2, 4, 3, 3], None, 1, 2, [0]),
        call("initializer.lecun_normal", key(3), [6, 4], None, out_axis=0),
        call("initializer.constant", key(3), [2, 3], "int32", 4),
        call("initializer.constant", key(3), [2, 3], None, array([1, 2, 3], "float32")),
        *(
            call("initializer.orthogonal", key(8), shape, None, 2.0, axis)
            for shape in ([3, 4], [4, 3], [3, 2, 4])
            for axis in (-1, 0)
        ),
        *(
            call("initializer.delta_orthogonal", key(8), shape, None)
            for shape in ([3, 2, 4], [4, 3, 2, 2])
        ),
        *(call(f"nn.initializers.{n}", key(0), 3, "int8") for n in ("zeros", "ones")),
    ]
    return asked


RATES: Final = (0.1, 2.0, {"array": [0.5, 3.0, 40.0], "dtype": "float32"})


COVARIANCE: Final = array([[2.0, 0.5], [0.5, 1.0]], "float32")


def distributions(d: Drawer) -> list[Question]:
    """The same numbers of the same keys, up to rounding."""
    asked = []
    for a in RATES:
        shape: dict[str, Any] = {"shape": {"tuple": [50, 3]}}
        one = key(d.seed)
        for name in ("gamma", "loggamma", "chisquare", "t", "wald"):
            asked.append(call(f"random.{name}", one, a, **shape))
        asked += [call(f"random.{name}", one, a, 3.5, **shape) for name in ("beta", "f")]
        asked.append(call("random.poisson", one, a, **shape))
        asked.append(call("random.binomial", one, 25, 0.3, **shape))
        asked.append(call("random.generalized_normal", one, 1.5, {"tuple": [50, 3]}))
        asked.append(call("random.double_sided_maxwell", one, 1.0, a, {"tuple": [4]}))
    shares = array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]], "float32")
    asked += [
        *(call("random.gamma", key(1), 0.7, {"tuple": [20]}, dtype) for dtype in floats(d)),
        *(
            call("random.poisson", key(1), 50.0, {"tuple": [200]}, dtype)
            for dtype in ("int8", "int32")
        ),
        *(call("random.binomial", key(2), n, 0.7, {"tuple": [200]}) for n in (3, 100)),
        call("random.dirichlet", key(3), shares),
        *(
            call(
                "random.multivariate_normal",
                key(6),
                array([1.0, 2.0], "float32"),
                COVARIANCE,
                {"tuple": [5]},
                None,
                m,
            )
            for m in ("cholesky", "eigh", "svd")
        ),
        *(call("random.orthogonal", key(7), 3, {"tuple": [2]}, None, m) for m in (None, 2, 4)),
        call("random.dirichlet", key(3), array([1.0, 2.0], "float32"), {"tuple": [4]}),
        *(call("random.ball", key(4), 3, p, {"tuple": [4]}) for p in (1, 2, 3.5)),
        call("random.multinomial", key(5), 20, shares),
        call("random.multinomial", key(5), 20, array([2.0, 3.0], "float32"), shape={"tuple": [9]}),
    ]
    return asked


def attention(d: Drawer) -> list[Question]:
    """Ask which keys the queries of attention see, and for activations."""
    asked = []
    for dtype in ("float32", "float16"):
        q, k, v = (
            d.array([2, 4, 4, 8], dtype=dtype, low=-1, high=1),
            d.array([2, 5, 2, 8], dtype=dtype, low=-1, high=1),
            d.array([2, 5, 2, 8], dtype=dtype, low=-1, high=1),
        )
        for more in (
            {},
            {"is_causal": True},
            {"local_window_size": 1},
            {"local_window_size": {"tuple": [1, 2]}, "is_causal": True},
            {
                "query_seq_lengths": array([2, 4], "int32"),
                "key_value_seq_lengths": array([3, 5], "int32"),
            },
            {"mask": d.array([2, 1, 4, 5], "b")},
            {"bias": d.array([1, 4, 4, 5], dtype=dtype), "scale": 0.3},
            {"return_residual": True},
        ):
            asked.append(call("nn.dot_product_attention", q, k, v, **more))
    for name in ("sparse_plus", "sparse_sigmoid", "log1mexp"):
        asked += [call(f"nn.{name}", d.array([20], kinds)) for kinds in ("f", "f")]
    return asked


GROUPS: Final = {
    "attention": attention,
    "initializers": initializers,
    "distributions": distributions,
}


def extreme() -> list[Question]:
    """Numbers at the ends of float32, where the libraries round differently."""
    shape = {"tuple": [50, 3]}
    return [
        call("random.t", key(7000), 0.1, shape=shape),
        call("random.wald", key(7000), array([0.5, 3.0, 40.0], "float32"), shape=shape),
    ]


def wrong() -> list[Question]:
    """Calls with arguments that do not go together."""
    return [
        call("initializer.he_normal", key(0), [3], None),
        call("initializer.he_normal", key(0), [3, 4], "int32"),
        call("initializer.he_normal", key(0), [3, 4], None, in_axis=5),
        call("initializer.variance_scaling", key(0), [3, 4], None, 1.0, "fan", "normal"),
        call("initializer.variance_scaling", key(0), [3, 4], None, 1.0, "fan_in", "gauss"),
        call("initializer.normal", None, [3, 4], None),
        call("initializer.uniform", key(0), [3, 4], "complex64"),
        call("nn.initializers.zeros", key(0), 3, "nonsense"),
        call("random.f", key(0), array([0.5, 3.0], "float32"), 3.5, shape={"tuple": [5, 2]}),
        *(
            call(f"random.{name}", key(0), *arguments)
            for name in ("gamma", "poisson", "chisquare", "t", "wald")
            for arguments in (
                (array([1.0, 2.0], "float32"), {"tuple": [3]}),
                (1.0, {"tuple": [3]}, "complex64"),
                (1.0, {"tuple": [3]}, "nonsense"),
                ("abc",),
                (None,),
            )
        ),
        *(call("random.gamma", wrong, 1.0) for wrong in (None, 3, "abc", 1.5)),
        *(
            call("nn.dot_product_attention", *arguments)
            for heads in [
                [filled(n, (2, 4, heads, 8), "float32") for n, heads in enumerate(three)]
                for three in ((3, 2, 2), (4, 4, 2))
            ]
            for arguments in (heads,)
        ),
        call("random.dirichlet", key(0), 1.0),
        call("random.ball", key(0), 2.5),
        call("random.multinomial", key(0), 10, 0.5),
        call("random.multinomial", key(0), 10, array([0.5, 0.5], "float32"), shape={"tuple": [3]}),
    ]
