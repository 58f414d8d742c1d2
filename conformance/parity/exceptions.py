"""Where treadle's answer is not JAX's, on purpose: each with its reason (see decisions/0017-parity.md)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

Answer = dict[str, Any]
Known = Callable[[dict[str, Any], Answer, Answer], bool]


def of(*names: str) -> Known:
    return lambda question, ours, theirs: question["of"] in names


def _only_jax_raises(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return "error" in theirs and "error" not in ours


def _only_weak(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    """The types are the same but for treadle's weak mark, where an array met a Python number."""
    if "error" in ours or "error" in theirs:
        return False
    return all(
        left["type"] == right["type"] + "*" and left["shape"] == right["shape"] != []
        for left, right in zip(ours["results"], theirs["results"], strict=True)
    )


def _weak_mark_lost(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    """The types are the same but for treadle's weak mark, of arrays and of single numbers."""
    if "error" in ours or "error" in theirs:
        return False
    return all(
        left["type"] == right["type"] + "*" and left["shape"] == right["shape"]
        for left, right in zip(ours["results"], theirs["results"], strict=True)
    )


def _both(*known: Known) -> Known:
    return lambda *asked: all(each(*asked) for each in known)


def _operands(question: dict[str, Any]) -> list[Any]:
    return [
        x["filled"]["dtype"] if isinstance(x, dict) and "filled" in x else x
        for x in question["arguments"]
    ]


def _mentions_bool(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return any(
        x is True or x == "bool" or (isinstance(x, dict) and x.get("dtype") == "bool")
        for x in _operands(question)
    )


def _python_with_array(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return "preferred_element_type" in theirs.get("said", "")


def _numpy_scalar(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    (x,) = question["arguments"]
    return isinstance(x, dict) and "numpy" in x and np.ndim(x["numpy"]) == 0


def _integer_dtype(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return question["keywords"].get("dtype") == "int8"


def _complex_fill(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return isinstance(question["arguments"][1], dict) and "complex" in question["arguments"][1]


def _complex(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return "complex" in str(question["arguments"])


def _empty(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    x = question["arguments"][0]
    return not x or 0 in x["filled"]["shape"]


def _both_raise(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return "error" in ours and "error" in theirs


def _trips(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return str(theirs.get("said", "")).startswith("IndexError")


def _single_first(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    x = question["arguments"][0]
    return not isinstance(x, dict) or "filled" not in x or x["filled"]["shape"] == []


def _wider(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    """Return whether our types have 64 bits where JAX's have 32."""
    if "error" in ours or "error" in theirs:
        return False
    return [each["type"] for each in (*ours["results"], *theirs["results"])] == [
        "float64",
        "float32",
    ]


def _elements(ours: Answer, theirs: Answer) -> list[tuple[Any, Any]]:
    """The elements of both, result by result."""
    pairs = zip(ours["results"], theirs["results"], strict=True)
    return [(np.asarray(x["elements"]), np.asarray(y["elements"])) for x, y in pairs]


def _overflows_there(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    """Return whether all elements that differ are infinite in JAX, with our sign."""
    if "error" in ours or "error" in theirs:
        return False
    return all(
        bool(np.all(np.isclose(x, y, 2e-5, 2e-5) | (np.isinf(y) & (np.sign(x) == np.sign(y)))))
        for x, y in _elements(ours, theirs)
    )


def _not_finite(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    """Return whether all elements that differ are NaN or infinite in treadle."""
    if "error" in ours or "error" in theirs:
        return False
    return all(
        bool(np.all(np.isclose(x, y, 2e-5, 2e-5) | ~np.isfinite(x)))
        for x, y in _elements(ours, theirs)
    )


def _nearly(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    """The same to two digits: what is left of JAX's after a difference that cancels five."""
    if "error" in ours or "error" in theirs:
        return False
    return all(bool(np.allclose(x, y, rtol=1e-2)) for x, y in _elements(ours, theirs))


def _not_a_number_there(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    """Return whether all elements that differ are NaN in JAX."""
    if "error" in ours or "error" in theirs:
        return False
    return all(
        bool(np.all(np.isclose(x, y, 2e-5, 2e-5) | np.isnan(y))) for x, y in _elements(ours, theirs)
    )


def _not_there(question: dict[str, Any], ours: Answer, theirs: Answer) -> bool:
    return "has no attribute" in theirs.get("said", "") and "error" not in ours


def _at_kinks(*names: str) -> Known:
    """Asked at the one point where a function has a kink."""
    return _both(of(*names), lambda question, ours, theirs: len(question["arguments"][0]) == 1)


EXCEPTIONS: Final[dict[str, Known]] = {
    "JAX has a type for the position of a complex extreme, and cannot run it; NumPy can": _both(
        of("numpy.argmax", "numpy.argmin"), _only_jax_raises, _complex
    ),
    "JAX refuses to split at positions that descend; NumPy has an empty part there": _both(
        of("numpy.split"), _only_jax_raises
    ),
    "JAX trips over what is empty with an IndexError of its own; NumPy has an answer, or a ValueError": _both(
        of("numpy.trapezoid", "numpy.hstack"), _empty
    ),
    "JAX loses the weak mark when it broadcasts here": _both(of("numpy.logaddexp"), _only_weak),
    "JAX asks for a product of a type of its own that it then refuses: a Python number with a narrower array": _both(
        of("numpy.dot", "numpy.vdot", "numpy.inner", "numpy.matmul", "operator.matmul"),
        _only_jax_raises,
        _python_with_array,
    ),
    "JAX has no products or sums of single booleans here, though it has them of arrays": _both(
        of("numpy.kron", "at.add", "numpy.vander"), _only_jax_raises, _mentions_bool
    ),
    "JAX takes a NumPy scalar for a Python float, and forgets its type": _both(
        of("numpy.angle"), _numpy_scalar
    ),
    "JAX's variance with an integer type is a weak float of the default width": _both(
        of("numpy.var"), _integer_dtype
    ),
    "JAX trips over a polynomial that is a single number with an IndexError of its own; treadle says what it is": _both(
        of("numpy.polyval"), _both_raise, _single_first
    ),
    "JAX's pascal is of float32 also where 64-bit types are on, unlike its other named matrices": _both(
        of("scipy.linalg.pascal"), _wider
    ),
    "JAX's numbers of Student's distribution overflow before treadle's do, with a tenth of a degree of freedom": _both(
        of("random.t"), _overflows_there
    ),
    "JAX's root behind inverse Gaussian numbers is a difference of nearly equal ones where the mean is large": _both(
        of("random.wald"), _nearly
    ),
    "JAX drops the imaginary part of a Python number where what is filled is weak, and refuses elsewhere": _both(
        of("numpy.full_like"), _complex_fill, lambda question, ours, theirs: "error" in ours
    ),
}


# Where releases of JAX differ from each other: treadle follows the newest, but where that has less than NumPy.
ONLY_0_10: Final[dict[str, Known]] = {
    "JAX 0.10 forgets the weak mark in a logarithm to base 2; newer ones have it": _both(
        of("numpy.log2"), _weak_mark_lost
    ),
    "JAX 0.10 forgets the weak mark in hypot of arrays; newer ones have it": _both(
        of("numpy.hypot"), _only_weak
    ),
    "JAX 0.10 has NaN for digamma at 0; newer ones have -inf": _both(
        of("lax.digamma"), _not_finite
    ),
    "JAX 0.10 has infinity, or 0, for relative entropies of NaN; newer ones have NaN": _both(
        of("scipy.special.rel_entr", "scipy.special.kl_div"), _not_finite
    ),
    "JAX 0.10 has numbers for quantiles at invalid probabilities; newer releases have NaN": _both(
        of("scipy.stats.cauchy.isf"), _not_finite
    ),
    "JAX 0.10 takes the shape of multinomial with the axis of classes; newer ones without": _both(
        of("random.multinomial"), _only_jax_raises
    ),
    "JAX 0.10 refuses numbers of freedom whose shapes are different; newer ones broadcast them": _both(
        of("random.f"), _only_jax_raises
    ),
    "JAX 0.10 fails in the lowering of linear algebra on bfloat16; newer ones refuse the element type": _both(
        of(
            "numpy.linalg.cholesky",
            "numpy.linalg.eigh",
            "numpy.linalg.inv",
            "numpy.linalg.qr",
            "numpy.linalg.svd",
        ),
        _both_raise,
    ),
}
SINCE_0_11: Final[dict[str, Known]] = {
    "JAX refuses polynomials with booleans since 0.11; NumPy has values": _both(
        of("numpy.polyval"), _only_jax_raises, _mentions_bool
    ),
    "JAX trips over a single probability with an IndexError of its own since 0.11; treadle says what it is": _both(
        of("random.multinomial"), _both_raise, _trips
    ),
}


DERIVATIVES: Final[dict[str, Known]] = {
    "JAX's vander has a NaN for the derivative of 0 ** 0": of("numpy.vander"),
    "JAX's betaln of 2 and 10 is right to 7 digits, and so are its derivatives; treadle's to 15": of(
        "scipy.special.beta", "scipy.special.betaln"
    ),
    "JAX computes the softmax of attention in float32": of("nn.dot_product_attention"),
    "abs has the derivative 0 at 0, and JAX's has 1 (the FAQ's convention is the middle of both sides)": _at_kinks(
        "numpy.abs", "numpy.fabs", "lax.abs", "numpy.linalg.norm"
    ),
    "hypot has the derivative 0 at the origin, the middle of all directions; JAX's has 1/2 by each": _at_kinks(
        "numpy.hypot"
    ),
    "JAX cannot differentiate it, or not twice": _both(
        of(
            "scipy.special.exp1",
            "nn.scaled_matmul",
            "scipy.linalg.eigh_tridiagonal",
            "scipy.linalg.polar",
        ),
        _only_jax_raises,
    ),
    "JAX's derivatives of boxcox by lmbda are 0 at lmbda = 0; treadle's are the limits": of(
        "scipy.special.boxcox", "scipy.special.boxcox1p"
    ),
    "JAX's derivative of spence is 0 at 1, and its second one NaN on one side; treadle's are the true ones": of(
        "scipy.special.spence"
    ),
    "JAX's second derivative of log_ndtr has six digits in the far tail; treadle's has more": of(
        "scipy.special.log_ndtr"
    ),
    "JAX's second derivatives of xlogy are NaN at (0, 0)": _at_kinks("scipy.special.xlogy"),
}


# Of derivatives; newer releases have treadle's answers here.
DERIVATIVES_ONLY_0_10: Final[dict[str, Known]] = {
    "JAX 0.10 has 0 for the second derivative of hypot across the diagonals; newer ones have the true one": _both(
        of("numpy.hypot"), lambda question, ours, theirs: len(question["arguments"][0]) > 1
    ),
    "JAX 0.10 subtracts nearly equal numbers for derivatives of sinc near 0; newer ones have the true ones": of(
        "numpy.sinc"
    ),
    "JAX 0.10 has no derivative of nextafter; newer ones follow the first operand": _both(
        of("numpy.nextafter", "lax.nextafter"), _only_jax_raises
    ),
    "JAX 0.10 has no function of this name": _not_there,
    "JAX 0.10 has 1 for the second derivative of i1 at 0; i1 is odd, and newer ones have 0": of(
        "scipy.special.i1"
    ),
    "JAX 0.10 differentiates scipy's cholesky by symmetric directions; newer ones by the triangle that is read": of(
        "scipy.linalg.cholesky"
    ),
}


# Of derivatives; JAX 0.10 has treadle's answers here.
DERIVATIVES_SINCE_0_11: Final[dict[str, Known]] = {
    "JAX's second derivatives of determinants that are 0 are NaN since 0.11; treadle's are true": _both(
        of("numpy.linalg.det"), _not_a_number_there
    ),
    "JAX cannot differentiate the decomposition of Schur, by which it solves Sylvester's equation since 0.11": _both(
        of("scipy.linalg.solve_sylvester"), _only_jax_raises
    ),
    "JAX's slope of kl_div by a probability of 0 is 0 since 0.11; treadle's is -1, of what is left": _at_kinks(
        "scipy.special.kl_div"
    ),
}


def reason(question: dict[str, Any], ours: Answer, theirs: Answer) -> str | None:
    """Why the answers may differ; None if they may not."""
    by_version = {**ONLY_0_10, **SINCE_0_11}  # that a release needs only its own is tested
    derivatives = {**DERIVATIVES, **DERIVATIVES_ONLY_0_10, **DERIVATIVES_SINCE_0_11}
    exceptions = derivatives if question["do"] == "derivatives" else {**EXCEPTIONS, **by_version}
    for why, known in exceptions.items():
        if known(question, ours, theirs):
            return why
    return None
