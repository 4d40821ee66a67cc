"""Settings without their secrets, for everything that is shown."""

from typing import Any

from hermes.config.area import MASK, is_secret_name
from hermes.config.references import expand
from hermes.model.secrets import redact


def masked(value: Any, name: str = "") -> Any:
    """A copy in which nothing secret can be read. What stands under a name such as `api_key`, `token` or `password` is
    masked whatever it looks like, other text where it holds a key. A reference to a variable is no secret."""
    if isinstance(value, dict):
        return {key: masked(item, key if not is_secret_name(name) else name) for key, item in value.items()}
    if isinstance(value, list):
        return [masked(item, name) for item in value]
    if is_secret_name(name) and not _is_harmless(value, name):
        return MASK
    return redact(value)[0] if isinstance(value, str) else value


def _is_harmless(value: Any, name: str) -> bool:
    """Nothing, a number of tokens, or text that consists of references alone."""
    if not isinstance(value, str):
        return value is None or isinstance(value, bool) or "token" in name.lower()
    names = expand(value, {}).missing
    return not expand(value, dict.fromkeys(names, "")).value
