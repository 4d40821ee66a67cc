"""An outline in the place of a summary: every request in full words, what was called, the beginning of each answer. It
costs nothing, takes no time and invents nothing."""

from hermes.model.text import clip

ASKED, ANSWERED, CALLED = 400, 240, 120


class Outline:
    def compress(self, messages, *, focus_topic=None):
        lines = [f"Above all about: {focus_topic}"] if focus_topic else []
        for message in messages:
            lines += self._lines(message, (focus_topic or "").lower())
        return "\n".join(lines)

    def _lines(self, message, focus):
        text, role = _text(message.get("content")), message.get("role")
        wide = 3 if focus and focus in text.lower() else 1
        if role == "user":
            yield f"* asked: {clip(text, ASKED * wide, '…')}"
        elif role == "system":
            yield text
        elif role == "assistant":
            for call in message.get("tool_calls") or ():
                function = call.get("function") or {}
                yield f"  - called {function.get('name')} {clip(str(function.get('arguments')), CALLED * wide, '…')}"
            if text.strip():
                yield f"  answered: {clip(text, ANSWERED * wide, '…')}"


def _text(content):
    if isinstance(content, list):
        return " ".join(str(part.get("text") or "[image]") for part in content if isinstance(part, dict))
    return content or ""


def register(ctx):
    ctx.register_context_engine(Outline())
