"""Where a session came from. The documented tags are known; any other is accepted."""

from hermes.errors import BadInput
from hermes.model.text import is_storable

SOURCES = {
    "cli": "Interactive CLI (`hermes` or `hermes chat`)",
    "telegram": "Telegram messenger",
    "discord": "Discord server/DM",
    "slack": "Slack workspace",
    "whatsapp": "WhatsApp messenger",
    "signal": "Signal messenger",
    "matrix": "Matrix rooms and DMs",
    "mattermost": "Mattermost channels",
    "email": "Email (IMAP/SMTP)",
    "sms": "SMS via Twilio",
    "dingtalk": "DingTalk messenger",
    "feishu": "Feishu/Lark messenger",
    "wecom": "WeCom (WeChat Work)",
    "weixin": "Weixin (personal WeChat)",
    "bluebubbles": "Apple iMessage via BlueBubbles macOS server",
    "qqbot": "QQ Bot (Tencent QQ) via Official API v2",
    "homeassistant": "Home Assistant conversation",
    "webhook": "Incoming webhooks",
    "api-server": "API server requests",
    "acp": "ACP editor integration",
    "cron": "Scheduled cron jobs",
    "batch": "Batch processing runs",
}

# What the operator does on this machine, so its owner is `local` whatever user id comes with it.
LOCAL_SOURCES = frozenset({"cli", "tui", "acp", "cron", "batch", "tool", "subagent", "unknown"})

# Machines talking to themselves: ranked below people's conversations.
AUTOMATION_SOURCES = frozenset({"cron", "batch", "tool", "subagent"})

# What people's lists leave out until it is asked for: scheduled jobs would fill them.
UNLISTED = ("cron",)


def check_source(source: object) -> str:
    if not isinstance(source, str) or not source.strip():
        raise BadInput("A session needs a source, such as 'cli' or 'telegram'.")
    if len(source) > 100 or not is_storable(source) or not source.isprintable():
        raise BadInput(f"{source[:40]!r} cannot be a source: up to 100 printable characters.")
    return source
