"""What treadle does when something outside of it goes wrong; each fault has a test with a bound in time."""
