"""Every setting. The attributes of `Settings` are the top-level keys of config.yaml, in the order of the docs."""

from typing import Any

from hermes.config.area import Area, setting
from hermes.config.areas import auxiliary as aux
from hermes.config.areas import core, execution, interface, platform, state


class Settings(Area):
    model: core.Model = setting(core.Model(), "Which model answers.")
    providers: dict[str, core.Provider] = setting({}, "Endpoints of your own, by the name you give them.", works=True)
    fallback_providers: list[core.Fallback] = setting(
        [], "Models to go on with when the first fails, in order.", works=True
    )
    credential_pool_strategies: dict[str, str] = setting(
        {}, "How several keys of a provider take turns, by its name.", choices=core.POOL_STRATEGIES, works=True
    )
    provider_routing: core.Routing = setting(core.Routing(), "How OpenRouter chooses the host of a model.")
    prompt_caching: core.PromptCaching = setting(core.PromptCaching(), "What providers keep of a prompt.")
    toolsets: list[str] = setting(["hermes-cli"], "The toolsets offered to the model.", works=True)
    platform_toolsets: dict[str, list[str]] = setting(
        {}, "The toolsets of one platform, by its name; `hermes tools enable` and `disable` write them.", works=True
    )
    mcp_servers: dict[str, execution.McpServer] = setting(
        {}, "MCP servers whose tools are offered, by name.", works=True
    )
    agent: core.Agent = setting(core.Agent(), "How the agent goes about a turn.")
    delegation: core.Delegation = setting(core.Delegation(), "Child agents.")
    context: core.Context = setting(core.Context(), "What keeps a conversation within the window.")
    personalities: dict[str, Any] = setting({}, "Personalities of your own: a name, and its prompt.", works=True)
    quick_commands: dict[str, Any] = setting({}, "Slash commands of your own, by name.", works=True)
    timezone: str = setting(
        "", "The time zone for dates and schedules, such as Europe/Berlin; empty: the machine's.", works=True
    )

    terminal: execution.Terminal = setting(execution.Terminal(), "Where commands run.")
    browser: execution.Browser = setting(execution.Browser(), "The browser tools.")
    web: execution.Web = setting(execution.Web(), "Who searches the web and reads pages.")
    compression: execution.Compression = setting(execution.Compression(), "When a long conversation is compressed.")
    auxiliary: aux.Auxiliary = setting(aux.Auxiliary(), "Models for side tasks.")
    code_execution: execution.CodeExecution = setting(execution.CodeExecution(), "Scripts written by the agent.")
    tool_output: execution.ToolOutput = setting(execution.ToolOutput(), "How much of a result the model sees.")
    tool_loop_guardrails: execution.ToolLoopGuardrails = setting(
        execution.ToolLoopGuardrails(), "What happens when the agent goes in circles."
    )
    file_read_max_chars: int = setting(100_000, "Characters of a file read at once.", least=1000, works=True)

    display: interface.Display = setting(interface.Display(), "What the terminal and chats show.")
    dashboard: interface.Dashboard = setting(interface.Dashboard(), "The page in the browser.")
    tts: interface.Tts = setting(interface.Tts(), "Answers read aloud.")
    stt: interface.Stt = setting(interface.Stt(), "Voice messages written down.")
    voice: interface.Voice = setting(interface.Voice(), "Talking to the terminal.")
    human_delay: interface.HumanDelay = setting(interface.HumanDelay(), "Answers in chats at a human pace.")

    sessions: state.Sessions = setting(state.Sessions(), "Where sessions are kept and for how long.")
    session_reset: state.SessionReset = setting(state.SessionReset(), "When a chat begins a new session by itself.")
    memory: state.Memory = setting(state.Memory(), "What the agent notes down.")
    skills: state.Skills = setting(state.Skills(), "What it has learnt to do.")
    curator: state.Curator = setting(state.Curator(), "The review of unused skills.")
    checkpoints: state.Checkpoints = setting(state.Checkpoints(), "Files as they were before the agent changed them.")
    privacy: state.Privacy = setting(state.Privacy(), "What a model may learn about people.")
    security: state.Security = setting(state.Security(), "What tools may reach, and what is masked.")
    plugins: state.Plugins = setting(state.Plugins(), "Which plugins are used.")
    logging: state.Logging = setting(state.Logging(), "The log.")

    gateway: platform.Gateway = setting(platform.Gateway(), "Who may talk to the agent in chats.")
    streaming: platform.Streaming = setting(platform.Streaming(), "Answers in chats that grow while they are written.")
    group_sessions_per_user: bool = setting(
        True, "Whether each person in a group has a session of their own.", works=True
    )
    thread_sessions_per_user: bool = setting(False, "Whether that holds in threads too.", works=True)
    discord: platform.Discord = setting(platform.Discord(), "Discord.")
    telegram: platform.Telegram = setting(platform.Telegram(), "Telegram.")
    whatsapp: platform.Whatsapp = setting(platform.Whatsapp(), "WhatsApp.")
    slack: platform.Channels = setting(platform.Channels(), "Slack.")
    mattermost: platform.Channels = setting(platform.Channels(), "Mattermost.")
    matrix: platform.Matrix = setting(platform.Matrix(), "Matrix.")
    platforms: dict[str, Any] = setting(
        {}, "What a platform needs beyond this, by its name: api-server, webhook, telegram, matrix.", works=True
    )
    approvals: platform.Approvals = setting(platform.Approvals(), "Who is asked before something dangerous.")
    command_allowlist: list[str] = setting(
        [], "Dangerous commands that run without asking, each word for word.", works=True
    )
    cron: platform.Cron = setting(platform.Cron(), "Scheduled jobs.")


# Where each group of the documents begins; it reaches to the next one.
GROUPS = {"model": "Core", "terminal": "Execution", "display": "Interface", "sessions": "State", "gateway": "Platform"}
