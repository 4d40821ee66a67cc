"""/skills, and /NAME for each of them."""

from hermes.commands.chat.chat import Chat, WithSkill
from hermes.commands.reply import Line, Reply, Span, Text, said


def skills(chat: Chat, rest: str) -> Reply:
    """Those that can be used here, by category; with words: those that have all of them."""
    chat.skills.reload()
    found = chat.skills.listed(words=rest)
    if not found:
        return said(f"No skill has '{rest}'." if rest else "There are no skills; `hermes skills new NAME` begins one.")
    width = max(len(one["name"]) for one in found)
    lines: list[Line] = [
        (Span(f"  /{one['name']:<{width}}", "strong"), Span(f"  {one['description']}")) for one in found
    ]
    return Reply((Text(tuple(lines)),), data=list(found))


def use(chat: Chat, name: str, rest: str) -> bool:
    """Have a turn begin with this skill. False: there is none of this name."""
    if name not in chat.skills.library.skills:
        return False
    message = WithSkill(rest.strip() or f"Use the skill {name}.")
    message.skill = name
    chat.queue.append(message)
    return True
