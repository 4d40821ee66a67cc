"""The first start: a home, who answers, with which key and model. Nothing of it is needed to look after sessions."""

from pathlib import Path

from hermes import paths
from hermes.commands.extended import load_extended
from hermes.commands.reply import Facts, Kind, Reply, Text
from hermes.config import Config, save
from hermes.config.edits import Edit, Put
from hermes.errors import BadInput
from hermes.providers.pool import Pool, check_key
from hermes.providers.presets import PRESETS

NEXT = ("hermes doctor", "hermes demo", "hermes sessions list")


def set_up(home: Path, *, provider: str = "", key: str = "", model: str = "") -> Reply:
    """Make the home and write down what was given; whatever was left out stays as it is."""
    own = load_extended(home).settings.providers
    if provider and provider not in PRESETS and provider not in own:
        raise BadInput(f"No provider '{provider}'; there are {', '.join(PRESETS)}.")
    if key:
        name = key_name(provider)
        if not name:
            raise BadInput(f"A key needs to know whose it is; {provider or 'say --provider'} takes none.")
        check_key(key)
    try:
        paths.make_private_folder(home)
    except OSError as error:
        raise BadInput(f"{home} cannot be made ({error.strerror}); choose another one with --home.") from error
    if key:
        save.change_variable(paths.dotenv_file(home), name, key)
    edits: list[Edit] = [
        Put(("model", leaf), value) for leaf, value in (("provider", provider), ("default", model)) if value
    ]
    if edits:
        save.change(paths.config_file(home), edits)
    return _told(home)


def key_name(provider: str) -> str:
    """The variable that holds a provider's key; empty where it needs none."""
    preset = PRESETS.get(provider)
    return preset.key_names[0] if preset and preset.key_names else ""


def keys_present(home: Path) -> list[str]:
    """Keys of providers: variables in the environment or in .env, and those that `hermes auth` keeps."""
    variables = load_extended(home).environment
    found = [name for preset in PRESETS.values() for name in preset.key_names if variables.get(name)]
    pool = Pool(paths.credentials_file(home))
    return found + [f"{entry.label} of {entry.provider}" for entry in pool.entries()]


def has_key(home: Path, provider: str) -> bool:
    preset, variables = PRESETS.get(provider), load_extended(home).environment
    given = preset is not None and any(variables.get(name) for name in preset.key_names)
    return given or bool(Pool(paths.credentials_file(home)).entries(provider))


def _lacks_key(config: Config, home: Path) -> bool:
    chosen = config.settings.model
    preset = PRESETS.get(chosen.provider)
    return bool(preset and preset.needs_key and not chosen.api_key and not has_key(home, chosen.provider))


def _told(home: Path) -> Reply:
    config = load_extended(home)
    chosen = config.settings.model
    keys = keys_present(home)
    facts: tuple[tuple[str, str, Kind], ...] = (
        ("Home", str(home), "text"),
        ("Provider", chosen.provider, "text"),
        ("Model", chosen.default or "the provider's own choice", "text"),
        ("Keys", ", ".join(keys) or "none yet", "text"),
    )
    first = [f"hermes auth add {chosen.provider}"] if _lacks_key(config, home) else []
    lines = ["", "Next:", *(f"  {line}" for line in (*first, *NEXT))]
    if home.absolute() != paths.hermes_home().absolute():
        lines.insert(2, f"  export HERMES_HOME='{home}'")
    data = {"home": str(home), "provider": chosen.provider, "model": chosen.default, "keys": keys}
    return Reply((Facts(facts), Text(tuple(lines))), tuple(config.warnings), data)
