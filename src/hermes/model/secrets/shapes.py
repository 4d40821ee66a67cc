"""Keys that are known by their own shape: a prefix, and what follows it. A JWT is one by what is in it."""

import base64
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hermes.model.secrets.base import Secret
from hermes.model.secrets.values import is_filler, within_base64

UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
_MIXED = r"(?=[\w-]{0,60}?\d)(?=[\w-]{0,60}?[A-Z])"  # short prefixes need a digit and a capital soon after
_DIGIT = r"(?=[\w-]{0,60}?\d)"
# As in chance: two of each.
_RESTLESS = r"(?=(?:[\w-]{0,30}?\d){2})(?=(?:[\w-]{0,30}?[A-Z]){2})"
BASE58 = "[1-9A-HJ-NP-Za-km-z]"

# Kind, the prefixes (one of which such a key begins with), and what follows the prefix.
SHAPES = (
    # models and what they search with
    ("anthropic-api-key", "sk-ant-api", r"\d\d-[\w-]{32,}"),
    ("anthropic-admin-key", "sk-ant-admin", r"\d\d-[\w-]{32,}"),
    ("anthropic-oauth-token", "sk-ant-oat sk-ant-ort", r"\d\d-[\w-]{32,}"),
    ("anthropic-session-key", "sk-ant-sid", r"\d\d-[\w-]{32,}"),
    ("openai-project-key", "sk-proj- sk-None-", r"[\w-]{40,}"),
    ("openai-service-account-key", "sk-svcacct-", r"[\w-]{40,}"),
    ("openai-admin-key", "sk-admin-", r"[\w-]{40,}"),
    ("openrouter-api-key", "sk-or-", r"v\d-[0-9a-f]{64}"),
    ("langfuse-secret-key", "sk-lf-", UUID),
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
    ("plaid-access-token", "access-", r"(?:sandbox|development|production)-" + UUID),
    ("flutterwave-secret-key", "FLWSECK-", r"[0-9a-f]{32}-X"),
    ("shippo-token", "shippo_live_ shippo_test_", r"[0-9a-f]{40}"),
    ("easypost-api-key", "EZAK EZTK", _MIXED + r"[A-Za-z0-9]{54}"),
    ("duffel-token", "duffel_live_ duffel_test_", r"[\w-]{43}"),
    ("bitcoin-extended-key", "xprv yprv zprv", BASE58 + "{100,}"),
    ("nostr-private-key", "nsec1", r"[ac-hj-np-z02-9]{58}"),
    # documents, data, observability
    ("notion-token", "ntn_", r"\d{8,}[A-Za-z0-9]{30,}"),
    ("notion-token", "secret_", _MIXED + r"[A-Za-z0-9]{43}"),
    ("linear-api-key", "lin_api_ lin_oauth_", r"[A-Za-z0-9]{32,}"),
    ("figma-token", "figd_ figu_ figo_", r"[\w-]{36,}"),
    ("airtable-token", "pat", r"[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("clickup-token", "pk_", r"\d{5,}_[A-Z0-9]{32}"),
    ("hubspot-token", "pat-na1- pat-na2- pat-eu1-", UUID),
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
        if match is None or is_filler(match[1]):
            return None
        if self.prefix.isalnum() and within_base64(text, start):
            return None
        return Secret(self.kind, start, match.end(), len(self.prefix))


def _shapes_by_head() -> dict[str, list[_Shape]]:
    heads: dict[str, list[_Shape]] = {}
    for kind, prefixes, body in SHAPES:
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


def shaped(text: str) -> Iterator[Secret]:
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
