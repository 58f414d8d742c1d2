"""Further libraries: the modules of each imported, and a job for each, on JAX and on treadle.

    python -m conformance.clients.further              run all on JAX and on treadle, and store what was found
    python -m conformance.clients.further tinygp ott   some of them

They are many and large, so that CI runs none of them: `nox -s clients-further` installs the releases of `further.txt`,
and JAX. `run.py --write` puts what is stored on the page.
"""

from __future__ import annotations

import json
import sys
from typing import Any, Final

from conformance.clients import releases
from conformance.clients.comparing import compared
from conformance.clients.run import STORED, TREADLE, failed_imports, run

FOUND: Final = STORED / "further.json"
# The distributions, by their import names, each of which has a job of that name.
_NAMES: Final = """
    array_api_compat bijx brax clu coix craftax cuthbert distreqx dm_pix dynamax dynamiqs e3nn_jax einops emlp evojax
    evosax flashbax flowjax gpjax gymnax interpax jax_cfd jax_cosmo jax_dataclasses jax_md jax_tqdm jaxkd jaxley
    jaxlie jaxmarl jaxoplanet jaxquantum jraph jumanji keras kfac_jax matfree mctx netket nifty paramax pennylane
    penzai pgx probdiffeq pyhf pymc pytreeclass qpax quadax quax quimb rlax s2fft signax simple_pytree spectrax
    sympy2jax tensorly tensornetwork tinygp traceax tree_math treescope xminigrid
"""
FURTHER: Final = {name: name.replace("_", "-") for name in _NAMES.split()} | {
    "haliax": "marin-haliax",
    "mujoco": "mujoco-mjx",
    "ott": "ott-jax",
    "phi": "phiflow",
    "tensorcircuit": "tensorcircuit-ng",
}


def found(library: str) -> dict[str, Any]:
    """Return which modules of a library import on treadle, and how its job ends, where both work on JAX."""
    count, without = failed_imports(library)
    _, failed = failed_imports(library, *TREADLE)
    wanted, broken, _ = run(library)
    values, error, _ = run(library, *TREADLE)
    agree, problems, _ = compared(library, values, wanted)
    return {
        "version": releases.installed(FURTHER[library]),
        "modules": count - len(without),
        "not imported": {name: each for name, each in failed.items() if name not in without},
        "results": len(wanted),
        "agree": agree,
        "problems": [
            *([f"on JAX: {broken}"] if broken else []),
            *([error] if error else []),
            *problems,
        ],
    }


def main(arguments: list[str]) -> int:
    """Run the libraries that `arguments` name, and store the outcomes."""
    unknown = [name for name in arguments if name not in FURTHER]
    if unknown:
        print(f"no job is called {', '.join(unknown)}; the jobs are {', '.join(FURTHER)}")
        return 2
    stored = json.loads(FOUND.read_text()) if FOUND.exists() else {}
    for library in arguments or sorted(FURTHER):
        stored[library] = each = found(library)
        print(
            f"{library}: {each['agree']} of {each['results']} results agree",
            *each["problems"],
            sep="\n  ",
        )
        print(
            f"  {each['modules'] - len(each['not imported'])} of {each['modules']} modules imported"
        )
        FOUND.write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n")
    return 1 if any(each["problems"] for each in stored.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
