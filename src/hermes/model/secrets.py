"""Secrets in text: how they are known, and how they are masked.

A key is known by its own shape (`ghp_…`, `AKIA…`), by a mark close to it (`://user:…@`, a PEM
header), or by the name it is given (`DB_PASSWORD=…`, `"api_key": "…"`); a name alone is not enough,
the value has to look random too. What a mask leaves is the kind and at most the prefix that every
such key has: `ghp_…[redacted github-personal-token]`, `[redacted: password]`.

Ordinary text is cheap: shapes are tried only where a long run of key characters begins, everything
else only where a literal was found. No pattern can backtrack over more than a bounded stretch.
"""

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any


@dataclass(frozen=True, slots=True)
class Secret:
    """`text[start:end]` is a secret; its first `shown` characters are a public prefix and stay readable."""

    kind: str
    start: int
    end: int
    shown: int = 0


def find_secrets(text: str) -> list[Secret]:
    """Every secret in the text, in order; where several readings overlap, one that covers them all."""
    lowered = text.replace("\u0130", "i").lower()  # character for character: İ alone becomes two
    return _merged([*_shaped(text), *_marked(text, lowered), *_named(text, lowered)])


def redact(text: str) -> tuple[str, int]:
    """The text with its secrets masked, and how many there were. A second call changes nothing."""
    return _redact_word(text) if len(text) <= _WORD else _redact(text)


@lru_cache(maxsize=2048)
def _redact_word(text: str) -> tuple[str, int]:
    """Names of columns, roles, models: the same ones again and again."""
    return _redact(text)


def _redact(text: str) -> tuple[str, int]:
    count = 0
    for _ in range(_MOST_PASSES):  # a mask can bare what was too close to another secret to be seen
        secrets = find_secrets(text)
        if not secrets:
            break
        text = _mask_all(text, secrets)
        count += len(secrets)
    return text, count


def redact_value(value: Any) -> tuple[Any, int]:
    """A copy of JSON-like data with the secrets masked, and how many there were.

    What stands under a key such as `password`, `api_key` or `Authorization` needs to look less random than in
    running text. Tuples come back as lists; what is neither text nor a container comes back as it is.
    """
    root: list[Any] = [value]
    todo: list[list[Any] | dict[Any, Any]] = [root]
    count = 0
    while todo:  # not recursive: nesting has no limit
        container = todo.pop()
        for key, item in list(container.items() if isinstance(container, dict) else enumerate(container)):
            if isinstance(item, str):
                container[key], found = _redact_item(container, key, item)
                count += found
            elif isinstance(item, dict):
                container[key], found = _redact_keys(item)
                count += found
                todo.append(container[key])
            elif isinstance(item, list | tuple):
                container[key] = list(item)
                todo.append(container[key])
    return root[0], count


_WORD = 40  # characters
_MOST_PASSES = 8
_LONGEST_VALUE = 4000
_AROUND = 300
_ENOUGH = 200  # so many characters of a value show what it is


# Shapes: kind, the prefixes (one of which such a key begins with), and what follows the prefix.

_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_MIXED = r"(?=[\w-]{0,60}?\d)(?=[\w-]{0,60}?[A-Z])"  # short prefixes need a digit and a capital soon after
_DIGIT = r"(?=[\w-]{0,60}?\d)"
# As in chance: two of each.
_RESTLESS = r"(?=(?:[\w-]{0,30}?\d){2})(?=(?:[\w-]{0,30}?[A-Z]){2})"
_BASE58 = "[1-9A-HJ-NP-Za-km-z]"

_SHAPES = (
    # models and what they search with
    ("anthropic-api-key", "sk-ant-api", r"\d\d-[\w-]{32,}"),
    ("anthropic-admin-key", "sk-ant-admin", r"\d\d-[\w-]{32,}"),
    ("anthropic-oauth-token", "sk-ant-oat sk-ant-ort", r"\d\d-[\w-]{32,}"),
    ("anthropic-session-key", "sk-ant-sid", r"\d\d-[\w-]{32,}"),
    ("openai-project-key", "sk-proj- sk-None-", r"[\w-]{40,}"),
    ("openai-service-account-key", "sk-svcacct-", r"[\w-]{40,}"),
    ("openai-admin-key", "sk-admin-", r"[\w-]{40,}"),
    ("openrouter-api-key", "sk-or-", r"v\d-[0-9a-f]{64}"),
    ("langfuse-secret-key", "sk-lf-", _UUID),
    ("deepseek-api-key", "sk-", r"[0-9a-f]{32}"),
    ("openai-api-key", "sk-", _DIGIT + r"[A-Za-z0-9]{20,}"),
    ("sk-api-key", "sk-", _RESTLESS + r"[\w-]{22,}"),  # of a proxy, or of one of the many who copied the prefix
    ("google-api-key", "AIza", r"[\w-]{35,}"),
    ("google-auth-key", "AQ.Ab", r"[\w-]{40,}"),
    ("google-oauth-secret", "GOCSPX-", r"[\w-]{24,}"),
    ("google-access-token", "ya29.", r"[\w-]{20,}(?:\.[\w-]+)?"),
    ("huggingface-token", "hf_ api_org_", r"[A-Za-z0-9]{34,}"),
    ("replicate-token", "r8_", r"[A-Za-z0-9]{37,}"),
    ("groq-api-key", "gsk_", r"[A-Za-z0-9]{50,}"),
    ("xai-api-key", "xai-", r"[A-Za-z0-9]{70,}"),
    ("perplexity-api-key", "pplx-", r"[A-Za-z0-9]{40,}"),
    ("cerebras-api-key", "csk-", r"[a-z0-9]{48,}"),
    ("fireworks-api-key", "fw_", _DIGIT + r"[A-Za-z0-9]{22,24}"),
    ("together-api-key", "tgp_v1_", r"[\w-]{40,}"),
    ("nvidia-api-key", "nvapi-", r"[\w-]{60,}"),
    ("voyage-api-key", "pa-", _MIXED + r"[\w-]{43}"),
    ("jina-api-key", "jina_", r"[\w-]{56,}"),
    ("elevenlabs-api-key", "sk_", r"[0-9a-f]{48}"),
    ("pinecone-api-key", "pcsk_", r"\w{50,}"),
    ("langsmith-api-key", "lsv2_", r"(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    ("tavily-api-key", "tvly-", _DIGIT + r"[A-Za-z0-9-]{20,}"),
    ("firecrawl-api-key", "fc-", r"[0-9a-f]{32}"),
    ("brave-api-key", "BSA", _MIXED + r"[\w-]{26,29}"),
    ("apify-token", "apify_api_", r"[A-Za-z0-9]{36,}"),
    ("browserbase-api-key", "bb_live_", r"[\w-]{24,}"),
    ("e2b-api-key", "e2b_", r"[0-9a-f]{40}"),
    # clouds and hosting
    ("aws-access-key-id", "AKIA ASIA ABIA ACCA", r"[A-Z0-9]{16}"),
    ("aws-bedrock-key", "ABSK", _MIXED + r"[A-Za-z0-9+/]{100,}={0,2}"),
    ("aws-bedrock-key", "bedrock-api-key-", r"[A-Za-z0-9+/=]{28,}"),
    ("alibaba-access-key-id", "LTAI", _MIXED + r"[A-Za-z0-9]{16,20}"),
    ("tencent-secret-id", "AKID", _MIXED + r"[A-Za-z0-9]{32}"),
    ("yandex-api-key", "AQVN", _MIXED + r"[\w-]{35,38}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    ("heroku-api-key", "HRKU-", r"[\w-]{36,}"),
    ("fly-token", "fo1_", r"[\w-]{43}"),
    ("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", r"[\w-]{24,}"),
    ("netlify-token", "nfp_ nfc_ nfo_ nfu_", r"[A-Za-z0-9]{36,}"),
    ("render-api-key", "rnd_", r"[A-Za-z0-9]{28,}"),
    ("cloudflare-api-token", "cfut_ cfat_ cfk_", r"[A-Za-z0-9]{40,}"),
    ("cloudflare-origin-ca-key", "v1.0-", r"[0-9a-f]{24}-[0-9a-f]{146}"),
    ("supabase-access-token", "sbp_", r"(?:v0_)?[0-9a-f]{40}"),
    ("supabase-secret-key", "sb_secret_", r"[\w-]{30,}"),
    ("neon-api-key", "napi_", r"[a-z0-9]{60,}"),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[\w.=-]{32,}"),
    ("databricks-token", "dapi dkea", r"[0-9a-f]{32}(?:-\d)?"),
    ("tailscale-key", "tskey-", r"(?:auth|api|client|webhook|scim)-[A-Za-z0-9]{8,}(?:-[A-Za-z0-9]{16,})?"),
    ("openshift-token", "sha256~", r"[\w-]{43}"),
    # code hosting, builds, packages
    ("github-personal-token", "ghp_", r"[A-Za-z0-9]{36,}"),
    ("github-oauth-token", "gho_", r"[A-Za-z0-9]{36,}"),
    ("github-user-token", "ghu_", r"[A-Za-z0-9]{36,}"),
    ("github-app-token", "ghs_", r"[A-Za-z0-9]\w{35,}(?:[\w-]*\.[\w-]+\.[\w-]+)?"),
    ("github-app-token", "ghs_", r"\d+_eyJ[\w-]+\.[\w-]+\.[\w-]+"),
    ("github-refresh-token", "ghr_", r"[A-Za-z0-9]{36,}"),
    ("github-fine-grained-token", "github_pat_", r"[A-Za-z0-9]{22}_[A-Za-z0-9]{59}"),
    ("gitlab-personal-token", "glpat-", r"[\w-]{20,}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?"),
    ("gitlab-deploy-token", "gldt-", r"[\w-]{20,}"),
    ("gitlab-runner-token", "glrt- glrtr- GR1348941", r"[\w-]{20,}(?:\.[0-9a-z]{2}\.?[0-9a-z]{7,9})?"),
    ("gitlab-job-token", "glcbt-", r"[\w-]{20,}"),
    ("gitlab-trigger-token", "glptt-", r"[\w-]{20,}"),
    ("gitlab-agent-token", "glagent-", r"[\w-]{40,}"),
    ("gitlab-oauth-secret", "gloas-", r"[\w-]{64,}"),
    ("gitlab-feed-token", "glft- glimt- glsoat- glffct-", r"[\w-]{20,}"),
    ("bitbucket-app-password", "ATBB", r"[A-Za-z0-9]{32}"),
    ("bitbucket-access-token", "ATCTT3", r"[\w=-]{100,}"),
    ("atlassian-api-token", "ATATT3", r"[\w=-]{60,}"),
    ("trello-token", "ATTA", r"[A-Za-z0-9]{60,}"),
    ("sourcegraph-token", "sgp_", r"(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}"),
    ("npm-token", "npm_", r"[A-Za-z0-9]{36,}"),
    ("pypi-token", "pypi-AgEI pypi-AgEN", r"[\w-]{50,}"),
    ("rubygems-key", "rubygems_", r"[0-9a-f]{48}"),
    ("crates-io-token", "cio", _MIXED + r"[A-Za-z0-9]{32}"),
    ("nuget-api-key", "oy2", _DIGIT + r"[a-z0-9]{43}"),
    ("clojars-token", "CLOJARS_", r"[0-9a-f]{60}"),
    ("jfrog-api-key", "AKCp", r"[A-Za-z0-9]{69}"),
    ("jfrog-reference-token", "cmVmd", r"[A-Za-z0-9]{59}"),
    ("docker-hub-token", "dckr_pat_ dckr_oat_", r"[\w-]{24,}"),
    ("circleci-token", "CCIPAT_ CCIPRJ_", r"[A-Za-z0-9]{22}_[0-9a-f]{40}"),
    ("buildkite-token", "bkua_ bkct_", r"[0-9a-f]{40}"),
    ("sonarqube-token", "squ_ sqp_ sqa_", r"[0-9a-f]{40}"),
    ("pulumi-token", "pul-", r"[0-9a-f]{40}"),
    ("infracost-api-key", "ico-", r"[A-Za-z0-9]{32}"),
    ("prefect-api-key", "pnu_ pnb_", r"[A-Za-z0-9]{36}"),
    ("harness-token", "pat. sat.", r"[\w-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}"),
    ("postman-api-key", "PMAK-", r"[0-9a-f]{24}-[0-9a-f]{34}"),
    ("readme-api-key", "rdme_", r"[a-z0-9]{70}"),
    # messages and mail
    ("slack-bot-token", "xoxb-", r"\d+-[A-Za-z0-9-]{10,}"),
    ("slack-user-token", "xoxp-", r"\d+-[A-Za-z0-9-]{10,}"),
    ("slack-workspace-token", "xoxa- xoxr- xoxs- xoxo- xoxc- xoxd-", _DIGIT + r"[\w%-]{20,}"),
    ("slack-refresh-token", "xoxe- xoxe.xoxb- xoxe.xoxp-", r"\d-[A-Za-z0-9-]{20,}"),
    ("slack-app-token", "xapp-", r"\d-[A-Z0-9]+-\d+-[0-9a-f]{20,}"),
    (
        "discord-bot-token",  # the base64 of 17 to 20 digits, two more parts
        "MD MT Mj Mz ND NT Nj Nz OD OT Oj Oz",
        r"[AEIMQUYcgk][w-z0-5](?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){4}[\w-]{2,8}\.[\w-]{6}\.[\w-]{27,}",
    ),
    ("matrix-access-token", "syt_", r"[A-Za-z0-9+/=-]{1,300}_[A-Za-z]{20}_[A-Za-z0-9]{6}"),
    ("matrix-access-token", "mct_ mcr_", r"[A-Za-z0-9]{30}_[A-Za-z0-9]{6}"),
    ("facebook-access-token", "EAA", _MIXED + r"[A-Za-z0-9]{80,}"),
    ("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA", _MIXED + r"[A-Za-z0-9%]{70,}"),
    ("linkedin-secret", "WPL_AP1.", r"[A-Za-z0-9]{16}(?:\.[A-Za-z0-9+/=]{6,8})?"),
    ("ntfy-token", "tk_", _DIGIT + r"[a-z0-9]{29}"),
    ("sendgrid-api-key", "SG.", r"[\w-]{20,24}\.[\w-]{39,50}"),
    ("mailgun-api-key", "key-", r"[0-9a-f]{32}"),
    ("mandrill-api-key", "md-", _MIXED + r"[\w-]{22}"),
    ("mailersend-token", "mlsn.", r"[0-9a-f]{64}"),
    ("brevo-api-key", "xkeysib- xsmtpsib-", r"[0-9a-f]{64}-[A-Za-z0-9]{16}"),
    ("resend-api-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{24}"),
    ("twilio-api-key", "SK", r"[0-9a-f]{32}"),
    # money and shops
    ("stripe-secret-key", "sk_live_ sk_test_", r"[A-Za-z0-9]{16,}"),
    ("stripe-restricted-key", "rk_live_ rk_test_", r"[A-Za-z0-9]{16,}"),
    ("square-access-token", "sq0atp-", r"[\w-]{22,}"),
    ("square-access-token", "EAAA", _MIXED + r"[\w-]{60}"),
    ("square-oauth-secret", "sq0csp-", r"[\w-]{40,}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_ shptka_", r"[0-9a-fA-F]{32}"),
    ("plaid-access-token", "access-", r"(?:sandbox|development|production)-" + _UUID),
    ("flutterwave-secret-key", "FLWSECK-", r"[0-9a-f]{32}-X"),
    ("shippo-token", "shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    ("easypost-api-key", "EZAK EZTK", _MIXED + r"[A-Za-z0-9]{54}"),
    ("duffel-token", "duffel_live_ duffel_test_", r"[\w-]{43}"),
    ("bitcoin-extended-key", "xprv yprv zprv", _BASE58 + "{100,}"),
    ("nostr-private-key", "nsec1", r"[ac-hj-np-z02-9]{58}"),
    # documents, data, observability
    ("notion-token", "ntn_", r"\d{8,}[A-Za-z0-9]{30,}"),
    ("notion-token", "secret_", _MIXED + r"[A-Za-z0-9]{43}"),
    ("linear-api-key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}"),
    ("figma-token", "figd_ figu_ figo_", r"[\w-]{36,}"),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("clickup-token", "pk_", r"\d{5,}_[A-Z0-9]{32}"),
    ("hubspot-token", "pat-na1- pat-na2- pat-eu1-", _UUID),
    ("typeform-token", "tfp_", r"[\w.=-]{40,}"),
    ("dropbox-token", "sl.", _MIXED + r"(?:u\.)?[\w-]{100,}"),
    ("contentful-token", "CFPAT-", r"[\w-]{43}"),
    ("mapbox-secret-token", "sk.eyJ", r"[\w-]{20,}\.[\w-]{20,}"),
    ("posthog-personal-key", "phx_", r"[A-Za-z0-9]{40,}"),
    ("new-relic-key", "NRAK- NRII-", r"[A-Za-z0-9_-]{27,32}"),
    ("sentry-token", "sntrys_ sntryu_", r"[A-Za-z0-9+/=_-]{40,}"),
    ("grafana-token", "glsa_", r"[A-Za-z0-9]{32}_[0-9a-fA-F]{8}"),
    ("grafana-token", "glc_ eyJrIjoi", r"[A-Za-z0-9+/]{40,}={0,3}"),
    ("dynatrace-token", "dt0c01. dt0s01.", r"[A-Z0-9]{24}\.[A-Z0-9]{64}"),
    ("honeycomb-key", "hcaik_ hcbik_ hcxik_", r"[a-z0-9]{58}"),
    # keys to other keys
    ("vault-token", "hvs. hvb. hvr.", r"[\w-]{24,}"),
    ("doppler-token", "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.", r"(?:[\w-]{1,40}\.)?[A-Za-z0-9]{40,}"),
    ("1password-service-token", "ops_", r"eyJ[\w+/=-]{100,}"),
    ("1password-secret-key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    ("age-secret-key", "AGE-SECRET-KEY-1", r"[02-9AC-HJ-NP-Z]{58}"),
)


@dataclass(frozen=True, slots=True)
class _Shape:
    kind: str
    prefix: str
    pattern: re.Pattern[str]

    def match(self, text: str, start: int) -> Secret | None:
        match = self.pattern.match(text, start)
        if match is None or _is_filler(match[1]):
            return None
        if self.prefix.isalnum() and _within_base64(text, start):
            return None
        return Secret(self.kind, start, match.end(), len(self.prefix))


def _shapes_by_head() -> dict[str, list[_Shape]]:
    heads: dict[str, list[_Shape]] = {}
    for kind, prefixes, body in _SHAPES:
        for prefix in prefixes.split():
            pattern = re.compile(f"{re.escape(prefix)}((?>{body}))(?![A-Za-z0-9])", re.ASCII)
            heads.setdefault(prefix[:2], []).append(_Shape(kind, prefix, pattern))
    return heads


_BY_HEAD = _shapes_by_head()
# One match takes all text up to the next long run of key characters, and the run.
_RUN = "[A-Za-z0-9_.~-]"
_RUNS = re.compile(rf"(?:{_RUN}{{0,19}}+[^A-Za-z0-9_.~-]++)*+({_RUN}{{20,}}+)?")
_BEFORE_RUN = re.compile(r"[_.~-]+")
# What looks like the beginning of a run but belongs to an escape in front of it, by the character before.
_ESCAPES = {
    "\\": re.compile(r"u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[a-z]"),
    "%": re.compile(r"[0-9a-fA-F]{2}"),
    "[": re.compile(r"\d{1,3}m"),
    ";": re.compile(r"\d{1,3}m"),
}


def _shaped(text: str) -> Iterator[Secret]:
    for run in _RUNS.finditer(text):
        start = run.start(1)
        if start < 0:
            continue
        for at in _beginnings(text, start):
            if text.startswith("eyJ", at) and (jwt := _jwt(text, at)):
                yield jwt
            for shape in _BY_HEAD.get(text[at : at + 2], ()):
                if secret := shape.match(text, at):
                    yield secret


def _beginnings(text: str, start: int) -> list[int]:
    """Where a key in this run can begin: at its start, after an escape, after dashes and dots."""
    starts = [start]
    escape = _ESCAPES.get(text[start - 1]) if start else None
    if escape and (match := escape.match(text, start)):
        starts.append(match.end())
    if match := _BEFORE_RUN.match(text, start):
        starts.append(match.end())
    return starts


def _within_base64(text: str, start: int) -> bool:
    """Letters and digits alone turn up by chance there, where + and / are no borders."""
    return start > 1 and text[start - 1] in "+/" and text[start - 2].isalnum()


_JWT = re.compile(r"(eyJ[\w-]{8,}+)\.([\w-]*+)\.[\w-]*+(?:\.[\w-]*+\.[\w-]++)?", re.ASCII)
_TEN_YEARS = 3650 * 86400


def _jwt(text: str, start: int) -> Secret | None:
    match = _JWT.match(text, start)
    if match is None or "alg" not in _json_of(match[1]):
        return None
    return Secret(_jwt_kind(_json_of(match[2])), start, match.end())


def _jwt_kind(claims: dict[str, Any]) -> str:
    if claims.get("role") == "service_role":
        return "supabase-service-key"
    issued, expires = claims.get("iat"), claims.get("exp")
    if isinstance(issued, int) and isinstance(expires, int) and expires - issued == _TEN_YEARS:
        return "home-assistant-token"
    return "jwt"


def _json_of(part: str) -> dict[str, Any]:
    """The object in one part of a JWT; empty when it is none."""
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


# Marks: kind, a literal, how far in front of it the pattern begins, the pattern, whose group is the secret, and what
# else has to be true of it.

_Check = Callable[[str, str], bool]  # the secret, and what stands around it


def _is_random(secret: str, around: str) -> bool:
    return not _is_filler(secret)


def _is_chosen(secret: str, around: str) -> bool:
    """A password between marks: anything but a placeholder, or the user name once more."""
    return not _is_placeholder(secret) and f"{secret}:{secret}" not in around


def _is_login(secret: str, around: str) -> bool:
    """Base64 of `user:password`."""
    try:
        text = base64.b64decode(secret + "=" * (-len(secret) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return False
    return ":" in text and text.isprintable()


def _is_key_alone(secret: str, around: str) -> bool:
    return _is_key(secret)


def _is_credential(secret: str, around: str) -> bool:
    return (_is_key(secret) and not _is_reference(secret)) or _is_login(secret, around)


def _is_strong(secret: str, around: str) -> bool:
    return _is_password(secret, loose=False) and _is_chosen(secret, around)


def _is_signature(secret: str, around: str) -> bool:
    return "sv=" in around and ("se=" in around or "sp=" in around)


def _is_curl_login(secret: str, around: str) -> bool:
    lines = re.split(r"(?<!\\)(?:\n|\\n)", around[: around.rfind(secret)])  # a backslash carries a command on
    return "curl" in lines[-1] and _is_chosen(secret, around)


def _has_session(secret: str, around: str) -> bool:
    return any(_is_key(value) for value in re.findall(r"=([^;\s]{1,200})", secret))


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

_MARKS: tuple[_MarkRow, ...] = (
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
    ("teams-webhook", "/IncomingWebhook/", 0, rf"/IncomingWebhook/([0-9a-f]{{32}}/{_UUID}[\w/-]*)", _is_random),
    ("zapier-webhook", "hooks.zapier.com/", 0, r"hooks\.zapier\.com/hooks/[a-z]+/(\d+/\w{5,})", _is_random),
    ("feishu-webhook", "/open-apis/bot/v2/hook/", 0, rf"/open-apis/bot/v2/hook/({_UUID})", _is_random),
    ("wecom-webhook", "/cgi-bin/webhook/send", 0, rf"/cgi-bin/webhook/send\?key=({_UUID})", _is_random),
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
_SPOKEN: tuple[_MarkRow, ...] = (
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
    return not _within_base64(text, start)


def _marks_by_literal(rows: tuple[_MarkRow, ...], flags: int) -> dict[str, list[_Mark]]:
    literals: dict[str, list[_Mark]] = {}
    for kind, literal, back, pattern, check in rows:
        literals.setdefault(literal, []).append(_Mark(kind, back, re.compile(pattern, re.ASCII | flags), check))
    return literals


_BY_LITERAL = _marks_by_literal(_MARKS, 0)
_BY_SPOKEN_LITERAL = _marks_by_literal(_SPOKEN, re.IGNORECASE)


def _marked(text: str, lowered: str) -> Iterator[Secret]:
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


# Names: what a person or a program calls a secret. The value decides.


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ELSEWHERE = ("kennwort", "contraseña", "senha", "пароль", "密码", "密碼", "パスワード", "비밀번호")
_NAME_PARTS = ("pass", "pwd", "secret", "token", "key", *_ELSEWHERE)
_PASSWORDS = ("password", "passwd", "passphrase", "passcode", "passwort", "pwd", *_ELSEWHERE)
_KEYS = ("apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey", "masterkey")
_KEY_OF = _set("""api access secret private encryption signing auth account master shared service app application
    client consumer admin deploy webhook storage subscription license session jwt hmac security management write""")
# `token_count`, `password_file`: about a secret, not one.
_NOT_AFTER = _set("""hash hashed count counts type types id ids name names url uri endpoint file filename path dir
    length len size expiry expires expire expiration exp ttl age at limit limits budget usage used field policy env var
    ref arn version rotation required enabled strategy manager store provider pattern regex prefix suffix format label
    hint prompt placeholder title text message error help description index idx map class input reset changed salt
    algorithm fingerprint alias namespace sha md and""")
_NOT_BEFORE = _set("""public publishable page next prev previous continuation continue sync cancel cancellation eos
    bos pad unk sep cls mask stop special design max min num total prompt completion primary foreign sort partition
    cache idempotency request change input output starting lock""")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORDS_ANYWHERE = re.compile(r"[^\W\d_]+|\d+")

_HEX32 = "[0-9a-f]{32}"
_HEX40 = "[0-9a-f]{40}"
_HEX64 = "[0-9a-f]{64}"
# Kind, words of which one is in the name or right before it (`a+b`: both), and what the value looks like.
_PROVIDERS = (
    ("aws-secret-access-key", "aws+secret secret+access", "[A-Za-z0-9/+]{40}"),
    ("aws-session-token", "session", "[A-Za-z0-9/+=]{100,}"),
    ("mistral-api-key", "mistral", "[A-Za-z0-9]{32}"),
    ("cohere-api-key", "cohere co", "[A-Za-z0-9]{40}"),
    ("exa-api-key", "exa", _UUID),
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
    ("heroku-api-key", "heroku", _UUID),
    ("vercel-token", "vercel", "[A-Za-z0-9]{24}"),
    ("fastly-api-token", "fastly", r"[\w-]{32}"),
    ("railway-token", "railway", _UUID),
    ("hetzner-token", "hetzner hcloud", "[A-Za-z0-9]{64}"),
    ("linode-token", "linode", _HEX64),
    ("postmark-token", "postmark", _UUID),
    ("snyk-token", "snyk", _UUID),
    ("codecov-token", "codecov", _UUID),
    ("spotify-secret", "spotify", _HEX32),
    ("discord-client-secret", "discord", r"[\w-]{32}"),
    ("facebook-app-secret", "facebook fb", _HEX32),
    ("twitter-secret", "twitter", "[A-Za-z0-9]{45}|[A-Za-z0-9]{50}"),
    ("mattermost-token", "mattermost mm", "[a-z0-9]{26}"),
    ("plex-token", "plex", r"[\w-]{20}"),
    ("todoist-token", "todoist", _HEX40),
    ("gitea-token", "gitea forgejo codeberg", _HEX40),
    ("vault-token", "vault", "[sbr]\\.[A-Za-z0-9]{24}"),
    ("bitcoin-private-key", "bitcoin btc wif private", f"[5KL9c]{_BASE58}{{50,51}}"),
    ("ethereum-private-key", "ethereum eth wallet private", "0x[0-9a-fA-F]{64}"),
    ("ethereum-private-key", "ethereum eth wallet", "[0-9a-fA-F]{64}"),
    ("wireguard-private-key", "private preshared", "[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="),
)


def _providers_by_word() -> dict[str, list[tuple[str, list[str], re.Pattern[str]]]]:
    words: dict[str, list[tuple[str, list[str], re.Pattern[str]]]] = {}
    for kind, hints, shape in _PROVIDERS:
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


def _named(text: str, lowered: str) -> Iterator[Secret]:
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
    noun, words = _noun(before + match["tail"])
    if noun is None or not _is_given(match, front, before):
        return None
    env = match[0].endswith("=") and match["tail"].isupper() and front not in ("?", "&")
    start, end, quoted = _value_at(text, match.end(), env=env)
    if how == "tag" and not text.startswith("</", end):
        return None
    kind = _named_kind(noun, words, text[start:end], quoted=quoted)
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
def _noun(name: str) -> tuple[str | None, tuple[str, ...]]:
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
    return [word.lower() for word in (_WORDS if name.isascii() else _WORDS_ANYWHERE).findall(name)]


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


def _named_kind(noun: str, words: tuple[str, ...], value: str, *, quoted: bool, loose: bool = False) -> str | None:
    for word in words:
        for kind, others, shape in _BY_WORD.get(word, ()):
            if shape.fullmatch(value) and all(other in words for other in others) and not _is_placeholder(value):
                return kind
    if noun == "key" or (noun == "pass" and not quoted):  # of nobody we know; a verb
        return None
    noun = "password" if noun == "pass" else noun
    fits = _is_password(value, loose=loose) if noun == "password" else _is_key(value, shortest=8 if loose else 10)
    if not fits or _is_placeholder(value) or _is_reference(value) or (not quoted and _is_variable(value)):
        return None
    return noun


# What a value looks like.

_LETTER = re.compile(r"[^\W\d_]")
_NOT_LETTERS = re.compile(r"[^a-z]")
_DIGIT_IN = re.compile(r"\d")
_BLANK = re.compile(r"\s")
_STOP_WORDS = _set("""password passwd pass passphrase pwd secret secrets token key apikey test testing tests user
    username admin root mysecret mypassword mytoken mykey mypass foo bar foobar baz qux abc xyz none null nil true false
    undefined string str int integer number bool boolean float bytes uint char varchar text hidden masked removed empty
    default required optional value somevalue sha md bcrypt argon argonid scrypt pbkdf base utf aes rs hs es oauth http
    https localhost basic bearer xxx xxxx""")
# Left open, masked, an expression; and what people write who want it replaced.
_PLACEHOLDERS = _set("""< > … • ${ {{ $( %( ... *** xxxxx [redacted ]{ (? environ getenv process.env changeme change_me
    change-me replace example placeholder dummy sample insert not_a_real _your -your required nullable |min: |max:""")
_PLACEHOLDER = re.compile(
    r"""\{ | your | todo\b | [$@!]\w+\Z | %.*%\Z | %[sdr]\Z | enc\[ | arn: | (?:op|vault|env|file|ssm|secret|keyring):
      | .*-(?:encoded|hashed|encrypted|protected|based|only)\Z""",
    re.VERBOSE,
)
_REFERENCE = re.compile(
    r"""\w{1,20}:// | projects/
      | \S+\.(?:ya?ml|json|py|txt|env|pem|key|md|toml|ini|cfg|conf|sh|js|ts|html?)\Z
      | \d{4}-\d\d-\d\d(?:[T ]|\Z)                  # a date
      | [\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,6}\Z  # somebody's address
    """,
    re.VERBOSE,
)
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+\Z|\S*\?\.")
_SLUG_PART = re.compile(r"[A-Za-z]?[a-z]*\d{0,3}|[A-Z]+\d{0,3}|\d{1,4}")
_SLUG_BORDER = re.compile(r"[-_./:]")
_SYMBOL = re.compile(r"[!@#$%^&*+=?~]")


def _is_filler(body: str) -> bool:
    """A key in a manual: one character many times, or a word that says so."""
    lowered = body[:_ENOUGH].lower()
    return len(set(lowered)) < 6 or "example" in lowered or "xxxxxx" in lowered


def _is_placeholder(value: str) -> bool:
    lowered = value[:_ENOUGH].lower()
    if any(sign in lowered for sign in _PLACEHOLDERS) or _PLACEHOLDER.match(lowered):
        return True
    return _NOT_LETTERS.sub("", lowered) in _STOP_WORDS


def _is_reference(value: str) -> bool:
    return bool(_REFERENCE.match(value)) or (value.startswith(("/", "./", "../", "~/")) and _is_slug(value))


def _is_variable(value: str) -> bool:
    """As code names what it has elsewhere: `config.db.password`, `new_password2`."""
    if _VARIABLE.match(value) or ("." in value and _is_slug(value)):
        return True
    return "passw" in value.lower() and value.isidentifier()


def _is_slug(value: str) -> bool:
    """Words and small numbers, as names of things are made of."""
    if all(_SLUG_PART.fullmatch(part) for part in _SLUG_BORDER.split(value)):
        return True
    if value == value.upper():
        return False
    longest = 6 if value == value.lower() else 4  # chance makes longer runs within one case
    units = _WORDS.findall(value)
    return sum(map(len, units)) >= longest * len(units)


def _is_key(value: str, *, shortest: int = 10) -> bool:
    """Long, without blanks, and random to the eye."""
    start = value[:_ENOUGH]
    if len(value) < shortest or _BLANK.search(value) or not _LETTER.search(start):
        return False
    if _entropy(start) < (3 if shortest >= 10 else 2.5) or _is_filler(start) or _is_slug(start):
        return False
    return bool(_DIGIT_IN.search(start)) or shortest < 10 or (len(start) >= 20 and _changes(start) > 0.4 * len(start))


def _is_password(value: str, *, loose: bool) -> bool:
    if not 6 <= len(value) <= 250 or _BLANK.search(value):
        return False
    strong = _DIGIT_IN.search(value) or _SYMBOL.search(value)
    return loose or bool(strong and _LETTER.search(value) and _entropy(value) > 2)


def _entropy(value: str) -> float:
    """Shannon's, in bits a character."""
    repeated = sum(n * math.log2(n) for n in Counter(value).values() if n > 1)
    return math.log2(len(value)) - repeated / len(value)


def _changes(value: str) -> int:
    """How often upper and lower case meet: every other character in a random text, seldom in a name."""
    return sum(a.isupper() != b.isupper() for a, b in pairwise(value))


# Masks.

_HEADERS = ("authorization", "proxy-authorization", "cookie", "set-cookie")


def _mask(secret: Secret, text: str) -> str:
    prefix = text[secret.start : secret.start + secret.shown]
    return f"{prefix}…[redacted {secret.kind}]" if prefix else f"[redacted: {secret.kind}]"


def _mask_all(text: str, secrets: list[Secret]) -> str:
    parts: list[str] = []
    done = 0
    for secret in secrets:
        parts += text[done : secret.start], _mask(secret, text)
        done = secret.end
    return "".join(parts) + text[done:]


def _merged(found: list[Secret]) -> list[Secret]:
    """In order and apart from each other; of readings that overlap, the first one found names the kind."""
    ranked = sorted(enumerate(found), key=lambda item: (item[1].start, item[0]))
    merged: list[tuple[int, Secret]] = []
    for rank, secret in ranked:
        if not merged or secret.start >= merged[-1][1].end:
            merged.append((rank, secret))
            continue
        rank_before, before = merged[-1]
        best = secret if rank < rank_before else before
        shown = best.shown if best.start == before.start else 0
        joined = Secret(best.kind, before.start, max(before.end, secret.end), shown)
        merged[-1] = (min(rank, rank_before), joined)
    return [secret for _, secret in merged]


def _redact_item(container: list[Any] | dict[Any, Any], key: Any, item: str) -> tuple[str, int]:
    if isinstance(container, dict) and key == "value":
        key = container.get("name")
    text, count = redact(item)
    if count or not isinstance(container, dict) or not isinstance(key, str) or "[redacted" in key:
        return text, count
    if key.lower() in _HEADERS:
        text, count = redact(f"{key}: {item}")
        return text.removeprefix(f"{key}: "), count
    noun, words = _noun(key)
    kind = _named_kind(noun, words, item, quoted=True, loose=True) if noun else None
    return (f"[redacted: {kind}]", 1) if kind else (item, 0)


def _redact_keys(item: dict[Any, Any]) -> tuple[dict[Any, Any], int]:
    """A shallow copy whose keys hold no secrets either; none of them is lost."""
    copy: dict[Any, Any] = {}
    count = 0
    for key, value in item.items():
        found = 0
        if isinstance(key, str):
            key, found = redact(key)
        while found and (key in item or key in copy):
            key += "'"
        copy[key] = value
        count += found
    return copy, count


KINDS = frozenset(
    [kind for kind, *_ in (*_SHAPES, *_MARKS, *_SPOKEN, *_PROVIDERS)]
    + ["jwt", "supabase-service-key", "home-assistant-token", "password", "token", "secret", "api-key", "private-key"]
)
