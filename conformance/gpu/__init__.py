"""What only a GPU shows: run by `nox -s conformance-gpu`."""
