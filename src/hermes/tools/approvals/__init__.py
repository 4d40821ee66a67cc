"""Approvals: what is dangerous is asked before it runs, and the answer holds for exactly what was asked about."""
