"""What a person or a program calls a secret. The value decides."""

import re
from collections.abc import Iterator
from functools import lru_cache

from hermes.model.secrets.base import Secret
from hermes.model.secrets.shapes import BASE58, UUID
from hermes.model.secrets.values import WORDS, is_key, is_password, is_placeholder, is_reference, is_variable, words_of

_LONGEST_VALUE = 4000
_ELSEWHERE = ("kennwort", "contraseña", "senha", "пароль", "密码", "密碼", "パスワード", "비밀번호")
_NAME_PARTS = ("pass", "pwd", "secret", "token", "key", *_ELSEWHERE)
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "passwort", "pwd", *_ELSEWHERE)
_KEYS = ("apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey", "masterkey")
_KEY_OF = words_of("""api access secret private encryption signing auth account master shared service app application
    client consumer admin deploy webhook storage subscription license session jwt hmac security management write""")
# `token_count`, `password_file`: about a secret, not one.
_NOT_AFTER = words_of("""hash hashed count counts type types id ids name names url uri endpoint file filename path dir
    length len size expiry expires expire expiration exp ttl age at limit limits budget usage used field policy env var
    ref arn version rotation required enabled strategy manager store provider pattern regex prefix suffix format label
    hint prompt placeholder title text message error help description index idx map class input reset changed salt
    algorithm fingerprint alias namespace sha md and""")
_NOT_BEFORE = words_of("""public publishable page next prev previous continuation continue sync cancel cancellation eos
    bos pad unk sep cls mask stop special design max min num total prompt completion primary foreign sort partition
    cache idempotency request change input output starting lock""")
_WORDS_ANYWHERE = re.compile(r"[^\W\d_]+|\d+")

_HEX32 = "[0-9a-f]{32}"
_HEX40 = "[0-9a-f]{40}"
_HEX64 = "[0-9a-f]{64}"
# Kind, words of which one is in the name or right before it (`a+b`: both), and what the value looks like.
PROVIDERS = (
    ("aws-secret-access-key", "aws+secret secret+access", "[A-Za-z0-9/+]{40}"),
    ("aws-session-token", "session", "[A-Za-z0-9/+=]{100,}"),
    ("mistral-api-key", "mistral", "[A-Za-z0-9]{32}"),
    ("cohere-api-key", "cohere co", "[A-Za-z0-9]{40}"),
    ("exa-api-key", "exa", UUID),
    ("zhipu-api-key", "zhipu zhipuai glm zai", _HEX32 + r"\.[A-Za-z0-9]{16}"),
    ("azure-openai-key", "azure", _HEX32),
    ("serpapi-key", "serpapi", _HEX64),
    ("serper-api-key", "serper", _HEX40),
    ("deepgram-api-key", "deepgram", _HEX40),
    ("wandb-api-key", "wandb", _HEX40),
    ("cloudflare-api-key", "cloudflare cf", "[0-9a-f]{37,45}|[A-Za-z0-9_-]{40}"),
    ("datadog-key", "datadog dd", f"{_HEX32}|{_HEX40}"),
    ("algolia-api-key", "algolia", _HEX32),
    ("okta-token", "okta", r"00[\w-]{40}"),
    ("linkedin-secret", "linkedin", "[A-Za-z0-9]{16}"),
    ("twilio-auth-token", "twilio", _HEX32),
    ("heroku-api-key", "heroku", UUID),
    ("vercel-token", "vercel", "[A-Za-z0-9]{24}"),
    ("fastly-api-token", "fastly", r"[\w-]{32}"),
    ("railway-token", "railway", UUID),
    ("hetzner-token", "hetzner hcloud", "[A-Za-z0-9]{64}"),
    ("linode-token", "linode", _HEX64),
    ("postmark-token", "postmark", UUID),
    ("snyk-token", "snyk", UUID),
    ("codecov-token", "codecov", UUID),
    ("spotify-secret", "spotify", _HEX32),
    ("discord-client-secret", "discord", r"[\w-]{32}"),
    ("facebook-app-secret", "facebook fb", _HEX32),
    ("twitter-secret", "twitter", "[A-Za-z0-9]{45}|[A-Za-z0-9]{50}"),
    ("mattermost-token", "mattermost mm", "[a-z0-9]{26}"),
    ("plex-token", "plex", r"[\w-]{20}"),
    ("todoist-token", "todoist", _HEX40),
    ("gitea-token", "gitea forgejo codeberg", _HEX40),
    ("vault-token", "vault", "[sbr]\\.[A-Za-z0-9]{24}"),
    ("bitcoin-private-key", "bitcoin btc wif private", f"[5KL9c]{BASE58}{{50,51}}"),
    ("ethereum-private-key", "ethereum eth wallet private", "0x[0-9a-fA-F]{64}"),
    ("ethereum-private-key", "ethereum eth wallet", "[0-9a-fA-F]{64}"),
    ("wireguard-private-key", "private preshared", "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="),
)


def _providers_by_word() -> dict[str, list[tuple[str, list[str], re.Pattern[str]]]]:
    words: dict[str, list[tuple[str, list[str], re.Pattern[str]]]] = {}
    for kind, hints, shape in PROVIDERS:
        for hint in hints.split():
            first, *others = hint.split("+")
            words.setdefault(first, []).append((kind, others, re.compile(shape)))
    return words


_BY_WORD = _providers_by_word()

_ASSIGNED = re.compile(
    r"""(?P<tail>[\w-]{0,40}+)(?:
        (?P<prose>[ \t]+(?:is|was|ist|es|est)[ \t]*:?[ \t]+|是)
      | (?P<pair>\\*["']?\s{0,20},?\s{1,20}\\*["']?value\\*["']?[ \t]*[:=][ \t]*)
      | (?P<equals>(?:\\*["'`]\]?)?[ \t]*
          (?::[ ]?[A-Za-z_][\w.]{0,40}(?:\[[\w.,|\ \[\]]{0,40}\])?(?:\ ?\|\ ?\w{1,40})?\ =\ |=>|:=|={1,3}|::?|：)[ \t]*)
      | (?P<tag>>)
      | (?P<flag>[ \t]+)
    )""",
    re.VERBOSE,
)
_NAME_BACKWARDS = re.compile(r"[\w.\- ]+")
_QUOTE = re.compile(r"[bBrRuUfF]{0,2}(\\*)([\"'`])")
_BARE = re.compile(rf"[^\s\"'`<>(){{}}\[\],;|&\\\u3000-\u9fff\uac00-\ud7af\uff00-\uffef]{{1,{_LONGEST_VALUE}}}+")
_BARE_ENV = re.compile(rf"[^\s\"'`\\]{{1,{_LONGEST_VALUE}}}+")


def named(text: str, lowered: str) -> Iterator[Secret]:
    for part in _NAME_PARTS:
        at = lowered.find(part)
        while at >= 0:
            if (match := _ASSIGNED.match(text, at)) and (secret := _assigned(text, match)):
                yield secret
            at = lowered.find(part, at + len(part))


def _assigned(text: str, match: re.Match[str]) -> Secret | None:
    """The value given to a name, when both are those of a secret."""
    at, how = match.start(), match.lastgroup
    if how == "flag" and text.rfind("--", max(0, at - 40), at) < 0:
        return None
    before = _name_before(text[max(0, at - 40) : at])
    front = text[max(0, at - len(before) - 1) : at - len(before)]
    noun, words = noun_of(before + match["tail"])
    if noun is None or not _is_given(match, front, before):
        return None
    env = match[0].endswith("=") and match["tail"].isupper() and front not in ("?", "&")
    start, end, quoted = _value_at(text, match.end(), env=env)
    if how == "tag" and not text.startswith("</", end):
        return None
    kind = kind_named(noun, words, text[start:end], quoted=quoted)
    return Secret(kind, start, end) if kind else None


def _name_before(text: str) -> str:
    match = _NAME_BACKWARDS.match(text[::-1])
    return match[0][::-1] if match else ""


def _is_given(match: re.Match[str], front: str, before: str) -> bool:
    """Whether what stands behind the name is its value, by what stands in front."""
    if match.lastgroup == "flag":
        return before.rpartition(" ")[2].startswith("--")
    if match.lastgroup == "tag":
        return front == "<"
    return not (front == ":" and match.lastgroup == "equals" and ":" in match[0])  # a part of an ARN, a type's name


def _value_at(text: str, at: int, *, env: bool) -> tuple[int, int, bool]:
    """Start and end of the value, and whether it stood in quotes."""
    quote = _QUOTE.match(text, at)
    if quote:
        end = _closing(text, quote.end(), quote[2], len(quote[1]))
        if end >= 0:
            return quote.end(), end, True
        at = quote.end()
    bare = (_BARE_ENV if env else _BARE).match(text, at)
    if bare is None or text[bare.end() : bare.end() + 1] in ("(", "["):  # a call, an item: code
        return at, at, False
    return at, at + len(bare[0].rstrip(".,:")), False


def _closing(text: str, start: int, quote: str, depth: int) -> int:
    """Where the string ends that `depth` backslashes and this quote opened: JSON within JSON has them doubled."""
    limit = start + _LONGEST_VALUE
    line_end = text.find("\n", start, limit)
    limit = limit if line_end < 0 else line_end
    at = text.find(quote, start, limit)
    while at >= 0:
        before = text[max(start, at - 64) : at]
        slashes = len(before) - len(before.rstrip("\\"))
        if slashes % (2 * depth + 2) == depth:
            return at - depth
        at = text.find(quote, at + 1, limit)
    return -1


@lru_cache(maxsize=256)  # a log has few names, many times
def noun_of(name: str) -> tuple[str | None, tuple[str, ...]]:
    """What the name says its value is (None: nothing we know), and the words of the name and in front of it."""
    around, _, name = name.rpartition(" ")
    own = _words(name)
    words = (*_words(around), *own)
    for index in range(len(words) - 1, len(words) - len(own) - 1, -1):
        if kind := _noun_at(words, index):
            if _NOT_AFTER.intersection(words[index + 1 :]) or _NOT_BEFORE.intersection(
                words[max(0, index - 2) : index]
            ):
                return None, words
            if kind == "key" and _BY_WORD.keys().isdisjoint(words):
                return None, words
            return ("password" if kind == "pass" and len(own) > 1 else kind), words
    return None, words


def _words(name: str) -> list[str]:
    return [word.lower() for word in (WORDS if name.isascii() else _WORDS_ANYWHERE).findall(name)]


def _noun_at(words: tuple[str, ...], index: int) -> str | None:
    word = words[index]
    before = words[index - 1] if index else ""
    if word.endswith(_PASSWORDS):
        return "password"
    if word == "pass":
        return "pass"
    if word.endswith("token"):
        return "token"
    if word.endswith("secret"):
        return "secret"
    if word.endswith(_KEYS) or (word == "key" and before in _KEY_OF):
        return "private-key" if "private" in (before, word[:7]) else "api-key"
    return "key" if word == "key" else None  # of somebody we know, or none


def kind_named(noun: str, words: tuple[str, ...], value: str, *, quoted: bool, loose: bool = False) -> str | None:
    for word in words:
        for kind, others, shape in _BY_WORD.get(word, ()):
            if shape.fullmatch(value) and all(other in words for other in others) and not is_placeholder(value):
                return kind
    if noun == "key" or (noun == "pass" and not quoted):  # of nobody we know; a verb
        return None
    noun = "password" if noun == "pass" else noun
    fits = is_password(value, loose=loose) if noun == "password" else is_key(value, shortest=8 if loose else 10)
    if not fits or is_placeholder(value) or is_reference(value) or (not quoted and is_variable(value)):
        return None
    return noun
