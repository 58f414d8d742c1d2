"""Asks JAX for the shardings of the pool's results, and stores the answers.

Run with a Python that has JAX, from the root of the repository: `python -m conformance.sharding.explicit.ask_jax`. It
takes eight virtual devices of the CPU in a mesh of four by two, with explicit axes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

from conformance.sharding.explicit.arrays import NAMES, POOL, SHAPE, arrays, shown

ANSWERS = Path(__file__).parent / "answers.json"


def main() -> None:
    """Ask, and write `answers.json`."""
    os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
    os.environ["JAX_PLATFORMS"] = "cpu"
    import jax  # noqa: PLC0415 - after the environment is set
    import jax.numpy  # noqa: PLC0415

    system = SimpleNamespace(
        top=jax,
        np=jax.numpy,
        lax=jax.lax,
        nn=jax.nn,
        random=jax.random,
        sharding=jax.sharding,
        P=jax.sharding.PartitionSpec,
    )
    explicit = (jax.sharding.AxisType.Explicit,) * len(NAMES)
    found = {}
    with jax.set_mesh(jax.make_mesh(SHAPE, NAMES, axis_types=explicit)):
        given = arrays(system)
        for name, program in POOL.items():
            try:
                found[name] = shown(jax.typeof(program(system, given)))
            except Exception as error:  # whatever it is, its class is the answer
                found[name] = f"refused: {type(error).__name__}"
    made = {"made by": "conformance/sharding/explicit/ask_jax.py", "jax": jax.__version__}
    ANSWERS.write_text(json.dumps({**made, "answers": found}, indent=1) + "\n")


if __name__ == "__main__":
    main()
