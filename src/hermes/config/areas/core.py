"""Which model answers, who serves it, and how the agent goes about a turn."""

from typing import Any

from hermes.config.area import Area, setting

WIRE_FORMATS = ("auto", "chat_completions", "responses", "anthropic_messages")
POOL_STRATEGIES = ("fill_first", "round_robin", "random", "least_used")
EFFORTS = ("", "none", "minimal", "low", "medium", "high", "xhigh")


class Model(Area, works=True):
    default: str = setting(
        "", "The model that answers, such as anthropic/claude-sonnet-4.6.", env="HERMES_INFERENCE_MODEL"
    )
    provider: str = setting(
        "auto",
        "Who serves it: a preset or a name under providers; auto goes by the key present.",
        env="HERMES_INFERENCE_PROVIDER",
    )
    base_url: str = setting("", "The endpoint, where it is not the provider's own.")
    api_key: str = setting("", "The key; better a reference such as ${OPENROUTER_API_KEY}.")
    api_mode: str = setting("auto", "The wire format of the endpoint.", choices=WIRE_FORMATS)
    context_length: int | None = setting(None, "The model's window in tokens, where it is not known.", least=1024)
    max_tokens: int | None = setting(None, "The longest answer in tokens; empty leaves it to the provider.", least=1)


class Provider(Area, works=True):
    base_url: str = setting("", "The endpoint.")
    api_key: str = setting("", "The key; better a reference such as ${MY_KEY}.")
    key_env: str = setting("", "The variable that holds the key.")
    api_mode: str = setting("auto", "The wire format of the endpoint.", choices=WIRE_FORMATS)
    models: list[str] = setting([], "The models to offer in `hermes model`.")
    extra_headers: dict[str, str] = setting({}, "Headers sent with every request.")
    extra_body: dict[str, Any] = setting({}, "Fields added to every request.")


class Fallback(Area, works=True):
    provider: str = setting("", "Who serves the model.")
    model: str = setting("", "The model to fall back to.")
    base_url: str = setting("", "The endpoint, where it is not the provider's own.")
    api_key: str = setting("", "The key; better a reference.")
    key_env: str = setting("", "The variable that holds the key.")


class Routing(Area, works=True):
    sort: str = setting(
        "", "How OpenRouter orders the hosts of a model.", choices=("", "price", "throughput", "latency")
    )
    only: list[str] = setting([], "Use these hosts alone.")
    ignore: list[str] = setting([], "Never use these hosts.")
    order: list[str] = setting([], "Try these hosts first, in this order.")


class Agent(Area):
    max_turns: int = setting(
        90, "Model calls in one turn before the agent stops.", least=1, env="HERMES_MAX_ITERATIONS", works=True
    )
    turn_tokens: int = setting(0, "Tokens one turn may use before the agent stops; 0: no limit.", least=0, works=True)
    turn_seconds: float = setting(
        0.0, "Seconds one turn may take before the agent stops; 0: no limit.", least=0, works=True
    )
    turn_cost: float = setting(
        0.0, "Dollars one turn may cost before the agent stops; 0: no limit.", least=0, works=True
    )
    reasoning_effort: str = setting(
        "", "How long the model may think; empty leaves it to the model.", choices=EFFORTS, works=True
    )
    system_prompt: str = setting("", "Text added to the system prompt.", works=True)
    api_max_retries: int = setting(3, "How often a failed model call is tried again.", least=0, works=True)
    service_tier: str = setting("", "OpenAI's service tier: fast, flex or default.", works=True)
    tool_use_enforcement: str = setting(
        "auto", "Whether the prompt insists on tools over promises.", choices=("auto", "on", "off"), works=True
    )
    image_input_mode: str = setting(
        "auto", "Whether an image goes to the model itself or as a description.", choices=("auto", "native", "text")
    )
    disabled_toolsets: list[str] = setting([], "Toolsets that are never offered.", works=True)
    clarify_timeout: int = setting(600, "Seconds a question to the person stays open.", least=1, works=True)
    gateway_timeout: int = setting(
        1800, "Seconds without a sign of life after which a gateway turn is stopped; 0 never.", least=0, works=True
    )
    gateway_timeout_warning: int = setting(
        900, "Seconds after which the person is told that it takes long; 0 never.", least=0, works=True
    )
    gateway_notify_interval: int = setting(
        180, "Seconds between two signs of life of a long turn; 0 none.", least=0, works=True
    )
    restart_drain_timeout: int = setting(
        180, "Seconds a restart waits for turns that are under way.", least=0, works=True
    )


class Delegation(Area, works=True):
    model: str = setting("", "The model of child agents; empty: the parent's.")
    provider: str = setting("", "Who serves it.")
    base_url: str = setting("", "The endpoint, where it is not the provider's own.")
    api_key: str = setting("", "The key; better a reference.")
    api_mode: str = setting("", "The wire format of the endpoint.", choices=("", *WIRE_FORMATS))
    reasoning_effort: str = setting("", "How long a child may think.", choices=EFFORTS)
    max_iterations: int = setting(50, "Model calls a child may make.", least=1)
    child_timeout_seconds: int = setting(600, "Seconds a child may work.", least=1)
    max_concurrent_children: int = setting(3, "Children at work at once.", least=1)
    max_spawn_depth: int = setting(1, "How deep children may have children.", least=1)
    orchestrator_enabled: bool = setting(True, "Whether a child may be one that delegates in turn.")
    inherit_mcp_toolsets: bool = setting(True, "Whether children get the parent's MCP tools.")
    subagent_auto_approve: bool = setting(False, "Whether children's dangerous commands run without asking.")


class PromptCaching(Area, works=True):
    cache_ttl: str = setting("5m", "How long the provider keeps a cached prompt.", choices=("5m", "1h"))


class Context(Area, works=True):
    engine: str = setting("compressor", "What keeps a conversation within the window: compressor, or a plugin's name.")
