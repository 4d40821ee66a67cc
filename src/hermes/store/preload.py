"""Everything the store may need, loaded at once.

A command that ends in a moment loads what it uses and no more. Whoever stays open loads all of it while opening: a
process that has run out of files or memory cannot load code any more, and must still read, search and save.
"""

import ctypes
import hashlib
import random
import shutil
import tempfile

import zstandard

from hermes.model import usage
from hermes.store import matching, query, questions, ranking
from hermes.store.sqlite import backup, check, keeper, mend, recall, rescue, salvage, upgrade, upkeep

MODULES = (
    *(ctypes, hashlib, random, shutil, tempfile, zstandard),
    *(usage, matching, query, questions, ranking),
    *(backup, check, keeper, mend, recall, rescue, salvage, upgrade, upkeep),
)
