"""References in a message: `@file:src/x.py:10-20`, `@folder:docs`, `@diff`, `@staged`, `@git:3`, `@url:https://…`.

    what was typed ──▶ expand ──▶ text      what is stored and shown: the person's own words
                                  attached  what goes to the model with them, fenced as data
                                  notices   what the person should know: not found, refused, cut

Files and git are those of this machine, so `kinds` says what somebody who is not its operator may use.
"""

from hermes.agent.references.completing import completions
from hermes.agent.references.expanding import Expanded, expand
from hermes.agent.references.parsing import KINDS, Reference, references

__all__ = ["KINDS", "Expanded", "Reference", "completions", "expand", "references"]
