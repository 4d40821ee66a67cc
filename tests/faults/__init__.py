"""The faults the store promises to survive, each produced for real.

`scripts/faults store` runs them at full size, a line each; the tests in this folder run quick versions.
"""
