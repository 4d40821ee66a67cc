"""Toolsets: groups of tools by name. A leaf lists tools; a composite or a platform's set is made of other sets.

`resolve(["debugging", "-process"])` gives names of tools. A bare name of a tool counts as a set of itself, `*` as every
set, and a `-` in front takes out what stands behind it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hermes.errors import BadInput
from hermes.tools.registry import Registry, registry


class Toolset(NamedTuple):
    about: str
    tools: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()


OF_PLUGINS = "plugin-"  # how the toolset of a plugin's tools begins; the plugin's name follows
_BROWSER = "navigate snapshot click type scroll back press get_images vision console"

LEAVES = {
    "web": Toolset("Search the web and read pages", ("web_search", "web_extract")),
    "search": Toolset("Search the web", ("web_search",)),
    "x_search": Toolset("Search X", ("x_search",)),
    "vision": Toolset("Look at images", ("vision_analyze",)),
    "video": Toolset("Look at videos", ("video_analyze",)),
    "image_gen": Toolset("Make images", ("image_generate",)),
    "video_gen": Toolset("Make videos", ("video_generate",)),
    "computer_use": Toolset("Use the screen, keyboard and mouse", ("computer_use",)),
    "terminal": Toolset("Run commands, in the foreground or behind", ("terminal", "process")),
    "moa": Toolset("Ask several models and join their answers", ("mixture_of_agents",)),
    "skills": Toolset("Find, read and write skills", ("skills_list", "skill_view", "skill_manage")),
    "browser": Toolset("Drive a browser", tuple(f"browser_{name}" for name in _BROWSER.split())),
    "cronjob": Toolset("Scheduled jobs", ("cronjob",)),
    "messaging": Toolset("Send messages to other platforms", ("send_message",)),
    "file": Toolset("Read, write, change and search files", ("read_file", "write_file", "patch", "search_files")),
    "tts": Toolset("Speak", ("text_to_speech",)),
    "todo": Toolset("A list of what is to be done", ("todo",)),
    "memory": Toolset("Notes that last", ("memory",)),
    "session_search": Toolset("Recall past conversations", ("session_search",)),
    "clarify": Toolset("Ask the person", ("clarify",)),
    "code_execution": Toolset("Scripts that call tools", ("execute_code",)),
    "delegation": Toolset("Child agents", ("delegate_task",)),
    "homeassistant": Toolset("The house", ("ha_list_entities", "ha_get_state", "ha_list_services", "ha_call_service")),
    "kanban": Toolset("The board"),
    "discord": Toolset("Read and write on Discord"),
    "discord_admin": Toolset("Look after a Discord server"),
    "yuanbao": Toolset("Yuanbao groups"),
    "feishu_doc": Toolset("Feishu documents"),
    "feishu_drive": Toolset("Feishu files"),
    "spotify": Toolset("Music"),
}

COMPOSITES = {
    "debugging": Toolset("Find out what is wrong", includes=("terminal", "process", "web", "file")),
    "safe": Toolset("Nothing that changes this machine", includes=("moa", "web", "vision", "image_gen")),
}

_WORK = ("web", "vision", "image_gen", "terminal", "file", "skills", "browser", "todo", "memory", "session_search")
_EVERYDAY = (*_WORK, "code_execution", "delegation", "tts", "clarify", "cronjob", "messaging", "computer_use")
_CHATS = (
    "telegram slack whatsapp signal bluebubbles matrix mattermost email sms homeassistant dingtalk weixin qqbot wecom"
)


def _platform(name: str, *extra: str, base: Sequence[str] = _EVERYDAY) -> Toolset:
    return Toolset(f"What {name} gets", includes=(*base, *extra))


PLATFORMS = {
    "hermes-cli": _platform("the terminal"),
    "hermes-cron": _platform("a scheduled job", "code_execution", "delegation", "tts", "messaging", base=_WORK),
    "hermes-acp": _platform("an editor", "code_execution", "delegation", base=_WORK),
    "hermes-api-server": _platform("a program", "code_execution", "delegation", "cronjob", base=_WORK),
    "hermes-webhook": _platform("a webhook, whoever calls it", "clarify", base=("web", "vision")),
    **{f"hermes-{name}": _platform(name) for name in _CHATS.split()},
    "hermes-wecom-callback": _platform("WeCom by callbacks"),
    "hermes-discord": _platform("Discord", "discord", "discord_admin"),
    "hermes-feishu": _platform("Feishu", "feishu_doc", "feishu_drive"),
    "hermes-yuanbao": _platform("Yuanbao", "yuanbao"),
}
PLATFORMS["hermes-gateway"] = Toolset("What every chat gets together", includes=tuple(PLATFORMS))

TOOLSETS: Mapping[str, Toolset] = {**LEAVES, **COMPOSITES, **PLATFORMS}


def platform_toolset(platform: str) -> str:
    """The set of a platform; one that has none of its own gets the terminal's."""
    name = f"hermes-{platform.replace('_', '-')}"
    return name if name in PLATFORMS else "hermes-cli"


def resolve(names: Iterable[str], *, known: Registry = registry, sets: Mapping[str, Toolset] = TOOLSETS) -> list[str]:
    """The tools of these sets, each once, in order. A set that contains itself, directly or not, counts once. An
    unknown name is BadInput with the nearest one."""
    found: dict[str, None] = {}
    for name in names:
        if name.startswith("-"):
            for one in _tools_of(name[1:], known, sets, set()):
                found.pop(one, None)
        else:
            found.update(dict.fromkeys(_tools_of(name, known, sets, set())))
    return list(found)


def leaves(names: Iterable[str], sets: Mapping[str, Toolset] = TOOLSETS) -> list[str]:
    """The same as leaf sets, for a list that single ones are taken out of."""
    found: dict[str, None] = {}
    waiting, seen = list(names), set[str]()
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        inside = sets[name].includes if name in sets else ()
        waiting = [*inside, *waiting]
        if not inside:
            found[name] = None
    return list(found)


def _tools_of(name: str, known: Registry, sets: Mapping[str, Toolset], seen: set[str]) -> list[str]:
    if name in seen:
        return []
    seen.add(name)
    if name in ("*", "all"):
        return [one for each in sets for one in _tools_of(each, known, sets, seen)]
    registered = known.in_toolset(name)
    if name in sets:
        inside = [one for part in sets[name].includes for one in _tools_of(part, known, sets, seen)]
        return [*sets[name].tools, *inside, *registered]
    if registered:
        return registered
    if known.get(name) is not None or any(name in one.tools for one in sets.values()):
        return [name]
    raise BadInput(_unknown(name, sets))


def _unknown(name: str, sets: Mapping[str, Toolset]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, list(sets), 1)
    meant = f"did you mean '{near[0]}'?" if near else "`hermes tools list` shows them."
    return f"There is no toolset '{name}'; {meant}"
