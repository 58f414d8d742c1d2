"""What tests of primitives share: examples of each primitive, tolerances, finite differences."""
