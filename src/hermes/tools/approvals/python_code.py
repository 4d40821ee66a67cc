"""Python on the command line: harmless when it only calculates, reads and prints. Everything else is asked about."""

import ast

from hermes.tools.approvals.naming import named

_MODULES = frozenset(
    named(
        """
    json re math statistics datetime time calendar itertools functools collections string textwrap random decimal
    fractions hashlib base64 binascii struct csv sys platform enum pprint difflib unicodedata uuid zlib bisect heapq
    array copy numbers io os.path locale sysconfig tomllib
    """
    )
)
_NAMES = frozenset(
    named(
        """
    eval exec compile __import__ input globals locals vars getattr setattr delattr breakpoint memoryview
    """
    )
)
_ATTRIBUTES = frozenset(
    named(
        """
    system popen remove unlink rmdir removedirs rename renames replace_file rmtree move copy copy2 copyfile copytree
    write write_text write_bytes writelines truncate chmod chown kill killpg fork forkpty symlink link symlink_to
    hardlink_to mkdir makedirs touch spawn spawnl spawnv execv execl execve execvp run call check_call check_output
    Popen connect urlopen post put patch delete send sendall environ putenv modules load_module import_module open
    fdopen FileIO open_code attrgetter methodcaller get_type_hints
    """
    )
)


def why_not(code: str) -> str:
    """Why this has to be asked about; empty: it does not."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "what Python is told to do is not understood"
    for node in ast.walk(tree):
        reason = _reason(node)
        if reason:
            return reason
    return ""


def _reason(node: ast.AST) -> str:
    if isinstance(node, ast.Import):
        others = [one.name for one in node.names if one.name not in _MODULES and one.name.split(".")[0] not in _MODULES]
        return f"Python is told to use {others[0]}" if others else ""
    if isinstance(node, ast.ImportFrom):
        return f"Python is told to use {node.module}" if node.level or node.module not in _MODULES else ""
    if isinstance(node, ast.Name) and (node.id in _NAMES or node.id.startswith("__")):
        return f"Python is told to use {node.id}"
    if isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.stdout.write", "sys.stderr.write"):
        return ""
    if isinstance(node, ast.Attribute) and (node.attr in _ATTRIBUTES or node.attr.startswith("__")):
        return f"Python is told to use .{node.attr}"
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
        return _opening(node)
    return ""


def _opening(node: ast.Call) -> str:
    """A file that is opened to be read, and is no secret."""
    from pathlib import Path

    from hermes.tools.approvals.places import is_secret

    modes = [*node.args[1:2], *(one.value for one in node.keywords if one.arg == "mode")]
    plain = all(isinstance(mode, ast.Constant) and set(str(mode.value)) <= set("rbt") for mode in modes)
    path = node.args[0] if node.args else None
    if not plain or len(node.args) > 2:
        return "Python is told to write a file"
    if not isinstance(path, ast.Constant) or not isinstance(path.value, str) or is_secret(Path(path.value)):
        return "Python is told to read a file that cannot be told, or a secret"
    return ""
