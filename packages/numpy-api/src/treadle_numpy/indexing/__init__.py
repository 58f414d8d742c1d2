"""Index expressions: how `x[index]` and `x.at[index]` are read, and what takes and writes the elements."""
