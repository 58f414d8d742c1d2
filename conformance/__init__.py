"""What every primitive must satisfy, tested over all examples; see house-style section 7."""
