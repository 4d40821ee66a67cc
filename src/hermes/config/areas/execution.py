"""Where tools run and what they may take: terminal, web, browser, output limits, compression."""

from hermes.config.area import Area, setting

SEARCH_BACKENDS = ("brave_free", "ddgs", "exa", "firecrawl", "parallel", "searxng", "tavily", "xai")
_WHO = f"{', '.join(SEARCH_BACKENDS)}, or a plugin's"


class Terminal(Area, works=True):
    backend: str = setting("local", "Where commands run.", works=False)
    cwd: str = setting(".", "The folder commands start in.")
    timeout: int = setting(180, "Seconds a command may take.", least=1)
    env_passthrough: list[str] = setting([], "Variables commands may see beyond the harmless ones.")
    shell_init_files: list[str] = setting([], "Files the shell reads first.")
    auto_source_bashrc: bool = setting(True, "Whether the shell reads ~/.bashrc.")
    persistent_shell: bool = setting(True, "Whether folder and variables last from one command to the next.")


class Web(Area, works=True):
    backend: str = setting("", f"Who searches and reads pages: {_WHO}; empty goes by the key present.")
    search_backend: str = setting("", "Who searches, where it is another one.")
    extract_backend: str = setting("", "Who reads pages, where it is another one.")


class Browser(Area):
    engine: str = setting("auto", "Which browser is driven: the name of a plugin's; auto: the first.", works=True)
    cdp_url: str = setting("", "A running browser to connect to instead.")
    inactivity_timeout: int = setting(120, "Seconds after which an idle browser is closed.", least=1, works=True)
    command_timeout: int = setting(30, "Seconds a single step may take.", least=1, works=True)
    record_sessions: bool = setting(False, "Whether visits are recorded.")
    allow_private_urls: bool = setting(False, "Whether addresses of the local network may be opened.", works=True)


class Compression(Area, works=True):
    enabled: bool = setting(True, "Whether a long conversation is compressed by itself.")
    threshold: float = setting(0.5, "The part of the window at which it happens.", least=0.05, most=1)
    target_ratio: float = setting(0.2, "The part of the threshold kept as it is.", least=0.05, most=0.9)
    protect_first_n: int = setting(3, "Messages at the start that stay.", least=0)
    protect_last_n: int = setting(20, "Messages at the end that stay.", least=1)


class ToolOutput(Area, works=True):
    max_bytes: int = setting(50_000, "Bytes of a result the model gets to see.", least=1000)
    max_lines: int = setting(2000, "Lines of a result the model gets to see.", least=10)
    max_line_length: int = setting(2000, "Characters of one line.", least=80)


class LoopLimits(Area):
    exact_failure: int = setting(2, "The same call failing in the same way.", least=1)
    same_tool_failure: int = setting(3, "The same tool failing.", least=1)
    idempotent_no_progress: int = setting(2, "The same answer to the same question.", least=1)


class ToolLoopGuardrails(Area):
    warnings_enabled: bool = setting(True, "Whether the model is told that it goes in circles.")
    hard_stop_enabled: bool = setting(False, "Whether the turn ends when it does not listen.")
    warn_after: LoopLimits = setting(LoopLimits(), "How often before the model is told.")
    hard_stop_after: LoopLimits = setting(
        LoopLimits(exact_failure=5, same_tool_failure=8, idempotent_no_progress=5), "How often before the turn ends."
    )


class CodeExecution(Area):
    mode: str = setting(
        "project", "Where scripts run: in the project's folder or in one of their own.", choices=("project", "strict")
    )


class McpServer(Area, works=True):
    command: str = setting("", "The program to start, for a server over stdio.")
    args: list[str] = setting([], "Its arguments.")
    env: dict[str, str] = setting({}, "Its variables.")
    url: str = setting("", "The address, for a server over HTTP.")
    headers: dict[str, str] = setting({}, "Headers sent with every request.")
    timeout: int = setting(120, "Seconds a call may take.", least=1)
    connect_timeout: int = setting(60, "Seconds it may take to start or to be connected to.", least=1)
    enabled: bool = setting(True, "Whether the server is used.")
