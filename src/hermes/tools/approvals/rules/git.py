"""git and its relatives: what throws work away, rewrites what others have, or runs something else."""

from typing import TYPE_CHECKING, Any

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.rules import operands, options, rule, unknown

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run

_FREE = named(
    """
    status log diff show add commit fetch pull clone init merge cherry-pick revert blame annotate describe rev-parse
    rev-list ls-files ls-tree ls-remote cat-file shortlog grep whatchanged merge-base name-rev show-ref for-each-ref
    symbolic-ref format-patch help version bisect apply am count-objects diff-tree diff-index diff-files range-diff
    var check-ignore
    """
)
# Options that make a subcommand throw something away, rewrite it, or run something.
_RISKY = {
    "branch": {"-D", "-d", "--delete", "-M", "-f", "--force", "-C"},
    "tag": {"-d", "--delete", "-f", "--force"},
    "switch": {"-f", "--force", "--discard-changes", "-C", "--force-create"},
    "reset": {"--hard", "--merge", "--keep"},
    "push": {"-f", "--force", "--force-with-lease", "--force-if-includes", "-d", "--delete", "--mirror", "--prune"},
    "rebase": {"-x", "--exec", "-i", "--interactive"},
    "bisect": {"run"},
    "log": {"--output"},
    "diff": {"--output", "--ext-diff"},
    "show": {"--output"},
    "format-patch": {"-o", "--output-directory", "--output"},
    "grep": {"-O", "--open-files-in-pager"},
    "clone": {"-c", "--config", "--template", "-u", "--upload-pack"},
    "init": {"--template"},
    "fetch": {"--upload-pack", "-f", "--force"},
    "pull": {"--upload-pack", "--force", "-f"},
    "ls-remote": {"--upload-pack"},
    "apply": {"--unsafe-paths", "-R", "--reverse"},
    "add": {"-i", "-p", "-e"},
    "commit": set(),
    "symbolic-ref": {"-d", "--delete"},
    "merge": set(),
}
_LOOKING = {
    "stash": {"", "push", "save", "list", "show", "apply", "pop"},
    "remote": {"", "show", "get-url"},
    "reflog": {"", "show", "HEAD"},
    "worktree": {"list"},
    "submodule": {"", "status", "summary"},
    "notes": {"", "list", "show"},
    "lfs": {"ls-files", "status", "env"},
}


@rule("git")
def git(judge: "Judge", run: "Run") -> None:
    arguments = _without_globals(judge, run.arguments)
    if not arguments:
        return
    name, rest = arguments[0].text, arguments[1:]
    if not arguments[0].known:
        judge.ask("what git is told to do cannot be told")
        return
    if unknown(rest) and name not in ("commit", "add"):
        judge.ask(f"what git {name} is given cannot be told")
    if any("::" in field.text for field in rest if not field.text.startswith("-")):
        judge.ask("git is told to run a program as if it were a repository")
    risky = options(rest) & _RISKY.get(name, set())
    if risky or any(field.text in _RISKY.get(name, ()) for field in rest):
        judge.ask(f"git {name} {' '.join(sorted(risky))} throws work away, rewrites it, or runs something")
    elif name in _SPECIAL:
        _SPECIAL[name](judge, rest)
    elif name in _LOOKING:
        words = operands(rest)
        if (words[0].text if words else "") not in _LOOKING[name]:
            judge.ask(f"git {name} {words[0].text} changes or removes something")
    elif name not in _FREE and name not in _RISKY:
        judge.ask(f"what git {name} does is not known, or it cannot be undone")


def _without_globals(judge: "Judge", arguments: list[Any]) -> list[Any]:
    """What stands behind the options of git itself."""
    rest = list(arguments)
    while rest and rest[0].text.startswith("-"):
        option = rest.pop(0).text
        if option == "-C" and rest:
            folder = rest.pop(0)
            if not folder.known:
                judge.ask("where git works cannot be told")
        elif option in ("--no-pager", "-P", "--version", "--help", "-v", "-h", "--no-optional-locks"):
            continue
        else:
            judge.ask(f"git {option} can make git run something, or work elsewhere")
            return []
    return rest


def _checkout(judge: "Judge", rest: list[Any]) -> None:
    given, words = options(rest), operands(rest)
    if given & {"-f", "--force", "-B", "-p", "--patch"} or any(field.text == "--" for field in rest):
        judge.ask("git checkout throws changes away")
    if given & {"-b", "--orphan"}:
        return
    for field in words:
        path = judge.path(field.text)
        if field.pattern or path is None or path.exists():
            judge.ask(f"git checkout {field.text} throws changes away")


def _restore(judge: "Judge", rest: list[Any]) -> None:
    given = options(rest)
    if not given & {"--staged", "-S"} or given & {"--worktree", "-W"}:
        judge.ask("git restore throws changes away")


def _clean(judge: "Judge", rest: list[Any]) -> None:
    if not options(rest) & {"-n", "--dry-run"}:
        judge.ask("git clean deletes files")


def _push(judge: "Judge", rest: list[Any]) -> None:
    if any(mark in field.text for field in operands(rest)[:1] for mark in ("/", "@", ":")):
        judge.ask("git push sends the work to an address of its own")
    for field in operands(rest)[1:]:
        if field.text.startswith(("+", ":")) or not field.known:
            judge.ask(f"git push {field.text} rewrites or removes what others have")
    if any(field.text.startswith(("--receive-pack", "--exec")) for field in rest):
        judge.ask("git push is told to run a program")


def _config(judge: "Judge", rest: list[Any]) -> None:
    looking = {"--get", "--get-all", "--list", "-l", "--get-regexp", "--show-origin"}
    words = operands(rest)
    if not options(rest) & looking and not (words and words[0].text in ("get", "list")) and len(words) != 1:
        judge.ask("git config changes what git does")


def _init(judge: "Judge", rest: list[Any]) -> None:
    for field in operands(rest, frozenset({"-b", "--initial-branch"})):
        judge.writes(field)


def _fetch(judge: "Judge", rest: list[Any]) -> None:
    if any(field.text.startswith("+") for field in rest):
        judge.ask("git fetch replaces a branch")


def _clone(judge: "Judge", rest: list[Any]) -> None:
    words = operands(rest, frozenset({"-b", "--branch", "--depth", "-o", "--origin", "-j"}))
    if len(words) > 1:
        judge.writes(words[1])
    else:
        judge.writes_here()


_SPECIAL = {
    "init": _init,
    "fetch": _fetch,
    "clone": _clone,
    "checkout": _checkout,
    "restore": _restore,
    "clean": _clean,
    "push": _push,
    "config": _config,
}


@rule("gh", "glab", "hub")
def forges(judge: "Judge", run: "Run") -> None:
    """Looking is free; everything else is seen by others."""
    words = [field.text for field in operands(run.arguments)]
    if len(words) < 2 or words[1] not in ("list", "view", "status", "diff", "checks"):
        judge.ask(f"{run.name} {' '.join(words[:2])} changes what others see")


@rule("svn", "hg", "jj")
def others(judge: "Judge", run: "Run") -> None:
    words = [field.text for field in operands(run.arguments)]
    if words[:1] and words[0] not in ("status", "st", "log", "diff", "info", "cat", "blame", "annotate", "id", "show"):
        judge.ask(f"{run.name} {words[0]} changes something")
