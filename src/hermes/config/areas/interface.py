"""What a person sees and hears."""

from typing import Any

from hermes.config.area import Area, setting

PROGRESS = ("off", "new", "all", "verbose")


class UserMessagePreview(Area):
    first_lines: int = setting(2, "Lines shown from the start of a long message.", least=0)
    last_lines: int = setting(2, "Lines shown from its end.", least=0)


class RuntimeFooter(Area, works=True):
    enabled: bool = setting(False, "Whether a line with figures follows each answer.")
    fields: list[str] = setting(
        ["model", "context_pct", "cwd"], "What it shows: model, context_pct, tokens, cost, title, cwd."
    )


class PlatformDisplay(Area):
    tool_progress: str | None = setting(None, "How much of the tools' work is shown there.", choices=PROGRESS)
    tool_preview_length: int | None = setting(None, "Characters of a tool call shown there; 0: no limit.", least=0)
    show_reasoning: bool | None = setting(None, "Whether the model's thoughts are shown there.")
    streaming: bool | None = setting(None, "Whether the answer appears there while it is written.", works=True)
    interim_assistant_messages: bool | None = setting(None, "Whether remarks between tool calls are sent there.")


class Display(Area):
    resume_display: str = setting(
        "full", "What a resumed session shows first: the recap, or one line.", choices=("full", "minimal"), works=True
    )
    compact: bool = setting(False, "Whether to leave out blank lines and boxes.", works=True)
    personality: str = setting("", "The personality to begin with, by name.", works=True)
    skin: str = setting("default", "Colours and symbols, by name.")
    language: str = setting("en", "The language of Hermes' own words.")
    streaming: bool = setting(True, "Whether an answer appears while it is written.", works=True)
    show_reasoning: bool = setting(False, "Whether the model's thoughts are shown.", works=True)
    show_cost: bool = setting(False, "Whether the status bar shows what it costs.", works=True)
    timestamps: bool = setting(False, "Whether messages show their time.")
    bell_on_complete: bool = setting(False, "Whether the terminal rings when a turn is done.", works=True)
    busy_input_mode: str = setting(
        "interrupt", "What typing does while the agent works.", choices=("interrupt", "queue", "steer"), works=True
    )
    final_response_markdown: str = setting(
        "render", "How Markdown in an answer is shown.", choices=("render", "strip", "raw"), works=True
    )
    inline_diffs: bool = setting(True, "Whether changes to files are shown as they are made.")
    interim_assistant_messages: bool = setting(True, "Whether remarks between tool calls are sent to a chat.")
    tool_progress: str = setting("all", "How much of the tools' work is shown.", choices=PROGRESS, works=True)
    tool_progress_command: bool = setting(False, "Whether /verbose works in chats.")
    tool_preview_length: int = setting(0, "Characters of a tool call shown; 0: no limit.", least=0, works=True)
    user_message_preview: UserMessagePreview = setting(
        UserMessagePreview(), "How a long message of one's own is shown."
    )
    runtime_footer: RuntimeFooter = setting(RuntimeFooter(), "Figures after each answer.")
    platforms: dict[str, PlatformDisplay] = setting({}, "What is different on one platform, by its name.", works=True)


class Dashboard(Area):
    theme: str = setting("default", "Its colours, by name.")
    show_token_analytics: bool = setting(False, "Whether it shows tokens and cost.")


class Tts(Area):
    provider: str = setting("edge", "Who speaks.")
    edge: dict[str, Any] = setting({"voice": "en-US-AriaNeural"}, "What Edge needs.")
    elevenlabs: dict[str, Any] = setting({}, "What ElevenLabs needs.")
    openai: dict[str, Any] = setting({"model": "gpt-4o-mini-tts", "voice": "alloy"}, "What OpenAI needs.")
    minimax: dict[str, Any] = setting({}, "What MiniMax needs.")
    mistral: dict[str, Any] = setting({}, "What Mistral needs.")
    xai: dict[str, Any] = setting({}, "What xAI needs.")
    neutts: dict[str, Any] = setting({}, "What NeuTTS needs.")
    piper: dict[str, Any] = setting({"voice": "en_US-lessac-medium"}, "What Piper needs.")


class Stt(Area):
    enabled: bool = setting(True, "Whether voice messages are written down.")
    provider: str = setting("local", "Who listens.")
    local: dict[str, Any] = setting({"model": "base"}, "What the local model needs.")
    openai: dict[str, Any] = setting({"model": "whisper-1"}, "What OpenAI needs.")
    mistral: dict[str, Any] = setting({"model": "voxtral-mini-latest"}, "What Mistral needs.")


class Voice(Area):
    record_key: str = setting("ctrl+b", "The key that starts and stops a recording.")
    max_recording_seconds: int = setting(120, "The longest recording.", least=1)
    auto_tts: bool = setting(False, "Whether every answer is spoken.")
    beep_enabled: bool = setting(True, "Whether a recording beeps.")
    silence_threshold: int = setting(200, "How loud silence may be.", least=0)
    silence_duration: float = setting(3.0, "Seconds of silence that end a recording.", least=0)


class HumanDelay(Area):
    mode: str = setting("off", "Whether answers in chats come at a human pace.", choices=("off", "natural", "custom"))
    min_ms: int = setting(800, "The shortest pause, for custom.", least=0)
    max_ms: int = setting(2500, "The longest pause, for custom.", least=0)
