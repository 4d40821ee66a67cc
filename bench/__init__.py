"""Side-by-side benchmarks against the documented reference. See README.md."""
