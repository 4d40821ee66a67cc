"""Other processes: started, asked, killed. None of them shares an open store with this one."""

import logging
import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(["hermes.store.sqlite.engine", "tests.faults.writers", "tests.faults.verify"])


class ChildFailed(AssertionError):
    pass


def start(work: Callable[..., Any], *arguments: Any) -> BaseProcess:
    child = _context.Process(target=work, args=arguments, daemon=True)
    child.start()
    return child


def ask(work: Callable[..., Any], *arguments: Any, patience: float = 300) -> Any:
    """What `work` returns in a process of its own."""
    return collect(*start_asking(work, *arguments), patience=patience)


def start_asking(work: Callable[..., Any], *arguments: Any) -> tuple[BaseProcess, Connection]:
    here, there = _context.Pipe(duplex=False)
    child = start(_answer, there, work, arguments)
    there.close()
    return child, here


def collect(child: BaseProcess, here: Connection, *, patience: float = 300) -> Any:
    """The answer of a child that was asked before."""
    try:
        if not here.poll(patience):
            raise ChildFailed(f"no answer within {patience:.0f} s")
        good, answer = here.recv()
    except EOFError:
        child.join()
        raise ChildFailed(f"a child died with exit code {child.exitcode}") from None
    finally:
        here.close()
        end([child])
    if not good:
        raise ChildFailed(answer)
    return answer


def _answer(there: Connection, work: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    logging.disable()
    try:
        answer = (True, work(*arguments))
    except BaseException:
        answer = (False, traceback.format_exc())
    there.send(answer)
    there.close()


def from_outside(work: Callable[[], Any]) -> None:
    """Do it in a process of its own: a descriptor of the store that is closed here would drop SQLite's locks."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    if os.waitpid(child, 0)[1] != 0:
        raise ChildFailed("what was to be done from outside failed")


def kill(children: Iterable[BaseProcess]) -> None:
    for child in children:
        if child.pid is not None and child.is_alive():
            os.kill(child.pid, signal.SIGKILL)
    end(children)


def end(children: Iterable[BaseProcess], patience: float = 60) -> None:
    """Wait for them; whoever does not end is killed."""
    for child in children:
        child.join(patience)
        if child.is_alive():
            child.kill()
            child.join()
        child.close()
