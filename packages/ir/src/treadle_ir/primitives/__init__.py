"""The primitives, one module per family; `treadle_ir.ops` has a function for each."""
