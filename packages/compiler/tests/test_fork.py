from __future__ import annotations

import os
import subprocess
import sys
import textwrap

import pytest

from treadle_compiler import ForkError, Refusal, check_fork, refuse

ADD = """func.func public @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.add %a, %b : tensor<3xf32>
  return %0 : tensor<3xf32>
}"""


def test_a_refusal_gives_what_it_was_given_and_refuses_the_rest() -> None:
    refusal = Refusal(kept=3)
    assert refusal.kept == 3
    with pytest.raises(ForkError, match="forked"):
        refusal.other  # noqa: B018
    with pytest.raises(ForkError):
        refuse(1, other=2)


def test_a_process_that_was_not_forked_passes() -> None:
    check_fork()


@pytest.mark.xla
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_refuses_what_was_made_before() -> None:
    code = f"""
        import os
        from treadle_compiler import ForkError, check_fork, jaxlib, xla
        from treadle_compiler.options import CompileOptions
        client = jaxlib().xla_client.make_cpu_client(asynchronous=True, num_devices=1)
        exe = xla.compile_text(client, {ADD!r}, client.local_devices(), CompileOptions())
        child = os.fork()
        if child == 0:
            refused = 0
            for use in (lambda: exe.execute_sharded([]), lambda: exe.raw.serialize(), check_fork,
                        lambda: xla.serialise(exe), lambda: xla.optimized_hlo(exe),
                        lambda: jaxlib().xla_client.make_cpu_client(), lambda: jaxlib().core.Client):
                try:
                    use()
                except ForkError as error:
                    refused += "spawn" in error.__notes__[-1]
            os._exit(0 if refused == 7 and issubclass(jaxlib().core.JaxRuntimeError, RuntimeError) else 1)
        assert os.waitpid(child, 0)[1] == 0
        check_fork()
        exe.raw.serialize()
    """
    subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)], check=True, timeout=60
    )
