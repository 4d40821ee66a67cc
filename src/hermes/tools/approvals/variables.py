"""Variables a script sets: which of them other programs obey, and which have values that cannot be told."""

import re
from collections.abc import Iterator

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.shell.parser import scripts_in
from hermes.tools.approvals.shell.tree import Function, Group, Node, Pipeline, Script, Simple, Text, Variable, Word

_TRUSTED = re.compile(
    r"PATH|IFS|ENV|BASH_ENV|BASHOPTS|SHELLOPTS|PS4|PROMPT_COMMAND|SHELL|CDPATH|GLOBIGNORE|LD_\w+|DYLD_\w+|"
    r"PYTHON(PATH|STARTUP|HOME|INSPECT)|PERL5?(OPT|LIB|DB)\w*|RUBY(OPT|LIB)|NODE_(OPTIONS|PATH)|JAVA_TOOL_OPTIONS|"
    r"GIT_\w+|EDITOR|VISUAL|PAGER|MANPAGER|LESSOPEN|LESSCLOSE|BROWSER|TAR_OPTIONS|RSYNC_RSH|MAKEFLAGS|HERMES_\w+|HOME|"
    r"XDG_\w+|SSH_\w+|DOCKER_HOST|KUBECONFIG|PIP_\w*INDEX\w*|NPM_CONFIG_\w+|http_proxy|https_proxy|ALL_PROXY"
)
_SETTERS = frozenset(
    named(
        """
    export declare typeset local readonly read mapfile readarray printf let getopts unset
    """
    )
)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def is_trusted(name: str) -> bool:
    """Whether other programs do what this variable says."""
    return _TRUSTED.fullmatch(name) is not None


def names_set(script: Script) -> set[str]:
    """Variables whose value cannot be told from reading the script top to bottom: those that are set inside something,
    or by a builtin."""
    return {name for node in script for name in _names(node, nested=False)}


def _names(node: Node, *, nested: bool) -> Iterator[str]:
    if isinstance(node, Simple):
        yield from _of_simple(node, nested=nested)
    elif isinstance(node, Pipeline):
        for one in node.commands:
            yield from _names(one, nested=True)
    elif isinstance(node, Function | Group):
        yield from getattr(node, "sets", ())
        for word in getattr(node, "words", ()):
            yield from _in_word(word)
        for one in node.body:
            yield from _names(one, nested=True)


def _of_simple(node: Simple, *, nested: bool) -> Iterator[str]:
    if nested:
        yield from (name for name, _ in node.assigned)
    for word in (*node.words, *(value for _, value in node.assigned), *(one.target for one in node.redirects)):
        yield from _in_word(word)
    if _plain(node.words[:1]) in _SETTERS:
        for word in node.words[1:]:
            match = _NAME.match(_plain([word]))
            if match:
                yield match[0]


def _in_word(word: Word) -> Iterator[str]:
    """`${x:=y}` sets, and so does what runs inside."""
    for part in word:
        if isinstance(part, Variable) and part.operation:
            yield part.name
    for script in scripts_in(word):
        for node in script:
            yield from _names(node, nested=True)


def _plain(words: object) -> str:
    """The characters of the first word."""
    first = next(iter(words), ())  # type: ignore[call-overload]
    return "".join(part.text for part in first if isinstance(part, Text))
