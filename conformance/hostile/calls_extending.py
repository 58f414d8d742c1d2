"""Valid calls of what extends treadle: foreign functions, callbacks into buffers, generators, clients."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any, Final

import numpy as np

import treadle
import treadle.experimental.buffer_callback
import treadle.experimental.rnn
import treadle.experimental.roofline
import treadle.experimental.sparse.transform
import treadle.extend.backend
import treadle.extend.mlir
import treadle.extend.random
import treadle.ffi

NAMESPACES: Final[dict[str, Any]] = {
    module.__name__.removeprefix("treadle."): SimpleNamespace(
        **{name: getattr(module, name) for name in module.__all__}
    )
    for module in (
        treadle.ffi,
        treadle.experimental.buffer_callback,
        treadle.experimental.rnn,
        treadle.experimental.roofline,
        treadle.experimental.sparse.transform,
        treadle.extend.mlir,
        treadle.extend.random,
        treadle.extend.backend,
    )
}

_MODULE: Final = treadle.jit(lambda x: x * 3).lower(1.5).as_text()
_LAYER: Final = 1, 1, 1, False  # of one input and one state, which has 16 weights
_WEIGHTS: Final = treadle.numpy.arange(16.0) / 16
_NAMED: Final = treadle.experimental.sparse.transform.SparsifyEnv()

NAMES: Final[dict[str, Any]] = {
    "declared": treadle.ShapeDtypeStruct((3,), np.float32),
    "in_place": lambda context, out, x: None,
    "c_function": ctypes.pythonapi.Py_GetVersion,
    "generator": treadle.extend.random.threefry_prng_impl,
    "two_words": np.array([1, 2], np.uint32),
    "abstract_mesh": treadle.sharding.AbstractMesh((2,), ("x",)),
    "everywhere": treadle.sharding.PartitionSpec(),
    "named_arrays": _NAMED,
    "named_array": _NAMED.dense(1.5),
    "shown_program": treadle.make_jaxpr(lambda x: x * 3)(1.5).jaxpr,
    "module_text": _MODULE,
    "artifact": treadle.extend.mlir.serialize_portable_artifact(_MODULE, "1.0.0"),
    "layer_weights": _WEIGHTS,
    "layer_parts": treadle.experimental.rnn.unpack_lstm_weights(_WEIGHTS, *_LAYER),
    "sequences": treadle.numpy.ones((2, 3, 1)),
    "states": treadle.numpy.ones((1, 2, 1)),
    "lengths": treadle.numpy.array([3, 1]),
    "emptied": SimpleNamespace(cache_clear=lambda: None),
}

_REFUSES: Final = "it always refuses, and says what to do instead"
_FOR_GOOD: Final = "what it registers stays for ever"
_RECORD: Final = "a record of numbers and types"
_CLASS: Final = "jaxlib's class of what callbacks get"

LEFT_OUT: Final[dict[str, str]] = {
    "ffi.include_dir": "it takes no argument",
    "ffi.register_ffi_target": _FOR_GOOD,
    "ffi.register_ffi_target_as_batch_partitionable": _FOR_GOOD,
    "ffi.register_ffi_type": _FOR_GOOD,
    "ffi.register_ffi_type_id": _REFUSES,
    "experimental.buffer_callback.Buffer": _CLASS,
    "experimental.buffer_callback.ExecutionContext": _CLASS,
    "experimental.buffer_callback.ExecutionStage": _CLASS,
    "experimental.sparse.transform.SparsifyEnv": _RECORD,
    "experimental.sparse.transform.SparsifyValue": _RECORD,
    "experimental.roofline.RooflineResult": _RECORD,
    "experimental.roofline.RooflineRuleContext": _RECORD,
    "experimental.roofline.RooflineShape": _RECORD,
    "experimental.roofline.register_roofline": _FOR_GOOD,
    "experimental.roofline.register_standard_roofline": _FOR_GOOD,
    "extend.mlir.hlo_to_stablehlo": "it takes bytes that only a compiled program has",
    "extend.random.PRNGImpl": "not called by users: there is one for each generator",
    "extend.random.define_prng_impl": _REFUSES,
    "extend.backend.backends": "it takes no argument",
    "extend.backend.clear_backends": _REFUSES,
    "extend.backend.clear_in_memory_compilation_cache": "it takes no argument",
    "extend.backend.get_default_device": "it takes no argument",
    "extend.backend.register_backend_factory": _REFUSES,
}

TABLE: Final = """
ffi: ffi_call ("target", declared)
ffi: build_ffi_lowering_function ffi_lowering ("target")
ffi: pycapsule (c_function)
experimental.buffer_callback: buffer_callback (in_place, declared)
experimental.rnn: get_num_params_in_lstm (1, 1, 1, False)
experimental.rnn: init_lstm_weight (key, 1, 1, 1, False)
experimental.rnn: unpack_lstm_weights swap_lstm_gates (layer_weights, 1, 1, 1, False)
experimental.rnn: lstm (sequences, states, states, layer_weights, lengths, 1, 1, 1, 0.0, False)
experimental.rnn: lstm_ref (sequences, states, states, *layer_parts, lengths, 1, 1, 1, 0.0, False)
experimental.roofline: roofline (sine)
experimental.sparse.transform: arrays_to_spvalues (named_arrays, x)
experimental.sparse.transform: spvalues_to_arrays spvalues_to_avals (named_arrays, named_array)
experimental.sparse.transform: eval_sparse (shown_program, (), (named_array,), named_arrays)
experimental.sparse.transform: sparsify sparsify_raw (sine)
experimental.roofline: roofline_and_grad (sine, abstract_mesh, everywhere, everywhere)
extend.mlir: serialize_portable_artifact (module_text, "1.0.0")
extend.mlir: deserialize_portable_artifact (artifact)
extend.mlir: refine_polymorphic_shapes (module_text)
extend.random: random_seed (3, generator)
extend.random: seed_with_impl (generator, 3)
extend.random: threefry_2x32 (two_words, two_words)
extend.backend: backend_xla_version get_backend ("cpu")
extend.backend: get_compile_options (1, 1)
extend.backend: register_backend_cache (emptied, "hostile")
"""
