"""Modules of MLIR, as libraries make them: a context for them, their text and bytes, and one put into another."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any, TypeAlias

from treadle_compiler import ModuleError, ir_module, new_ir_context
from treadle_ir.errors import boundaries, names

__all__ = ["make_ir_context", "merge_mlir_modules", "module_to_bytecode", "module_to_string"]

Ir: TypeAlias = Any  # what is of jaxlib.mlir, which has no types


def make_ir_context() -> Ir:
    """Return a new context of MLIR with the dialects that modules are made of.

    Example:
        >>> from treadle.interpreters import mlir
        >>> with mlir.make_ir_context():
        ...     module = mlir.ir.Module.parse("module { func.func private @f() { return } }")
        >>> print(mlir.module_to_string(module, enable_debug_info=False).split())
        ['module', '{', 'func.func', 'private', '@f()', '{', 'return', '}', '}']
    """
    return new_ir_context()


def module_to_string(module: Ir, enable_debug_info: bool | None = None) -> str:
    """Return the text of a module, with places in the code unless they are not wanted."""
    debug = True if enable_debug_info is None else enable_debug_info
    return str(module.operation.get_asm(enable_debug_info=debug))


def module_to_bytecode(module: Ir) -> bytes:
    """Return a module as MLIR's bytes, which `ir.Module.parse` reads.

    Example:
        >>> from treadle.interpreters import mlir
        >>> with mlir.make_ir_context():
        ...     mlir.module_to_bytecode(mlir.ir.Module.parse("module {}"))[:2]
        b'ML'
    """
    target = io.BytesIO()
    module.operation.write_bytecode(target)
    return target.getvalue()


def merge_mlir_modules(
    dst_module: Ir, sym_name: str, src_module: Ir, dst_symtab: Ir | None = None
) -> str:
    """Move the functions of a module into another of the same context; the name that its `main` has there.

    Names that are there already get a number; calls among the functions follow. All of them are private then.

    Args:
        dst_module: what they are moved to.
        sym_name: what `main` shall be called.
        src_module: the module, which is empty afterwards.
        dst_symtab: the names of `dst_module`, an `ir.SymbolTable`, where there is one.

    Raises:
        ModuleError: the module has no `main`.
    """
    names("merge_mlir_modules", sym_name=sym_name)
    ir = ir_module()
    symbols = ir.SymbolTable(dst_module.operation) if dst_symtab is None else dst_symtab
    moved = [*src_module.body.operations]
    old = [ir.StringAttr(each.attributes["sym_name"]).value for each in moved]
    if "main" not in old:
        raise ModuleError(
            "merge_mlir_modules: the module has no function `main`",
            fix="call `main` what the other module shall call",
        )
    # Names that are in neither: a function of the module that is moved later may have one of `dst_module`.
    taken = {*old, *_symbols(dst_module)}
    new = []
    for name in old:
        wanted = sym_name if name == "main" else name
        free = wanted not in symbols and (wanted == name or wanted not in taken)
        new.append(wanted if free else _free(wanted, taken))
        taken.add(new[-1])
    private = ir.StringAttr.get("private", context=dst_module.context)
    for name, renamed in zip(old, new, strict=True):
        ir.SymbolTable.replace_all_symbol_uses(name, renamed, src_module.operation)
    for each, renamed in zip(moved, new, strict=True):
        ir.SymbolTable.set_symbol_name(each, renamed)
        each.attributes["sym_visibility"] = private
        dst_module.body.append(each)
        symbols.insert(each)
    return new[old.index("main")]


def _symbols(module: Ir) -> Iterable[str]:
    string = ir_module().StringAttr
    operations = [each for each in module.body.operations if "sym_name" in each.attributes]
    return [string(each.attributes["sym_name"]).value for each in operations]


def _free(wanted: str, taken: set[str]) -> str:
    number = 0
    while f"{wanted}_{number}" in taken:
        number += 1
    return f"{wanted}_{number}"


boundaries(__name__)
