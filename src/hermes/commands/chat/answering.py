"""Who answers: /model, /fast."""

from hermes.commands.chat.chat import Chat
from hermes.commands.chat.looks import switched
from hermes.commands.reply import Reply, said
from hermes.errors import BadInput


def model(chat: Chat, rest: str) -> Reply:
    """Who answers here, or somebody else from now on; for good, `hermes model choose` says it."""
    if not rest:
        if chat.answers_from_history:
            return said("No model is set up yet: `hermes model choose` does that. Until then your own history answers.")
        return said(f"{chat.provider.model} at {chat.provider.name} ({chat.provider.window:,} tokens).", _CHANGE)
    wanted, *provider = rest.split()
    if len(provider) > 1:
        raise BadInput("Type /model MODEL, or /model MODEL PROVIDER.")
    chat.use(wanted, "".join(provider))
    return said(f"{chat.provider.model} at {chat.provider.name} answers from now on, in this chat.")


_CHANGE = "`/model MODEL [PROVIDER]` changes it here, `hermes model choose` for good."


def fast(chat: Chat, rest: str) -> Reply:
    wanted = switched(rest, chat.fast)
    chat.go_fast(wanted)
    return said("The provider's faster tier is on; it may cost more." if wanted else "The usual tier.")
