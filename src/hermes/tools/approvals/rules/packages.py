"""Builders and package managers: building and testing is free; removing, publishing and installing for all is not."""

from typing import TYPE_CHECKING, Any

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.rules import operands, options, rule, unknown, value_of

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run


def _set(text: str) -> frozenset[str]:
    return frozenset(named(text))


_FREE = {
    "pip": _set("install list show freeze check download wheel help debug inspect index"),
    "uv": _set("pip sync run lock add tree version help init build"),
    "poetry": _set("install run lock add show check build version about"),
    "pdm": _set("install run lock add list build"),
    "hatch": _set("run test build version fmt"),
    "conda": _set("list info search"),
    "npm": _set(
        "test t run run-script install i ci ls list outdated view info audit start build version help why explain root"
    ),
    "yarn": _set("test run install add list why info build start lint"),
    "pnpm": _set("test run install i add list ls why build start lint exec"),
    "cargo": _set(
        "build b test t check c run r fmt clippy doc bench add tree update metadata new init fetch version search"
    ),
    "go": _set("build test run vet fmt mod list env version doc generate get tool work help"),
    "mvn": _set("compile test package verify validate dependency:tree test-compile"),
    "gradle": _set("build test check assemble tasks dependencies compileJava run"),
    "composer": _set("install require show validate dump-autoload test"),
    "bundle": _set("install exec list check show"),
    "gem": _set("list search info env"),
    "mix": _set("test compile deps.get format run"),
    "stack": _set("build test run exec"),
    "cabal": _set("build test run"),
    "dotnet": _set("build test run restore list format"),
    "swift": _set("build test run package"),
    "docker": _set("ps images logs inspect version info stats top port diff search history build"),
    "podman": _set("ps images logs inspect version info stats top port diff search history build"),
    "kubectl": _set("get describe logs version explain top api-resources api-versions cluster-info diff"),
    "helm": _set("list status version template lint show search history"),
    "terraform": _set("plan validate fmt show output version providers graph"),
    "ansible-playbook": _set(""),
    "apt": _set("list search show policy depends rdepends"),
    "brew": _set("list search info outdated deps config doctor"),
    "dpkg": _set(""),
    "nix": _set("search show-config"),
}
# Programs that are told the same things.
_ALIKE = {
    "pip": "pip3 pipx",
    "apt": "apt-get apt-cache aptitude dnf yum apk zypper snap flatpak port",
    "dpkg": "pacman rpm nix-env twine ensurepip update-alternatives",
    "gradle": "gradlew",
    "mvn": "mvnw",
    "conda": "mamba",
    "terraform": "tofu",
    "docker": "nerdctl",
    "kubectl": "oc",
    "bundle": "bundler",
    "ansible-playbook": "ansible",
}
_SAME = {name: one for one, names in _ALIKE.items() for name in named(names)}
_RISKY = _set("-g --global --user-install --break-system-packages --target --prefix --root -C --eval --script-shell")


_HANDED_ON = named(
    """
    -toolexec -exec -vettool --config --manifest-path --post-renderer -w -e --eval --rsh -chdir --kubeconfig --directory
    """
)


@rule(*_FREE, *_SAME)
def managers(judge: "Judge", run: "Run") -> None:
    words = operands(run.arguments)
    free = _FREE[_SAME.get(run.name, run.name)]
    if options(run.arguments) & {"--version", "--help", "-h", "-V"} and not words:
        return
    if run.name == "dpkg" and options(run.arguments) & {"-l", "-L", "-s", "-S", "--list"}:
        return
    name = words[0].text if words else ""
    if run.name in ("docker", "podman") and name == "compose":
        judge.run(run._replace(name="docker-compose", arguments=words[1:]))
        return
    if not words or name not in free or not words[0].known:
        judge.ask(f"{run.name} {name} changes what is installed, or something elsewhere")
        return
    if options(run.arguments) & (_RISKY if run.name in ("pip", "pip3", "npm", "yarn", "pnpm") else _set("--eval")):
        judge.ask(f"{run.name} with these options changes more than this project")
    places = {"--index-url", "--extra-index-url", "-f", "--find-links", "--registry"}
    installs = name in ("install", "add", "i", "require")
    if installs and (
        options(run.arguments) & places or any(mark in one.text for one in words for mark in ("://", "git+"))
    ):
        judge.ask(f"{run.name} {name} takes something from a place of its own")
    if run.name in ("mvn", "mvnw", "gradle", "gradlew") and not {one.text for one in words} <= free:
        judge.ask(f"{run.name} is told more than to build and test")
    if name in ("run", "run-script") and any(one.text in _TARGETS for one in words[1:2]):
        judge.ask(f"{run.name} run {words[1].text} removes or publishes things, by its name")
    if any(field.text.startswith(_HANDED_ON) for field in run.arguments):
        judge.ask(f"{run.name} is told to run another program, or to work elsewhere")
    _inside(judge, run, name, words)


def _inside(judge: "Judge", run: "Run", name: str, words: list[Any]) -> None:
    """What a manager is told to run is judged too."""
    from hermes.tools.approvals.rules.wrappers import inner

    if (run.name, name) in (
        ("uv", "run"),
        ("poetry", "run"),
        ("pdm", "run"),
        ("bundle", "exec"),
        ("pnpm", "exec"),
        ("stack", "exec"),
    ):
        rest = run.arguments[run.arguments.index(words[0]) + 1 :]
        while rest and rest[0].text.startswith("-"):
            rest = rest[1:]
        inner(judge, list(rest))
    elif (run.name, name) == ("uv", "pip") and len(words) > 1 and words[1].text not in _FREE["pip"]:
        judge.ask(f"uv pip {words[1].text} changes what is installed")
    elif run.name == "docker" and name == "build" and unknown(run.arguments):
        judge.ask("what docker builds cannot be told")


@rule("npx", "pnpx", "bunx", "uvx")
def fetched(judge: "Judge", run: "Run") -> None:
    """A program of this project may run; one that is fetched is asked about."""
    words = operands(run.arguments)
    path = judge.path(f"node_modules/.bin/{words[0].text}") if words else None
    if path is None or not path.exists() or options(run.arguments) & {"-c", "--call", "-p", "--package"}:
        judge.ask(f"{run.name} fetches a program and runs it")


_TARGETS = _set(
    "clean distclean mrproper install uninstall deploy publish release purge reset destroy wipe nuke prune push"
)


@rule(
    *named(
        """
        make gmake just task rake cmake bazel ninja scons invoke inv
        """
    ),
)
def builders(judge: "Judge", run: "Run") -> None:
    words = [field.text for field in operands(run.arguments, frozenset({"-j", "-l", "-G", "-S", "-B", "-C"}))]
    risky = [word for word in words if word in _TARGETS or word.startswith(("SHELL=", ".SHELL"))]
    if risky:
        judge.ask(f"{run.name} {risky[0]} removes or installs things, by its name")
    folder = value_of(run.arguments, "-C", "--directory")
    if folder is not None and run.name != "cmake":
        judge.writes(folder)
    if options(run.arguments) & {"-f", "--file", "--makefile", "--eval", "-E", "-P", "--install"} or unknown(
        run.arguments
    ):
        judge.ask(f"{run.name} is told to do something of its own")


@rule(
    *named(
        """
        docker-compose vagrant minikube kind pulumi serverless cdk eb ansible-galaxy packer
        """
    ),
)
def stacks(judge: "Judge", run: "Run") -> None:
    words = [field.text for field in operands(run.arguments)]
    if words[:1] not in (["ps"], ["logs"], ["config"], ["version"], ["status"], ["images"]):
        judge.ask(f"{run.name} {' '.join(words[:1])} starts, stops or changes machines")
