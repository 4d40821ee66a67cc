"""/title."""

from hermes.commands.chat.chat import Chat
from hermes.commands.reply import Reply, said


def title(chat: Chat, rest: str) -> Reply:
    """Show the title, or set it: at once, or with the first message where there was none yet."""
    agent = chat.agent
    if not rest:
        return said(f"Title: {agent.title}" if agent.title else "No title yet; `/title my project` sets one.")
    agent.set_title(rest)
    if not agent.title:
        return said("Nothing of that can be seen, so there is no title.")
    if not agent.created:
        return said(f"Title queued: {agent.title}. It is set with your first message.")
    return said(f"Title set: {agent.title}")
