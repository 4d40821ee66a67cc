"""The skills of a conversation, and the tools that find, read and write them."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hermes import paths
from hermes.agent.toolbox import Toolbox
from hermes.config import Config
from hermes.errors import BadInput, NotFound, ProviderError, ToolError
from hermes.skills.activation import Here
from hermes.skills.reading import content, inside
from hermes.skills.shelf import Shelf
from hermes.skills.usage import Usage
from hermes.tools.registry import Handler, Tool, function, text
from hermes.tools.work import Work

if TYPE_CHECKING:
    from hermes.skills.writing import Writer

NAMES = ("skills_list", "skill_view", "skill_manage")
_MATCH_TOKENS = 300
_ACTIONS = ("create", "edit", "patch", "delete", "write_file", "remove_file")


def shelf_of(config: Config, tools: Toolbox | None = None, more: Sequence[Path] = (), source: str = "cli") -> Shelf:
    """The skills for a conversation with these tools, from there; without any tools, all skills that need none."""

    def here() -> Here:
        if tools is None:
            return Here((), (), config.environment)
        return Here(tools.offered(), tools.toolsets(), config.environment)

    return Shelf(config.settings, here, Usage(paths.skills_usage(), source), more)


def skill_tools(shelf: Shelf, config: Config) -> list[Tool]:
    """skills_list, skill_view and skill_manage, for this conversation."""

    def skills_list(arguments: dict[str, Any], work: Work) -> Any:
        category, query = arguments.get("category") or "", arguments.get("query") or ""
        found = shelf.listed(category, query)
        return found or _matched(shelf.listed(category), query, work)

    def skill_view(arguments: dict[str, Any], work: Work) -> str:
        skill = shelf.library.get(arguments["name"])
        if arguments.get("file_path"):
            return content(inside(skill.folder, arguments["file_path"]))
        from hermes.skills.writing import hands_on

        work.place.handed.update(hands_on(skill))
        return shelf.view(skill.name, work.context.session_id)

    def skill_manage(arguments: dict[str, Any], work: Work) -> str:
        from hermes.skills.writing import Writer  # loaded with the first skill that is written

        writer = Writer(shelf.library, guard=config.settings.skills.guard_agent_created)
        done = _manage(writer, arguments)
        shelf.reload()
        return done

    described = {
        "skills_list": (
            skills_list,
            {"category": text(), "query": text("Words that are in it, or what is to be done")},
            (),
        ),
        "skill_view": (skill_view, {"name": text(), "file_path": text("A file beside it")}, ("name",)),
        "skill_manage": (skill_manage, _MANAGED, ("action", "name")),
    }
    return [_tool(name, *one) for name, one in described.items()]


_ABOUT = {
    "skills_list": "Skills that can be used here: name, what each is for, what it lacks.",
    "skill_view": "Read a skill before you do what it is for, or a file that lies beside it.",
    "skill_manage": (
        "Keep what you learnt as a skill: create or edit (content: a whole SKILL.md with its fields), patch "
        "(old_string, new_string), delete, write_file and remove_file (file_path under scripts, references, templates "
        "or assets)."
    ),
}
_MANAGED = {
    "action": text(enum=list(_ACTIONS)),
    "name": text(),
    "content": text("The whole SKILL.md, or of the file"),
    "category": text("For create"),
    "old_string": text(),
    "new_string": text(),
    "file_path": text(),
}


def _tool(name: str, handler: Handler, parameters: dict[str, Any], required: tuple[str, ...]) -> Tool:
    schema = function(name, _ABOUT[name], parameters, required)
    return Tool(name, "skills", schema, _telling(handler), beside=name != "skill_manage")


def _telling(handler: Handler) -> Handler:
    """What is wrong with a call is told to the model."""

    def told(arguments: dict[str, Any], work: Work) -> Any:
        try:
            return handler(arguments, work)
        except (BadInput, NotFound) as error:
            raise ToolError(str(error)) from error

    return told


def _matched(listed: Sequence[Mapping[str, Any]], query: str, work: Work) -> Sequence[Mapping[str, Any]]:
    """Skills that fit a request though none has its words, as the auxiliary model skills_hub sees it; none without
    one."""
    if not query or not listed:
        return []
    lines = "\n".join(f"- {one['name']}: {one['description']}" for one in listed)
    prompt = f"Which of these skills help with the request? Answer with their names alone, or with none.\n\n{lines}\n\n"
    try:
        answer = work.place.summarise("skills_hub", f"{prompt}The request: {query}", most_tokens=_MATCH_TOKENS)
    except ProviderError:
        return []
    named = set(re.findall(r"[a-z0-9-]+", answer.lower()))
    return [one for one in listed if one["name"] in named]


def _manage(writer: "Writer", given: dict[str, Any]) -> str:
    name, action = given["name"], given["action"]
    value: Callable[[str], str] = lambda key: str(given.get(key) or "")  # noqa: E731  # short for six lines
    if action == "create":
        return f"Created {writer.create(name, value('content'), value('category'))}."
    if action == "edit":
        return f"Changed {writer.edit(name, value('content'))}."
    if action == "patch":
        return f"Changed {writer.patch(name, value('old_string'), value('new_string'), value('file_path'))}."
    if action == "write_file":
        return f"Wrote {writer.write_file(name, value('file_path'), value('content'))}."
    if action == "remove_file":
        return f"Removed {writer.remove_file(name, value('file_path'))}."
    return f"Removed; it is in {writer.delete(name)} for now."
