"""A typed group of settings: a class whose annotated attributes are settings, each with a line that says what it does.

    class Sessions(Area):
        retention_days: int = setting(90, "Days an ended session is kept.", least=1)

The shape is that of a frozen dataclass. It is not one because every dataclass is compiled while the program
starts: sixty of them cost more than the whole of `hermes --help` (docs/design/configuration.md has the figures).
"""

from typing import Any, ClassVar, get_args, get_origin

_NAMES_OF_SECRETS = ("api_key", "apikey", "token", "secret", "password", "passwd", "authorization", "private_key")
_NOT_SECRET = ("max_tokens", "show_token_analytics", "redact_secrets")
MASK = "********"


class Setting:
    """What is known about one setting besides its value."""

    __slots__ = ("about", "choices", "default", "env", "kind", "least", "most", "name", "secret", "works")

    def __init__(self, default: Any, about: str, **known: Any) -> None:
        self.default = default
        self.about = about
        self.choices: tuple[str, ...] = known["choices"]
        self.least: float | None = known["least"]
        self.most: float | None = known["most"]
        self.env: str | None = known["env"]
        self.works: bool | None = known["works"]
        self.name = ""
        self.kind: Any = None
        self.secret = False

    def part(self, kind: Any, name: str) -> "Setting":
        """The setting of one entry, where this is a section with names of one's own."""
        entry = Setting(
            None, self.about, choices=self.choices, least=self.least, most=self.most, env=None, works=self.works
        )
        entry.kind, entry.name, entry.secret = kind, name, is_secret_name(name)
        return entry

    @property
    def is_address(self) -> bool:
        return self.kind in (str, Any) and (self.name == "url" or self.name.endswith("_url"))

    @property
    def description(self) -> str:
        return self.about if self.works else f"{self.about} No effect yet."


def setting(
    default: Any,
    about: str,
    *,
    choices: tuple[str, ...] = (),
    least: float | None = None,
    most: float | None = None,
    env: str | None = None,
    works: bool | None = None,
) -> Any:
    """One setting of an area. `env` names a variable that overrides the file; `{}` in it stands for the area's own
    key. `works=False` says that nothing reads the setting yet, and its description says so too."""
    return Setting(default, about, choices=choices, least=least, most=most, env=env, works=works)


class Area:
    """Settings as attributes. What is not given has its default; nothing changes after that."""

    settings: ClassVar[dict[str, Setting]] = {}
    has_variables: ClassVar[bool] = False  # whether a variable can override something in it

    def __init_subclass__(cls, works: bool = False) -> None:
        """`works`: whether the settings of this area have an effect, unless one says otherwise itself."""
        cls.settings = {}
        for name, kind in cls.__annotations__.items():
            known: Setting = cls.__dict__[name]
            known.name, known.kind, known.secret = name, kind, is_secret_name(name)
            if known.works is None:
                known.works = works or isinstance(known.default, Area)
            cls.settings[name] = known
            inner = isinstance(known.default, Area) and known.default.has_variables
            cls.has_variables = cls.has_variables or known.env is not None or inner

    def __init__(self, **values: Any) -> None:
        for name, known in type(self).settings.items():
            self.__dict__[name] = values.pop(name) if name in values else fresh(known.default)
        if values:
            raise TypeError(f"{type(self).__name__} has no setting {', '.join(values)}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"settings do not change while Hermes runs: {name}")

    def __repr__(self) -> str:
        """Masked: a settings object may end up in a traceback or a log."""
        shown = (
            f"{name}={MASK if known.secret and getattr(self, name) else repr(getattr(self, name))}"
            for name, known in type(self).settings.items()
        )
        return f"{type(self).__name__}({', '.join(shown)})"


def is_secret_name(name: str) -> bool:
    lowered = name.lower().replace("-", "_")
    return lowered not in _NOT_SECRET and any(part in lowered for part in _NAMES_OF_SECRETS)


def fresh(default: Any) -> Any:
    """A default of one's own, so that nobody changes the list everyone gets."""
    return type(default)(default) if isinstance(default, list | dict) else default


def is_area(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Area)


def inside(kind: Any, container: type) -> type[Area] | None:
    """The area that each entry of a list or of a mapping is, if that is what the kind says."""
    entry = get_args(kind)[-1] if get_origin(kind) is container else None
    return entry if is_area(entry) else None
