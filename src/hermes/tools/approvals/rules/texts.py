"""Programs that only look at things, and builtins of the shell that change nothing outside it."""

import re
from typing import TYPE_CHECKING

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.rules import RULES, apart, operands, options, rule, value_of
from hermes.tools.approvals.shell.fields import UNKNOWN, Field
from hermes.tools.approvals.variables import is_trusted

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run

_HARMLESS = named(
    """
    : true false echo printf pwd test [ type which whereis sleep date cal uptime uname hostname whoami id groups
    tty nproc arch ls dir stat file wc head tail cat tac nl less more grep egrep fgrep rg ag zgrep zcat cut tr
    uniq comm paste join column fold fmt rev seq shuf expr factor bc numfmt basename dirname realpath readlink
    md5sum sha1sum sha256sum sha512sum cksum b2sum strings od hexdump cmp diff colordiff diff3 jq base32 basenc
    look du df free lsblk lscpu lsusb lspci lsof ps pgrep top vmstat iostat getconf locale getent printenv
    whatis man info apropos tldr help exit return break continue shift wait jobs times umask ulimit dirs getopts
    let local declare typeset readonly unset set shopt read mapfile readarray caller logout clear tput gcc g++
    cc c++ clang clang++ ld nm objdump readelf size javac kotlinc rustc ghc ocamlc swiftc tsc tox nox mypy
    pyright flake8 pylint bandit coverage pre-commit sphinx-build jest vitest mocha ava shellcheck hadolint
    yamllint markdownlint golangci-lint clang-tidy cppcheck ctest protoc buf tokei cloc scc pandoc dot plantuml
    identify ffprobe pdfinfo pwgen uuidgen mktemp sw_vers lsb_release hexyl bat exa eza fd fdfind delta
    hostnamectl timedatectl loginctl journalctl dmesg
    """
)
_WRITERS = {"--output", "--output-file", "--out-file", "--out"}


def harmless(judge: "Judge", run: "Run") -> None:
    """Only what they write to, where an option says so, is looked at."""
    for name in _WRITERS & options(run.arguments):
        target = value_of(run.arguments, name)
        if target is not None:
            judge.writes(target, over=True)


for _name in _HARMLESS:
    RULES.setdefault(_name, harmless)


@rule(
    *named(
        """
        gcc g++ cc c++ clang clang++ ld rustc pandoc dot
        """
    ),
)
def compiler(judge: "Judge", run: "Run") -> None:
    target = value_of(run.arguments, "-o")
    if target is not None:
        judge.writes(target, over=not _is_program(judge, target.text))
        judge.built |= {path for path in [judge.path(target.text)] if path}
    if any(
        field.text.startswith(("-fplugin", "-wrapper", "-B", "@", "--filter", "--lua-filter", "-F"))
        for field in run.arguments
    ):
        judge.ask(f"{run.name} is told to run another program")


@rule("sort")
def sort(judge: "Judge", run: "Run") -> None:
    target = value_of(apart(run.arguments, "oktST"), "-o", "--output")
    if target is not None:
        judge.writes(target, over=True)
    if any(field.text.startswith("--compress-program") for field in run.arguments):
        judge.ask("sort is told to run another program")


@rule(
    *named(
        """
        rg fd fdfind man bat ag less more date hostname dmesg journalctl shuf uniq
        """
    ),
)
def looking(judge: "Judge", run: "Run") -> None:
    """They look at things, unless an option makes them do more."""
    risky = {
        "rg": ("--pre", "--hostname-bin"),
        "fd": ("-x", "-X", "--exec", "--exec-batch"),
        "fdfind": ("-x", "-X", "--exec", "--exec-batch"),
        "man": ("-P", "--pager", "-H", "--html"),
        "bat": ("--pager",),
        "ag": ("--pager",),
        "less": ("-o", "-O", "--log-file", "-k", "--lesskey-file"),
        "more": (),
        "date": ("-s", "--set"),
        "dmesg": ("-c", "-C", "--clear", "--read-clear"),
        "journalctl": ("--rotate", "--vacuum-size", "--vacuum-time", "--vacuum-files", "--flush"),
        "shuf": ("-o", "--output"),
    }
    given = options(run.arguments)
    for name in risky.get(run.name, ()):
        if name in given:
            judge.ask(f"{run.name} {name} does more than look")
    words = [field.text for field in operands(run.arguments)]
    sets = run.name == "date" and any(word[:1] != "+" for word in words)
    if sets or (run.name == "less" and any(word[:1] == "+" for word in words)):
        judge.ask(f"{run.name} with these arguments does more than look")
    if run.name in ("hostname", "uniq") and len(operands(run.arguments)) > (1 if run.name == "uniq" else 0):
        judge.ask(f"{run.name} with these arguments changes something")


@rule("hostnamectl", "timedatectl", "loginctl")
def controls(judge: "Judge", run: "Run") -> None:
    words = [field.text for field in operands(run.arguments)]
    if words and not words[0].startswith(("status", "show", "list")):
        judge.ask(f"{run.name} {words[0]} changes the system")


@rule("cd", "pushd", "popd")
def cd(judge: "Judge", run: "Run") -> None:
    """Everything behind it may be in the new folder or in the old one."""
    words = operands(run.arguments)
    target = words[0].text if words else (judge.scope.value("HOME") or "")
    found = judge.paths(target)
    if run.name == "popd" or target == "-" or judge.scope.value("CDPATH") or not found or len(judge.scope.folders) > 8:
        judge.scope.anywhere = True
    elif run.certain and all(path.is_dir() for path in found):
        judge.scope.folders = found
    else:
        judge.scope.folders = [*judge.scope.folders, *found]
    judge.scope.variables["PWD"] = None


@rule(
    *named(
        """
        export declare typeset local readonly set shopt alias unalias enable
        """
    ),
)
def settings(judge: "Judge", run: "Run") -> None:
    """What they set, and whether other programs obey it."""
    if run.name in ("alias", "enable") or (run.name == "shopt" and operands(run.arguments)):
        judge.ask(f"{run.name} changes what commands mean")
        return
    if run.name == "set":
        return
    if "-f" in options(run.arguments) or "-n" in options(run.arguments):
        judge.ask(f"{run.name} changes what commands mean")
    for field in operands(run.arguments):
        name = re.match(r"\w*", field.text)
        if not field.text or not name or not name[0]:
            judge.ask(f"what {run.name} sets cannot be told")
        elif is_trusted(name[0]) and "=" in field.text:
            judge.ask(f"{name[0]} decides what other programs run")


@rule(
    *named(
        """
        printf read mapfile readarray unset let getopts test [
        """
    ),
)
def builtins(judge: "Judge", run: "Run") -> None:
    """Harmless, unless what they set is obeyed by others."""
    if run.name in ("test", "[", "getopts") or (run.name == "printf" and "-v" not in options(run.arguments)):
        return
    for field in run.arguments:
        name = re.match(r"\w*", field.text)
        if name and is_trusted(name[0]):
            judge.ask(f"{name[0]} decides what other programs run")
    if "-C" in options(run.arguments):
        judge.ask(f"{run.name} is told to run a command")


@rule("tee")
def tee(judge: "Judge", run: "Run") -> None:
    for field in operands(run.arguments):
        judge.writes(field, over="-a" not in options(run.arguments) and "--append" not in options(run.arguments))


@rule("base64")
def base64(judge: "Judge", run: "Run") -> None:
    """Reading is harmless; what is done with what comes out is judged where it goes."""


@rule("awk", "gawk", "mawk", "nawk")
def awk(judge: "Judge", run: "Run") -> None:
    given = options(run.arguments)
    words = operands(run.arguments, frozenset({"-F", "-v"}))
    if given & {"-f", "--file", "-i", "--include", "-l", "--load", "-e", "-E", "--exec", "--source"} - {"-F"}:
        judge.ask("awk reads its program from elsewhere")
    if not words or not words[0].known:
        judge.ask("what awk is told to do cannot be told")
    elif re.search(r"system|getline|\||@load|@include|print[^;}]*>|close\s*\(", words[0].text):
        judge.ask("awk is told to run a command or to write a file")


_SED = re.compile(
    r"(?:(?:\d+|\$|/(?:\\.|[^/\\])*/I?)(?:[,~](?:\d+|\$|\+\d+|/(?:\\.|[^/\\])*/I?))?)?\s*!?\s*"
    r"(?:s(?P<d>[^\w\s\\])(?:\\.|(?!(?P=d))[^\\])*(?P=d)(?:\\.|(?!(?P=d))[^\\])*(?P=d)[gpiIm\d]*|[pdqnNDPgGhHxl=]|[aic]\\?\s.*)?\s*"
)


_SED_OPTION = re.compile(r"-[nErsuz]*(i[^=\s]*|e)?|--in-place(=.*)?|--quiet|--silent|--regexp-extended|--expression")


@rule("sed", "gsed")
def sed(judge: "Judge", run: "Run") -> None:
    if not all(_SED_OPTION.fullmatch(one.text) for one in run.arguments if one.text.startswith("-")):
        judge.ask("sed is told something that is not understood")
    in_place = any(
        field.text.startswith(("-i", "--in-place")) or re.match(r"-[a-hj-zE]*i", field.text) for field in run.arguments
    )
    words = operands(run.arguments, frozenset({"-e", "--expression", "-ne", "-Ee", "-nEe", "-re"}))
    scripts = [
        one
        for place, one in enumerate(run.arguments)
        if place and re.fullmatch(r"-[nErsuz]*e|--expression", run.arguments[place - 1].text)
    ]
    if not scripts and words:
        scripts, words = words[:1], words[1:]
    for one in scripts:
        if not one.known or not all(_SED.fullmatch(line) for line in re.split(r";\s*(?![^/|#,]*$)|\n", one.text)):
            judge.ask("sed is told something that is not understood")
    for field in words if in_place else ():
        judge.writes(field._replace(pattern=False) if field.known else field)


@rule("find", "gfind")
def find(judge: "Judge", run: "Run") -> None:
    from hermes.tools.approvals.rules.wrappers import inner

    place, arguments = 0, run.arguments
    while place < len(arguments):
        text = arguments[place].text
        if not arguments[place].known and (arguments[place].several or text[:1] not in "./"):
            judge.ask("what find is told to do cannot be told")
        if text == "-delete":
            judge.ask("find -delete deletes files")
        elif text.startswith(("-fprint", "-fls")):
            judge.ask(f"find {text} writes a file")
        elif text in ("-exec", "-execdir", "-ok", "-okdir"):
            before, judge.scope.anywhere = judge.scope.anywhere, judge.scope.anywhere or text.endswith("dir")
            end = next((at for at in range(place, len(arguments)) if arguments[at].text in (";", "+")), len(arguments))
            inner(judge, arguments[place + 1 : end], more=Field(f"./{UNKNOWN}"))
            judge.scope.anywhere = before
            place = end
        place += 1


@rule("nslookup", "dig", "host", "ping", "traceroute", "tracepath", "whois")
def names(judge: "Judge", run: "Run") -> None:
    """A name that is looked up is told to others."""
    if any(not field.known for field in run.arguments):
        judge.ask(f"{run.name} tells others what cannot be told")


@rule(
    *named(
        """
        hash jobs yq xxd sdiff strip objcopy ar ranlib
        """
    ),
)
def sometimes(judge: "Judge", run: "Run") -> None:
    given, words = options(run.arguments), operands(run.arguments)
    risky = {"hash": {"-p"}, "jobs": {"-x"}, "yq": {"-i", "--inplace"}, "sdiff": {"-o", "--output"}}.get(run.name)
    if (risky is None and run.name != "xxd") or (risky or set()) & given or (run.name == "xxd" and len(words) > 1):
        judge.ask(f"{run.name} with these arguments changes a file, or what commands mean")


def _is_program(judge: "Judge", text: str) -> bool:
    """Whether a file was compiled before, and may be so again."""
    path = judge.path(text)
    try:
        return path is not None and path.is_file() and path.read_bytes()[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe")
    except OSError:
        return False


@rule(
    *named(
        "black isort ruff prettier eslint stylelint shfmt gofmt gofumpt goimports rustfmt clang-format autopep8 yapf"
    )
)
def formatters(judge: "Judge", run: "Run") -> None:
    """They may change the files they are given, in the workspace."""
    for field in operands(run.arguments):
        if "/" in field.text:
            judge.writes(field._replace(pattern=False))


@rule("tree", "pdftotext", "tesseract", "mkdocs", "pytest", "xmllint", "nvidia-smi")
def mostly(judge: "Judge", run: "Run") -> None:
    """Harmless but for one thing each."""
    risky = {
        "tree": {"-o", "-R"},
        "mkdocs": {"gh-deploy"},
        "pytest": {"--basetemp"},
        "xmllint": {"--shell"},
        "nvidia-smi": {"-r", "--gpu-reset", "-pm", "-pl", "-e", "-c", "-ac", "-lgc"},
    }
    words = operands(run.arguments)
    given = {*options(run.arguments), *(field.text for field in words)}
    if given & risky.get(run.name, set()):
        judge.ask(f"{run.name} with these arguments changes something")
    if run.name in ("pdftotext", "tesseract") and len(words) > 1:
        judge.writes(words[1], over=True)
    harmless(judge, run)
