"""The gateway and what is particular to one platform, schedules, and who is asked before something dangerous."""

from hermes.config.area import Area, setting


class Gateway(Area, works=True):
    allow_all_users: bool = setting(False, "Whether strangers may talk to the agent.")
    allowed_users: list[str] = setting([], "Who may talk to it, as platform:user.")
    admin_users: list[str] = setting([], "Who may use administrative commands, as platform:user.")
    pairing: bool = setting(True, "Whether a stranger in a direct message gets a pairing code.")
    messages_per_minute: int = setting(20, "Messages a person may send in a minute; 0: no limit.", least=0)
    identities: dict[str, list[str]] = setting(
        {}, "People with several accounts: a name, and its accounts as platform:user."
    )
    health_host: str = setting("127.0.0.1", "Where `/health` is answered, whatever else is served.")
    health_port: int | None = setting(
        0, "Its port; 0: a free one, which `hermes gateway status` tells; empty: none.", least=0
    )


class Streaming(Area, works=True):
    enabled: bool = setting(False, "Whether an answer in a chat grows while it is written.")
    transport: str = setting("edit", "How: by editing the message.", choices=("auto", "edit", "off"))
    edit_interval: float = setting(1.0, "Seconds between two edits.", least=0.1)
    buffer_threshold: int = setting(40, "Characters that make an edit worth while.", least=1)
    cursor: str = setting(" ▉", "What stands at the end while it grows.")


class Channels(Area):
    """What platforms with channels have in common."""

    require_mention: bool = setting(True, "Whether the agent answers in a channel only when it is named.")
    free_response_channels: list[str] = setting([], "Channels where it always answers.")
    allowed_channels: list[str] = setting([], "The only channels it answers in; empty: all.")
    channel_prompts: dict[str, str] = setting({}, "Text added to the prompt in one channel, by its id.")


class Discord(Area):
    require_mention: bool = setting(True, "Whether the agent answers in a channel only when it is named.")
    thread_require_mention: bool = setting(False, "Whether that holds in threads too.")
    free_response_channels: list[str] = setting([], "Channels where it always answers.")
    allowed_channels: list[str] = setting([], "The only channels it answers in; empty: all.")
    channel_prompts: dict[str, str] = setting({}, "Text added to the prompt in one channel, by its id.")
    auto_thread: bool = setting(True, "Whether an answer in a channel opens a thread.")
    reactions: bool = setting(True, "Whether it shows by reactions that it works.")
    history_backfill: bool = setting(True, "Whether it reads what was said before it was named.")
    history_backfill_limit: int = setting(50, "How many messages of it.", least=0)


class Telegram(Area, works=True):
    reactions: bool = setting(False, "Whether it shows by reactions that it works.")
    allowed_chats: list[str] = setting([], "The only chats it answers in; empty: all.")
    channel_prompts: dict[str, str] = setting({}, "Text added to the prompt in one chat or topic, by its id.")


class Matrix(Area, works=True):
    require_mention: bool = setting(True, "Whether the agent answers in a room only when it is named.")
    free_response_rooms: list[str] = setting([], "Rooms where it always answers.")
    allowed_rooms: list[str] = setting([], "The only rooms it answers in; empty: all.")


class Whatsapp(Area):
    require_mention: bool = setting(False, "Whether the agent answers in a group only when it is named.")
    free_response_chats: list[str] = setting([], "Groups where it always answers.")
    allowed_chats: list[str] = setting([], "The only chats it answers in; empty: all.")


class Approvals(Area):
    mode: str = setting(
        "manual",
        "Who decides on a dangerous command: you, the auxiliary model and you, or nobody.",
        choices=("manual", "smart", "off"),
        works=True,
    )
    timeout: int = setting(60, "Seconds a question stays open; then the answer is no.", least=1, works=True)
    cron_mode: str = setting("deny", "What a scheduled job may do.", choices=("deny", "approve"), works=True)
    mcp_reload_confirm: bool = setting(True, "Whether reloading MCP servers asks first.")
    destructive_slash_confirm: bool = setting(
        True, "Whether commands that delete what was said (/undo, /rewind) ask first.", works=True
    )


class Cron(Area, works=True):
    wrap_response: bool = setting(True, "Whether a delivered answer says which job it is from.")
    max_parallel_jobs: int | None = setting(None, "Jobs at work at once; empty: no limit.", least=1)
