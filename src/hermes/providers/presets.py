"""Providers by name: where they are, which variable has the key, what they speak, and how much fits into a call."""

from typing import NamedTuple

from hermes.providers.chat import Chat

CHAT, RESPONSES, ANTHROPIC = "chat_completions", "responses", "anthropic_messages"


class Preset(NamedTuple):
    name: str
    about: str
    base_url: str = ""  # "": it must be given
    key_names: tuple[str, ...] = ()
    mode: str = CHAT
    chat: Chat = Chat()
    window: int = 128_000
    window_is_its_own: bool = False  # whoever runs it decides how much fits, whatever the model could take
    model: str = ""  # the one that answers when none was chosen
    needs_key: bool = True
    aux_model: str = ""  # the one for side tasks; empty: the one that answers


_PRESETS = (
    Preset(
        "openrouter",
        "models of every maker with one key",
        "https://openrouter.ai/api/v1",
        ("OPENROUTER_API_KEY",),
        chat=Chat(effort_name="reasoning", replays="reasoning_details"),
        model="anthropic/claude-sonnet-4.6",
    ),
    Preset(
        "anthropic",
        "Claude",
        "https://api.anthropic.com/v1",
        ("ANTHROPIC_API_KEY",),
        mode=ANTHROPIC,
        window=200_000,
        model="claude-sonnet-4-6",
    ),
    Preset(
        "openai",
        "GPT",
        "https://api.openai.com/v1",
        ("OPENAI_API_KEY",),
        mode=RESPONSES,
        chat=Chat(max_tokens_name="max_completion_tokens", effort_name="reasoning_effort", takes_cache_key=True),
        model="gpt-5.2",
    ),
    Preset(
        "gemini",
        "Gemini",
        "https://generativelanguage.googleapis.com/v1beta/openai",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
        chat=Chat(effort_name="reasoning_effort", replays="extra_content"),
        window=1_048_576,
        model="gemini-2.5-pro",
    ),
    Preset(
        "kimi",
        "Moonshot's Kimi",
        "https://api.moonshot.ai/v1",
        ("KIMI_API_KEY", "MOONSHOT_API_KEY"),
        chat=Chat(replays="reasoning_content"),
        window=262_144,
    ),
    Preset("stepfun", "StepFun's Step", "https://api.stepfun.com/v1", ("STEPFUN_API_KEY",), window=65_536),
    Preset(
        "alibaba",
        "Qwen, on Alibaba Cloud",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        ("DASHSCOPE_API_KEY",),
        window=131_072,
    ),
    Preset(
        "tencent",
        "Hunyuan, on Tencent Cloud",
        "https://api.hunyuan.cloud.tencent.com/v1",
        ("HUNYUAN_API_KEY", "TENCENT_API_KEY"),
        window=32_768,
    ),
    Preset(
        "azure-foundry",
        "your deployments on Azure (base_url: https://NAME.openai.azure.com/openai/v1)",
        "",
        ("AZURE_FOUNDRY_API_KEY", "AZURE_OPENAI_API_KEY"),
        chat=Chat(max_tokens_name="max_completion_tokens", effort_name="reasoning_effort"),
    ),
    Preset(
        "lmstudio",
        "LM Studio on this machine",
        "http://127.0.0.1:1234/v1",
        window=32_768,
        window_is_its_own=True,
        needs_key=False,
    ),
    Preset(
        "ollama",
        "Ollama on this machine",
        "http://127.0.0.1:11434/v1",
        window=32_768,
        window_is_its_own=True,
        needs_key=False,
    ),
    Preset(
        "local",
        "a small model on this machine, by `hermes model serve`",
        "http://127.0.0.1:8427/v1",
        window=8192,
        window_is_its_own=True,
        model="smollm2",
        needs_key=False,
    ),
    Preset("custom", "any compatible endpoint, by model.base_url", window=32_768, needs_key=False),
)
PRESETS = {preset.name: preset for preset in _PRESETS}

# Tokens that fit, by the beginning of a model's name without who made it; the first that fits counts.
_WINDOWS = (
    ("claude", 200_000),
    ("gpt-5", 400_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("o3", 200_000),
    ("o4", 200_000),
    ("gemini", 1_048_576),
    ("kimi-k2", 262_144),
    ("qwen3-coder", 262_144),
    ("qwen", 131_072),
    ("deepseek", 131_072),
    ("grok-4", 256_000),
    ("glm-4", 131_072),
)


def window_of(model: str, preset: Preset) -> int:
    """Tokens that fit into one call, as far as is known."""
    if preset.window_is_its_own:
        return preset.window
    name = model.rpartition("/")[2].lower()
    return next((tokens for beginning, tokens in _WINDOWS if name.startswith(beginning)), preset.window)
