"""The gateway: one agent on every platform, each person their own session. Read base.py first."""
