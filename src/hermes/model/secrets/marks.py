"""Secrets that are known by a mark close to them: a PEM header, `://user:…@`, `Authorization:`.

A mark is a kind, a literal, how far in front of it the pattern begins, the pattern, whose group is the secret, and what
else has to be true of it.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from hermes.model.secrets.base import Secret
from hermes.model.secrets.shapes import UUID
from hermes.model.secrets.values import is_filler, is_key, is_password, is_placeholder, is_reference, within_base64

_AROUND = 300
_Check = Callable[[str, str], bool]  # the secret, and what stands around it


def _is_random(secret: str, around: str) -> bool:
    return not is_filler(secret)


def _is_chosen(secret: str, around: str) -> bool:
    """A password between marks: anything but a placeholder, or the user name once more."""
    return not is_placeholder(secret) and f"{secret}:{secret}" not in around


def _is_login(secret: str, around: str) -> bool:
    """Base64 of `user:password`."""
    try:
        text = base64.b64decode(secret + "=" * (-len(secret) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in text and text.isprintable()


def _is_key_alone(secret: str, around: str) -> bool:
    return is_key(secret)


def _is_credential(secret: str, around: str) -> bool:
    return (is_key(secret) and not is_reference(secret)) or _is_login(secret, around)


def _is_strong(secret: str, around: str) -> bool:
    return is_password(secret, loose=False) and _is_chosen(secret, around)


def _is_signature(secret: str, around: str) -> bool:
    return "sv=" in around and ("se=" in around or "sp=" in around)


def _is_curl_login(secret: str, around: str) -> bool:
    lines = re.split(r"(?<!\\)(?:\n|\\n)", around[: around.rfind(secret)])  # a backslash carries a command on
    return "curl" in lines[-1] and _is_chosen(secret, around)


def _has_session(secret: str, around: str) -> bool:
    return any(is_key(value) for value in re.findall(r"=([^;\s]{1,200})", secret))


def _is_armoured(secret: str, around: str) -> bool:
    """Long lines of base64, not prose about a key."""
    lines = re.split(r"(?:\\+[nrt]|[\s\"'`,>|#*])+", secret)
    return len(secret) >= 16 * len(lines) and any(re.search(r"[A-Za-z0-9+/=]{32}", line) for line in lines)


_BREAK = r"(?:\\+[rn]|\s)"  # the end of a line, within JSON too


def _pem(label: str) -> str:
    body = r"(?:[^-]++|-(?!----))*+-----END [A-Z0-9 ]{0,40}-----"
    cut_off = rf"(?:{_BREAK}++[A-Za-z0-9+/=]{{24,}}+)++"
    return rf"(-----BEGIN {label}-----(?:{body}|{cut_off}))"


_SCHEMES = "postgres postgresql mysql mariadb mongodb mongodb+srv redis rediss amqp amqps mssql clickhouse"
_DATABASE = "(?:" + "|".join(f"(?<={re.escape(scheme)})" for scheme in _SCHEMES.split()) + ")"
_LOGIN = r"://[^\s/:@\"'<>\\]{0,200}:([^\s/\"'<>\\]{3,250})@[\w\[]"

_MarkRow = tuple[str, str, int, str, _Check]

MARKS: tuple[_MarkRow, ...] = (
    ("gcp-service-account-key", "private_key", 0, r"private_key\\*\"\s*:\s*\\*\"" + _pem("PRIVATE KEY"), _is_armoured),
    ("rsa-private-key", "-----BEGIN RSA PRIVATE KEY", 0, _pem("RSA PRIVATE KEY"), _is_armoured),
    ("ec-private-key", "-----BEGIN EC PRIVATE KEY", 0, _pem("EC PRIVATE KEY"), _is_armoured),
    ("dsa-private-key", "-----BEGIN DSA PRIVATE KEY", 0, _pem("DSA PRIVATE KEY"), _is_armoured),
    ("openssh-private-key", "-----BEGIN OPENSSH PRIVATE KEY", 0, _pem("OPENSSH PRIVATE KEY"), _is_armoured),
    ("encrypted-private-key", "-----BEGIN ENCRYPTED PRIVATE KEY", 0, _pem("ENCRYPTED PRIVATE KEY"), _is_armoured),
    ("pgp-private-key", "-----BEGIN PGP PRIVATE KEY", 0, _pem("PGP PRIVATE KEY BLOCK"), _is_armoured),
    ("private-key", "-----BEGIN PRIVATE KEY", 0, _pem("PRIVATE KEY"), _is_armoured),
    (
        "putty-private-key",
        "Private-Lines:",
        0,
        rf"Private-Lines: \d+{_BREAK}+((?:[A-Za-z0-9+/=]{{16,}}+{_BREAK}*+)++)",
        _is_random,
    ),
    ("sentry-dsn", "://", 0, r"://([0-9a-f]{32}(?::[0-9a-f]{32})?)@[\w.-]{0,80}sentry[\w.-]{0,80}/\d", _is_random),
    ("database-password", "://", 0, _DATABASE + _LOGIN, _is_chosen),
    ("url-password", "://", 0, _LOGIN, _is_chosen),
    ("url-token", "://", 0, r"://([^\s/:@\"'<>\\]{20,250})@[\w\[]", _is_credential),
    ("telegram-bot-token", ":AA", 0, r"(?<=\d{8}):(AA[\w-]{33})(?![\w-])", _is_random),
    ("slack-webhook", "hooks.slack.com/", 0, r"hooks\.slack\.com/[a-z]{5,12}/([\w/+-]{20,})", _is_random),
    ("discord-webhook", "/api/webhooks/", 0, r"/api/webhooks/\d{17,20}/([\w-]{60,})", _is_random),
    ("teams-webhook", "/IncomingWebhook/", 0, rf"/IncomingWebhook/([0-9a-f]{{32}}/{UUID}[\w/-]*)", _is_random),
    ("zapier-webhook", "hooks.zapier.com/", 0, r"hooks\.zapier\.com/hooks/[a-z]+/(\d+/\w{5,})", _is_random),
    ("feishu-webhook", "/open-apis/bot/v2/hook/", 0, rf"/open-apis/bot/v2/hook/({UUID})", _is_random),
    ("wecom-webhook", "/cgi-bin/webhook/send", 0, rf"/cgi-bin/webhook/send\?key=({UUID})", _is_random),
    ("dingtalk-webhook", "/robot/send", 0, r"/robot/send\?access_token=([0-9a-f]{64})", _is_random),
    ("fly-token", "fm2_", 0, r"fm2_([A-Za-z0-9+/]{80,}={0,3})", _is_random),
    ("fly-token", "fm1", 0, r"fm1[ar]_([A-Za-z0-9+/]{80,}={0,3})", _is_random),
    ("webhook-secret", "whsec_", 0, r"whsec_([A-Za-z0-9+/]{24,}={0,2})", _is_random),
    ("google-refresh-token", "1//0", 0, r"(?<!\d)(1//0[\w-]{40,})", _is_random),
    ("paypal-braintree-token", "access_token$", 0, r"access_token\$([a-z]+\$[0-9a-z]{16}\$[0-9a-f]{32})", _is_random),
    ("azure-storage-key", "AccountKey=", 0, r"AccountKey=([A-Za-z0-9+/]{86}==)", _is_random),
    ("azure-service-bus-key", "SharedAccessKey=", 0, r"SharedAccessKey=([A-Za-z0-9+/]{43}=)", _is_random),
    ("azure-sas-signature", "sig=", 0, r"sig=([A-Za-z0-9%+/]{40,}={0,2})", _is_signature),
    ("azure-client-secret", "Q~", 4, r"([\w.~-]{3}\dQ~[\w.~-]{30,33}[\w~-])(?![\w~-])", _is_random),
    ("azure-service-key", "JQQJ99", 52, r"([A-Za-z0-9]{52}JQQJ99[A-Za-z0-9]{24,34})(?![\w/+])", _is_random),
    ("azure-devops-token", "AZDO", 76, r"([A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4})(?![\w/+])", _is_random),
    ("aws-secret-access-key", "AKIA", 0, r"AKIA[A-Z0-9]{16}[\s,:;|\"']{1,5}([A-Za-z0-9/+]{40})(?![\w/+=])", _is_random),
    ("terraform-token", ".atlasv1.", 14, r"([A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,})", _is_random),
    ("mailchimp-api-key", "-us", 32, r"([0-9a-f]{32}-us\d{1,2})(?!\w)", _is_random),
    ("new-relic-license-key", "NRAL", 36, r"([0-9a-f]{36}NRAL)(?!\w)", _is_random),
    ("maxmind-license-key", "_mmk", 36, r"([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)(?!\w)", _is_random),
    ("docker-registry-auth", '"auth', 0, r"\"auth\\*\"\s*:\s*\\*\"([A-Za-z0-9+/]{8,}={0,2})\\*\"", _is_login),
)

_TO = r"\\*[\"'`]?\]?\s{0,3}"  # from a name to what it is given
_PHRASE = _TO + r"(?:is|[:=])\s{0,3}\\*[\"'`]?((?-i:(?:[a-z]{3,8} ){11,23}[a-z]{3,8}))(?![a-z])"
_SCHEME = r"(?:[:=]|,(?= ?[\"'])) {0,4}\\*[\"'`]?(?:[a-z][\w-]{2,30} +)?"
_AUTHORIZATION = "(?<![a-z0-9])authorization" + _TO + _SCHEME
_CRUMB = r"[\w.$-]{1,60}=[^;\s\"'`\\]{0,4000}+"
_COOKIES = rf"({_CRUMB}(?:; ?(?:{_CRUMB}|[\w-]{{1,60}}))*+)"
_USER = r"[ =]{1,3}\\*[\"']?[^\s:\"'\\]{1,80}:([^\s\"'\\]{3,200})"

# The same, in either case.
SPOKEN: tuple[_MarkRow, ...] = (
    ("authorization-header", "authorization", 0, _AUTHORIZATION + r"([\w.~+/=:-]{8,})", _is_credential),
    ("bearer-token", "bearer ", 0, r"bearer +([\w.~+/=-]{16,})", _is_key_alone),
    ("basic-credentials", "basic ", 0, r"basic +([A-Za-z0-9+/]{8,}={0,2})(?![\w+/=])", _is_login),
    ("cookie", "cookie", 0, "cookie" + _TO + r": *\\*[\"'`]?" + _COOKIES, _has_session),
    ("curl-password", " -u", 0, " -u" + _USER, _is_curl_login),
    ("curl-password", " --user", 0, " --user" + _USER, _is_curl_login),
    ("ssh-password", "sshpass -p", 0, r"sshpass -p *\\*[\"']?([^\s\"'\\]{3,200})", _is_chosen),
    ("sql-password", "identified by", 0, r"identified by +(?:password +)?\\*['\"]([^'\"\\]{6,200})", _is_strong),
    ("sql-password", "password '", 0, r"password '([^'\\]{6,200})'", _is_strong),
    ("netrc-password", "machine ", 0, r"machine\s+\S{1,200}\s+login\s+\S{1,200}\s+password\s+(\S{3,200})", _is_chosen),
    ("seed-phrase", "phrase", 0, "phrase" + _PHRASE, _is_random),
    ("seed-phrase", "mnemonic", 0, "mnemonic" + _PHRASE, _is_random),
)


@dataclass(frozen=True, slots=True)
class _Mark:
    kind: str
    back: int
    pattern: re.Pattern[str]
    check: _Check

    def match(self, text: str, at: int) -> re.Match[str] | None:
        match = self.pattern.match(text, at - self.back) if at >= self.back else None
        return None if match and self.back and not _is_border(text, match.start()) else match

    def secret(self, match: re.Match[str]) -> Secret | None:
        around = match.string[max(0, match.start() - _AROUND) : match.end() + _AROUND]
        return Secret(self.kind, match.start(1), match.end(1)) if self.check(match[1], around) else None


_ESCAPE_BEFORE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[a-z])\Z|%[0-9a-fA-F]{2}\Z|[\[;]\d{1,3}m\Z")


def _is_border(text: str, start: int) -> bool:
    """Whether a key can begin here: not within a word, unless the word is an escape."""
    before = text[max(0, start - 6) : start]
    if before[-1:].isascii() and (before[-1:].isalnum() or before.endswith("_")):
        return bool(_ESCAPE_BEFORE.search(before))
    return not within_base64(text, start)


def _marks_by_literal(rows: tuple[_MarkRow, ...], flags: int) -> dict[str, list[_Mark]]:
    literals: dict[str, list[_Mark]] = {}
    for kind, literal, back, pattern, check in rows:
        literals.setdefault(literal, []).append(_Mark(kind, back, re.compile(pattern, re.ASCII | flags), check))
    return literals


_BY_LITERAL = _marks_by_literal(MARKS, 0)
_BY_SPOKEN_LITERAL = _marks_by_literal(SPOKEN, re.IGNORECASE)


def marked(text: str, lowered: str) -> Iterator[Secret]:
    for literals, searched in ((_BY_LITERAL, text), (_BY_SPOKEN_LITERAL, lowered)):
        for literal, marks in literals.items():
            if literal in searched:
                yield from _marked_by(literal, marks, text, searched)


def _marked_by(literal: str, marks: list[_Mark], text: str, searched: str) -> Iterator[Secret]:
    at = searched.find(literal)
    while at >= 0:
        follow = at + len(literal)
        for mark in marks:
            if match := mark.match(text, at):
                follow = max(follow, match.end())
                if secret := mark.secret(match):
                    yield secret
        at = searched.find(literal, follow)
