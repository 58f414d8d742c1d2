"""What every primitive must satisfy, tested over all examples of treadle_ir.testing."""
