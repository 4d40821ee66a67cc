"""What is kept, for how long, and who may see it."""

from hermes.config.area import Area, setting

RESET_MODES = ("idle", "daily", "both", "none")


class Sessions(Area, works=True):
    database: str = setting(
        "", "Where sessions are kept: a file, or the URL of a database; empty: state.db in the home."
    )
    auto_prune: bool = setting(False, "Whether old sessions are deleted at start-up.")
    retention_days: int = setting(90, "Days an ended session is kept once auto_prune is on.", least=1)
    vacuum_after_prune: bool = setting(True, "Whether the file shrinks after sessions were deleted.")
    min_interval_hours: int = setting(24, "Hours between two automatic prunes.", least=0)
    redact_secrets: bool = setting(False, "Whether keys and passwords are masked before a message is stored.")
    trash_days: int = setting(30, "Days a deleted session stays in the trash; 0: until it is emptied by hand.", least=0)


class ResetRule(Area, works=True):
    mode: str | None = setting(None, "When a session is reset; empty: as elsewhere.", choices=RESET_MODES)
    at_hour: int | None = setting(None, "The hour of a daily reset.", least=0, most=23)
    idle_minutes: int | None = setting(None, "Minutes without a message after which a session is reset.", least=1)
    notify: bool | None = setting(None, "Whether the person is told.")


class SessionReset(Area, works=True):
    mode: str = setting("both", "When a chat begins a new session by itself.", choices=RESET_MODES)
    at_hour: int = setting(4, "The hour of a daily reset, local time.", least=0, most=23)
    idle_minutes: int = setting(1440, "Minutes without a message after which a session is reset.", least=1)
    notify: bool = setting(True, "Whether the person is told.")
    notify_exclude_platforms: list[str] = setting(["api-server", "webhook"], "Platforms where nobody is told.")
    by_type: dict[str, ResetRule] = setting({}, "What is different for dm, group, channel or thread.")
    by_platform: dict[str, ResetRule] = setting({}, "What is different on a platform; it goes before by_type.")


class Memory(Area, works=True):
    memory_enabled: bool = setting(True, "Whether the agent keeps notes.")
    user_profile_enabled: bool = setting(True, "Whether it keeps notes about the person.")
    memory_char_limit: int = setting(2200, "Characters of notes.", least=100)
    user_char_limit: int = setting(1375, "Characters of notes about the person.", least=100)
    provider: str = setting("", "A second memory beside the notes: sessions, or the name of a plugin's; empty: none.")


class Skills(Area, works=True):
    external_dirs: list[str] = setting([], "Folders with skills besides the one in the home.")
    template_vars: bool = setting(True, "Whether a skill's text may name its own folder.")
    inline_shell: bool = setting(False, "Whether commands in a skill's text run when it is read.")
    inline_shell_timeout: int = setting(10, "Seconds such a command may take.", least=1)
    guard_agent_created: bool = setting(False, "Whether skills written by the agent are looked through first.")


class CuratorBackup(Area, works=True):
    enabled: bool = setting(True, "Whether each review keeps a copy of your skills, for when you follow it.")
    keep: int = setting(5, "How many copies stay.", least=1)


class Curator(Area, works=True):
    enabled: bool = setting(True, "Whether your skills are reviewed by themselves.")
    interval_hours: int = setting(168, "Hours between two reviews.", least=1)
    min_idle_hours: float = setting(2.0, "Hours of quiet before one begins.", least=0)
    stale_after_days: int = setting(30, "Days without use after which a skill is stale.", least=1)
    archive_after_days: int = setting(90, "Days without use after which archiving is proposed.", least=1)
    backup: CuratorBackup = setting(CuratorBackup(), "Copies before a change.")


class Checkpoints(Area):
    enabled: bool = setting(False, "Whether files are kept as they were before the agent changes them.")
    max_snapshots: int = setting(20, "Copies of a folder that stay.", least=1)
    max_total_size_mb: int = setting(500, "Megabytes of all of them.", least=1)
    max_file_size_mb: int = setting(10, "Megabytes of a file that is still copied.", least=1)
    auto_prune: bool = setting(True, "Whether old copies are deleted.")
    retention_days: int = setting(7, "Days a copy is kept.", least=1)
    delete_orphans: bool = setting(True, "Whether copies of folders that are gone are deleted.")
    min_interval_hours: int = setting(24, "Hours between two clean-ups.", least=0)


class Privacy(Area):
    redact_pii: bool = setting(False, "Whether names and numbers of people are masked before a model sees them.")


class WebsiteBlocklist(Area, works=True):
    enabled: bool = setting(False, "Whether the list is used.")
    domains: list[str] = setting([], "Sites no tool may open.")
    shared_files: list[str] = setting([], "Files with more of them, one a line.")


class Security(Area):
    redact_secrets: bool = setting(True, "Whether secrets in the output of tools are masked.", works=True)
    allow_private_urls: bool = setting(False, "Whether tools may reach addresses of the local network.", works=True)
    private_hosts: list[str] = setting(
        [], "Hosts that tools may reach though they are on the local network.", works=True
    )
    website_blocklist: WebsiteBlocklist = setting(WebsiteBlocklist(), "Sites no tool may open.")
    tirith_enabled: bool = setting(True, "Whether commands are scanned by tirith where it is installed.")
    tirith_path: str = setting("tirith", "Where it is.")
    tirith_timeout: int = setting(5, "Seconds a scan may take.", least=1)
    tirith_fail_open: bool = setting(True, "Whether a command runs when the scan fails.")


class Logging(Area):
    level: str = setting("INFO", "How much the log tells.", choices=("DEBUG", "INFO", "WARNING", "ERROR"))
    max_size_mb: float = setting(2.0, "Megabytes at which a new log begins.", least=0.1)
    backup_count: int = setting(3, "Older logs that stay.", least=0)


class Plugins(Area, works=True):
    enabled: list[str] = setting([], "Plugins that are used.")
    disabled: list[str] = setting([], "Plugins that are never used.")
    project: bool = setting(False, "Whether plugins in a project's own .hermes folder are found.")
