"""What the system keeps when the user has let go: nothing, or no more than a bound says."""
