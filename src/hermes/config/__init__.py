"""Settings: what config.yaml, the environment and the command line say, typed and checked.

    config = load()
    config.settings.sessions.retention_days     # 90
    config.warnings                             # what to tell the person

`areas/` has the settings themselves, `load.py` the order of the layers, `write.py` how the file changes.
"""

from hermes.config.load import Config, load
from hermes.config.settings import Settings

__all__ = ["Config", "Settings", "load"]
