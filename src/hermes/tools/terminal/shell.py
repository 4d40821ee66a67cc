"""The shell of a conversation: each command has a bash of its own, which begins where the last one ended, in the same
folder and with the same variables. Secrets are not handed on."""

import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO

from hermes.config.area import is_secret_name
from hermes.config.environment import of_process
from hermes.tools.terminal.running import Done, Limits, run
from hermes.tools.work import Work, Workplace

# `$1` is the command, byte for byte as it was judged; where the shell stands at the end goes to a file.
_SCRIPT = "trap 'hermes_code=$?; {{ pwd; command -p env -0; }} >&{0}; exit $hermes_code' EXIT; eval \"$1\""
_NEVER_CARRIED = re.compile(
    r"BASH_ENV|ENV|BASH_FUNC_.*|PROMPT_COMMAND|SHELLOPTS|BASHOPTS|_|SHLVL|PWD|OLDPWD|HERMES_RUN"
)
_NAMES_OF_SECRETS = re.compile(
    r"(^|_)(KEY|PASS|PWD|CREDENTIALS?|COOKIE|DSN)$|DATABASE_URL|CONNECTION_STRING", re.IGNORECASE
)
_INIT_SECONDS = 10.0


class Shell:
    """Where the terminal of one conversation stands."""

    def __init__(self, place: Workplace) -> None:
        settings = place.settings.terminal
        self._place = place
        self._lasts = settings.persistent_shell
        self._allowed = frozenset(settings.env_passthrough)
        self._init = [Path(name).expanduser() for name in settings.shell_init_files]
        if settings.auto_source_bashrc:
            self._init.append(Path.home() / ".bashrc")
        place.cwd = Path(os.path.normpath(place.folder / Path(settings.cwd).expanduser()))
        self._variables: dict[str, str] | None = None

    def run(self, command: str, work: Work, limits: Limits, folder: Path | None = None) -> Done:
        variables = self.variables(work)
        with tempfile.TemporaryFile() as state:
            done = run(
                ["bash", "--noprofile", "--norc", "-c", _SCRIPT.format(state.fileno()), "bash", command],
                work,
                limits,
                cwd=folder or self.folder(),
                env=variables,
                pass_fds=[state.fileno()],
            )
            if self._lasts and folder is None:
                self._carry_over(state)
        return done

    def folder(self) -> Path:
        """Where the next command starts; a folder that is gone is left for the workspace."""
        if not self._place.cwd.is_dir():
            self._place.cwd = self._place.folder
        return self._place.cwd

    def variables(self, work: Work) -> dict[str, str]:
        """What a command sees: the harmless variables, and those that the settings or a skill let through."""
        if self._variables is None:
            self._variables = self._kept(of_process())
            files = [file for file in self._init if file.is_file()]
            if files:
                self._variables = self._after(files, work)
        handed = {name: work.place.variables[name] for name in work.place.handed if name in work.place.variables}
        return {
            **self._variables,
            **handed,
            "TERM": "dumb",
            "PAGER": "cat",
            "GIT_PAGER": "cat",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def _kept(self, variables: Mapping[str, str]) -> dict[str, str]:
        return {name: value for name, value in variables.items() if self._may_see(name, value)}

    def _may_see(self, name: str, value: str) -> bool:
        from hermes.model.secrets import (
            find_secrets,  # a hundred patterns, compiled when the first secret is looked for
        )

        if name in self._allowed:
            return True
        if _NEVER_CARRIED.fullmatch(name) or is_secret_name(name) or _NAMES_OF_SECRETS.search(name):
            return False
        return not find_secrets(f"{name}={value}")

    def _after(self, files: list[Path], work: Work) -> dict[str, str]:
        """The variables once the files a person keeps for that were read."""
        script = 'for file; do . "$file" >/dev/null 2>&1; done; command -p env -0 >&{0}'
        before = dict(self._variables or {})
        with tempfile.TemporaryFile() as state:
            command = ["bash", "--noprofile", "--norc", "-c", script.format(state.fileno()), "bash", *map(str, files)]
            run(command, work, Limits(_INIT_SECONDS), cwd=self.folder(), env=before, pass_fds=[state.fileno()])
            found = _variables(_content(state))
        return self._kept(found) if found else before

    def _carry_over(self, state: IO[bytes]) -> None:
        folder, newline, variables = _content(state).partition(b"\n")
        if not newline:
            return  # the command took the shell's place, or was ended
        self._place.cwd = Path(os.fsdecode(folder))
        self._variables = self._kept(_variables(variables)) or self._variables


def _content(state: IO[bytes]) -> bytes:
    state.seek(0)
    return state.read(4_000_000)


def _variables(raw: bytes) -> dict[str, str]:
    pairs = (entry.partition(b"=") for entry in raw.split(b"\0"))
    return {os.fsdecode(name): os.fsdecode(value) for name, equals, value in pairs if equals and name}


def shell_of(place: Workplace) -> Shell:
    return place.keep("shell", lambda: Shell(place))
