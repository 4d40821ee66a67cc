"""Programs that change files."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.places import is_inside
from hermes.tools.approvals.rules import apart, operands, options, rule, unknown, value_of

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run

_DELETING = named("rm rmdir unlink shred srm wipe truncate trash trash-put trash-empty rimraf del fallocate")
_DEVICES = named(
    "dd mkfs fdisk sfdisk cfdisk gdisk parted wipefs blkdiscard hdparm mkswap swapoff losetup cryptsetup mkfs.ext4 "
    "mkfs.ext3 mkfs.xfs mkfs.vfat mkfs.btrfs mke2fs e2fsck fsck tune2fs"
)


@rule(*_DELETING)
def deletes(judge: "Judge", run: "Run") -> None:
    what = " ".join(field.text for field in operands(run.arguments)[:3])
    judge.ask(f"{run.name} deletes {what or 'files'}")


@rule(*_DEVICES)
def devices(judge: "Judge", run: "Run") -> None:
    judge.ask(f"{run.name} writes to devices or over files")


_COPY_VALUED = frozenset(
    {"-t", "--target-directory", "-S", "--suffix", "-m", "--mode", "-o", "-g", "--owner", "--group"}
)


@rule("cp", "gcp", "mv", "gmv", "install", "ln")
def copies(judge: "Judge", run: "Run") -> None:
    """Nothing that is there may be replaced, nothing may leave or enter the workspace, without asking."""
    arguments = apart(run.arguments, "tSmog" if run.name == "install" else "tS")
    if unknown(arguments):
        judge.ask(f"what {run.name} is given cannot be told")
        return
    given = options(arguments)
    words = operands(arguments, _COPY_VALUED)
    target = value_of(arguments, "-t", "--target-directory")
    sources = words if target is not None else words[:-1]
    target = target if target is not None else (words[-1] if words else None)
    if run.name == "install":
        judge.ask("install puts files in place, over what is there")
    if target is None or not sources:
        return
    if run.name == "ln" and given & {"-f", "--force"}:
        judge.ask("ln -f replaces what is there")
    careful = bool(given & {"-n", "--no-clobber"}) and not given & {"-f", "--force"}
    for one in sources:
        if run.name == "ln" and not _stays_inside(judge, one):
            judge.ask(f"ln makes a way out of the workspace, to {one.text}")
        _copy(judge, run, one, target, careful=careful)


def _stays_inside(judge: "Judge", field: Any) -> bool:
    found = judge.paths(field.text)
    return bool(found) and all(is_inside(path, judge.surroundings.workspace) for path in found)


def _copy(judge: "Judge", run: "Run", source: Any, target: Any, *, careful: bool) -> None:
    place = judge.path(target.text)
    if place is None or target.pattern or (not source.known and not source.pattern):
        judge.ask(f"where {run.name} puts things cannot be told")
        return
    if str(place).startswith("/dev/"):
        judge.ask(f"{run.name} to a device")
    into_folder = place.is_dir() or target.text.endswith("/")
    if into_folder and source.pattern:
        judge.ask(f"what {run.name} replaces cannot be told") if place.is_dir() and any(place.iterdir()) else None
        judge.writes(target)
    else:
        name = Path(source.text.rstrip("/")).name
        final = f"{target.text.rstrip('/')}/{name}" if into_folder and name else target.text
        judge.writes(target._replace(text=final), over=not careful)
        if into_folder and name and (place / name).is_dir() and not careful:
            judge.ask(f"{place / name} is there already")
    origin = judge.path(source.text.split("*")[0] or ".")
    if run.name.endswith("mv") and (origin is None or not is_inside(origin, judge.surroundings.workspace)):
        judge.ask(f"mv takes {source.text} out of its place")


@rule("mkdir", "touch")
def makes(judge: "Judge", run: "Run") -> None:
    for field in operands(run.arguments, frozenset({"-m", "--mode", "-d", "--date", "-r", "--reference", "-t"})):
        if field.known and not field.pattern:
            judge.writes(field)


_SETUID = re.compile(r"[2-7]\d{3}|[ugoa]*[+=][rwxX]*[st]")


@rule("chmod", "chown", "chgrp", "setfacl", "chattr", "setfattr", "setcap")
def modes(judge: "Judge", run: "Run") -> None:
    given = options([one for one in run.arguments if not re.fullmatch(r"-[rwxXst]+", one.text)])
    if given & {"-R", "--recursive"}:
        judge.ask(f"{run.name} -R changes everything below")
    if run.name != "chmod":
        judge.ask(f"{run.name} changes who a file belongs to or who may use it")
        return
    words = [one for one in run.arguments if not one.text.startswith("--") and one.text not in ("-v", "-c", "-f", "-R")]
    if words and _SETUID.fullmatch(words[0].text):
        judge.ask("a program would run with the rights of its owner")
    for field in words[1:]:
        path = judge.path(field.text)
        if path is None or not is_inside(path, judge.surroundings.workspace):
            judge.ask(f"{field.text} is outside the workspace, or cannot be told")


_TAR_RISKY = ("--checkpoint-action", "--to-command", "--use-compress-program", "--remove-files", "--rsh-command",
              "--absolute-names", "--info-script", "--new-volume-script", "--unlink-first", "--recursive-unlink",
              "--overwrite", "--delete")  # fmt: skip


@rule("tar", "gtar", "bsdtar")
def tar(judge: "Judge", run: "Run") -> None:
    first = run.arguments[0].text if run.arguments else ""
    letters = first.lstrip("-") if not first.startswith("--") else ""
    given = options(run.arguments)
    if (
        unknown(run.arguments)
        or any(field.text.startswith(_TAR_RISKY) for field in run.arguments)
        or set("IFP") & set(letters)
    ):
        judge.ask("tar with these options can run programs or write anywhere")
    target = value_of(run.arguments, "-C", "--directory")
    if target is not None:
        judge.writes(target)
    if "c" in letters or "--create" in given:
        archive = value_of(run.arguments, "-f", "--file") or (run.arguments[1] if len(run.arguments) > 1 else None)
        archive = run.arguments[1] if "f" in letters and len(run.arguments) > 1 else archive
        if archive is not None and archive.text != "-":
            judge.writes(archive, over=True)
    elif "x" in letters or "--extract" in given:
        judge.writes_here()
        if not given & {"-k", "--keep-old-files", "--skip-old-files"} and "k" not in letters:
            judge.ask("tar replaces files of the same names (-k keeps them)")


@rule(
    *named(
        """
        unzip zip gzip gunzip bzip2 bunzip2 xz unxz zstd 7z 7za unrar
        """
    ),
)
def archives(judge: "Judge", run: "Run") -> None:
    given = options(run.arguments)
    risky = {"unzip": {"-o"}, "zip": {"-m", "-T", "-TT", "-d", "--unzip-command"}}.get(run.name, {"-f", "--force"})
    if given & risky or (run.name == "unzip" and "-d" in given and unknown(run.arguments)):
        judge.ask(f"{run.name} with these options replaces or removes files")
    keeps = given & {"-k", "--keep", "-c", "--stdout", "-l", "-t"}
    if run.name in ("gzip", "bzip2", "xz", "gunzip", "bunzip2", "unxz") and not keeps and operands(run.arguments):
        judge.ask(f"{run.name} removes the file it is given")
    target = value_of(run.arguments, "-d") if run.name == "unzip" else None
    if target is not None:
        judge.writes(target)
    if run.name == "zip" and operands(run.arguments):
        judge.writes(operands(run.arguments)[0])
    if (
        run.name in ("7z", "7za", "unrar")
        and operands(run.arguments)[:1]
        and operands(run.arguments)[0].text not in ("l", "t")
    ):
        judge.ask(f"{run.name} may replace files")
    if run.name == "unzip":
        judge.writes_here()


@rule(
    *named(
        """
        split csplit patch ed ex dos2unix unix2dos iconv convert ffmpeg rename mogrify rsync
        """
    ),
)
def edits(judge: "Judge", run: "Run") -> None:
    """They write files by rules of their own."""
    if run.name == "iconv" and not value_of(run.arguments, "-o", "--output"):
        return
    if run.name == "patch" and options(run.arguments) & {"--dry-run"}:
        return
    judge.ask(f"{run.name} changes or replaces files")
