"""Secrets are found wherever they stand, masked for good, and nothing else is touched.

No key stands in this file: every example is made from a template when the tests run, `{h32}` for 32 hex
digits and so on. What a template puts between « and » is the secret; without them it is all of it.
"""

import base64
import json
import random
import re
import time
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hermes.model.secrets import KINDS, find_secrets, redact, redact_value

LOWER = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
ALPHABETS = {
    "a": LOWER + LOWER.upper() + DIGITS,
    "w": LOWER + LOWER.upper() + DIGITS + "_-",
    "s": LOWER + LOWER.upper() + DIGITS + "+/",
    "h": "0123456789abcdef",
    "d": DIGITS,
    "l": LOWER + DIGITS,
    "A": LOWER.upper() + DIGITS,
    "c": LOWER + LOWER.upper(),
    "m": LOWER,
    "k": "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "b": "023456789acdefghjklmnpqrstuvwxyz",
    "B": "023456789ACDEFGHJKLMNPQRSTUVWXYZ",
}
UUID = "{h8}-{h4}-{h4}-{h4}-{h12}"

# A secret that needs nothing around it.
ALONE = [
    ("anthropic-api-key", "sk-ant-api03-{w93}AA"),
    ("anthropic-admin-key", "sk-ant-admin01-{w93}AA"),
    ("anthropic-oauth-token", "sk-ant-oat01-{w93}AA"),
    ("anthropic-oauth-token", "sk-ant-ort01-{w93}AA"),
    ("anthropic-session-key", "sk-ant-sid01-{w86}AA"),
    ("openai-project-key", "sk-proj-{w74}T3BlbkFJ{w73}A"),
    ("openai-service-account-key", "sk-svcacct-{w74}T3BlbkFJ{w73}A"),
    ("openai-admin-key", "sk-admin-{w58}T3BlbkFJ{w57}A"),
    ("openai-api-key", "sk-{a20}T3BlbkFJ{a20}"),
    ("sk-api-key", "sk-{a3}-7X_{a14}2Y"),
    ("openrouter-api-key", "sk-or-v1-{h64}"),
    ("langfuse-secret-key", "sk-lf-" + UUID),
    ("deepseek-api-key", "sk-{h32}"),
    ("google-api-key", "AIzaSy{w32}a"),
    ("google-auth-key", "AQ.Ab8RN6{w44}a"),
    ("google-oauth-secret", "GOCSPX-{w27}a"),
    ("google-access-token", "ya29.a0{w120}"),
    ("google-refresh-token", "1//0{w60}a"),
    ("huggingface-token", "hf_{c34}"),
    ("replicate-token", "r8_{a37}"),
    ("groq-api-key", "gsk_{a52}"),
    ("xai-api-key", "xai-{a80}"),
    ("perplexity-api-key", "pplx-{a48}"),
    ("cerebras-api-key", "csk-{l48}"),
    ("fireworks-api-key", "fw_{a21}7"),
    ("together-api-key", "tgp_v1_{w42}a"),
    ("nvidia-api-key", "nvapi-{w63}a"),
    ("voyage-api-key", "pa-{w40}7Xa"),
    ("jina-api-key", "jina_{h32}{a28}"),
    ("elevenlabs-api-key", "sk_{h48}"),
    ("pinecone-api-key", "pcsk_{a5}_{a63}"),
    ("langsmith-api-key", "lsv2_pt_{h32}_{h10}"),
    ("tavily-api-key", "tvly-dev-{a31}7"),
    ("firecrawl-api-key", "fc-{h32}"),
    ("brave-api-key", "BSA{a26}7X"),
    ("apify-token", "apify_api_{a36}"),
    ("browserbase-api-key", "bb_live_{w26}a"),
    ("e2b-api-key", "e2b_{h40}"),
    ("aws-access-key-id", "AKIA{A16}"),
    ("aws-access-key-id", "ASIA{A16}"),
    ("aws-bedrock-key", "ABSK{a126}7X=="),
    ("aws-bedrock-key", "bedrock-api-key-{a60}"),
    ("alibaba-access-key-id", "LTAI{a18}7X"),
    ("tencent-secret-id", "AKID{a30}7X"),
    ("yandex-api-key", "AQVN{w33}7Xa"),
    ("digitalocean-token", "dop_v1_{h64}"),
    ("heroku-api-key", "HRKU-AA{w57}a"),
    ("fly-token", "fm2_«{s200}»"),
    ("fly-token", "fm1r_«{s100}==»"),
    ("fly-token", "fo1_{w42}a"),
    ("vercel-token", "vcp_{w50}{a6}"),
    ("netlify-token", "nfp_{a36}"),
    ("render-api-key", "rnd_{a32}"),
    ("cloudflare-api-token", "cfut_{a48}"),
    ("cloudflare-origin-ca-key", "v1.0-{h24}-{h146}"),
    ("supabase-access-token", "sbp_{h40}"),
    ("supabase-secret-key", "sb_secret_{w30}a"),
    ("neon-api-key", "napi_{l64}"),
    ("planetscale-token", "pscale_tkn_{w42}a"),
    ("databricks-token", "dapi{h32}-2"),
    ("tailscale-key", "tskey-auth-{a17}-{a32}"),
    ("openshift-token", "sha256~{w42}a"),
    ("github-personal-token", "ghp_{a36}"),
    ("github-oauth-token", "gho_{a36}"),
    ("github-user-token", "ghu_{a36}"),
    ("github-app-token", "ghs_{a36}"),
    ("github-app-token", "ghs_{d7}_eyJ{w60}a.eyJ{w200}a.{w85}a"),
    ("github-refresh-token", "ghr_{a76}"),
    ("github-fine-grained-token", "github_pat_{a22}_{a59}"),
    ("gitlab-personal-token", "glpat-{w19}a"),
    ("gitlab-personal-token", "glpat-{w27}a.{l2}{l7}"),
    ("gitlab-deploy-token", "gldt-{w19}a"),
    ("gitlab-runner-token", "glrt-{w19}a"),
    ("gitlab-runner-token", "GR1348941{w19}a"),
    ("gitlab-job-token", "glcbt-{a2}_{w19}a"),
    ("gitlab-trigger-token", "glptt-{h40}"),
    ("gitlab-agent-token", "glagent-{w49}a"),
    ("gitlab-oauth-secret", "gloas-{h64}"),
    ("gitlab-feed-token", "glft-{w19}a"),
    ("bitbucket-app-password", "ATBB{a32}"),
    ("bitbucket-access-token", "ATCTT3xFfGN0{w160}a={h8}"),
    ("atlassian-api-token", "ATATT3xFfGF0{w170}a={h8}"),
    ("trello-token", "ATTA{h64}{a8}"),
    ("sourcegraph-token", "sgp_{h16}_{h40}"),
    ("npm-token", "npm_{a36}"),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc{w150}a"),
    ("rubygems-key", "rubygems_{h48}"),
    ("crates-io-token", "cio{a30}7X"),
    ("nuget-api-key", "oy2{l42}7"),
    ("clojars-token", "CLOJARS_{h60}"),
    ("jfrog-api-key", "AKCp{a69}"),
    ("jfrog-reference-token", "cmVmd{a59}"),
    ("docker-hub-token", "dckr_pat_{w26}a"),
    ("circleci-token", "CCIPAT_{a22}_{h40}"),
    ("buildkite-token", "bkua_{h40}"),
    ("sonarqube-token", "squ_{h40}"),
    ("pulumi-token", "pul-{h40}"),
    ("infracost-api-key", "ico-{a32}"),
    ("prefect-api-key", "pnu_{a36}"),
    ("harness-token", "pat.{w22}.{a24}.{a20}"),
    ("postman-api-key", "PMAK-{h24}-{h34}"),
    ("readme-api-key", "rdme_{l70}"),
    ("slack-bot-token", "xoxb-{d12}-{d13}-{a24}"),
    ("slack-user-token", "xoxp-{d12}-{d12}-{d13}-{h32}"),
    ("slack-workspace-token", "xoxa-2-{d12}-{d12}-{d12}-{h32}"),
    ("slack-refresh-token", "xoxe.xoxp-1-{a160}"),
    ("slack-app-token", "xapp-1-A{A10}-{d13}-{h64}"),
    ("discord-bot-token", "MTk4NjIyNDgzNDcxOTI1MjQ4.{w6}.{w37}a"),
    ("matrix-access-token", "syt_{a12}_{c20}_{a6}"),
    ("matrix-access-token", "mct_{a30}_{a6}"),
    ("facebook-access-token", "EAAB{a176}7X"),
    ("twitter-bearer-token", "AAAAAAAAAAAAAAAAAAAAA{a70}7X%2B{a18}"),
    ("linkedin-secret", "WPL_AP1.{a16}.{a6}"),
    ("ntfy-token", "tk_{l28}7"),
    ("sendgrid-api-key", "SG.{w22}.{w42}a"),
    ("mailgun-api-key", "key-{h32}"),
    ("mandrill-api-key", "md-{w19}7Xa"),
    ("mailersend-token", "mlsn.{h64}"),
    ("mailchimp-api-key", "{h32}-us21"),
    ("brevo-api-key", "xkeysib-{h64}-{a16}"),
    ("resend-api-key", "re_{a8}_{a24}"),
    ("twilio-api-key", "SK{h32}"),
    ("stripe-secret-key", "sk_live_{a24}"),
    ("stripe-secret-key", "sk_test_51{a98}"),
    ("stripe-restricted-key", "rk_live_{a24}"),
    ("webhook-secret", "whsec_«{s32}»"),
    ("square-access-token", "sq0atp-{w21}a"),
    ("square-access-token", "EAAAE{w56}7Xa"),
    ("square-oauth-secret", "sq0csp-{w42}a"),
    ("shopify-token", "shpat_{h32}"),
    ("shopify-token", "shpss_{h32}"),
    ("plaid-access-token", "access-production-" + UUID),
    ("flutterwave-secret-key", "FLWSECK-{h32}-X"),
    ("shippo-token", "shippo_live_{h40}"),
    ("easypost-api-key", "EZAK{a52}7X"),
    ("duffel-token", "duffel_live_{w42}a"),
    ("paypal-braintree-token", "access_token$«production${l16}${h32}»"),
    ("bitcoin-extended-key", "xprv{k107}"),
    ("nostr-private-key", "nsec1{b58}"),
    ("notion-token", "ntn_{d11}{a35}"),
    ("notion-token", "secret_{a41}7X"),
    ("linear-api-key", "lin_api_{a40}"),
    ("figma-token", "figd_{w39}a"),
    ("airtable-token", "pat{a14}.{h64}"),
    ("clickup-token", "pk_{d8}_{A32}"),
    ("hubspot-token", "pat-na1-" + UUID),
    ("typeform-token", "tfp_{w58}a"),
    ("dropbox-token", "sl.{w132}7Xa"),
    ("contentful-token", "CFPAT-{w42}a"),
    ("mapbox-secret-token", "sk.eyJ1{a80}.{w21}a"),
    ("posthog-personal-key", "phx_{a47}"),
    ("new-relic-key", "NRAK-{A27}"),
    ("new-relic-license-key", "{h36}NRAL"),
    ("sentry-token", "sntryu_{h64}"),
    ("sentry-token", "sntrys_eyJpYXQiO{a120}=_{s43}"),
    ("grafana-token", "glsa_{a32}_{h8}"),
    ("grafana-token", "glc_{a100}="),
    ("dynatrace-token", "dt0c01.{A24}.{A64}"),
    ("honeycomb-key", "hcaik_{l58}"),
    ("maxmind-license-key", "{a6}_{a29}_mmk"),
    ("vault-token", "hvs.{w94}a"),
    ("doppler-token", "dp.pt.{a43}"),
    ("doppler-token", "dp.st.prd.{a43}"),
    ("1password-service-token", "ops_eyJ{a300}"),
    ("1password-secret-key", "A3-{A6}-{A6}-{A5}-{A5}-{A5}-{A5}"),
    ("age-secret-key", "AGE-SECRET-KEY-1{B58}"),
    ("terraform-token", "{a14}.atlasv1.{w66}a"),
    ("azure-client-secret", "{a3}8Q~{w33}a"),
    ("azure-service-key", "{a52}JQQJ99{a26}"),
    ("azure-devops-token", "{a76}AZDO{a4}"),
    ("jwt", "{header}.{claims}.{w42}a"),
    ("home-assistant-token", "{header}.{ten_years}.{w42}a"),
    ("supabase-service-key", "{header}.{service_role}.{w42}a"),
]

# A secret known by what stands around it.
AROUND = [
    ("aws-secret-access-key", "AKIA{A16},«{s40}»"),
    ("telegram-bot-token", "{d9}:«AA{w32}a»"),
    ("slack-webhook", "https://hooks.slack.com/services/«T{A10}/B{A10}/{a24}»"),
    ("discord-webhook", "https://discord.com/api/webhooks/{d19}/«{w67}a»"),
    (
        "teams-webhook",
        f"https://acme.webhook.office.com/webhookb2/{UUID}@{UUID}/IncomingWebhook/«{{h32}}/{UUID}»",
    ),
    ("zapier-webhook", "https://hooks.zapier.com/hooks/catch/«{d7}/{l7}»"),
    ("feishu-webhook", f"https://open.feishu.cn/open-apis/bot/v2/hook/«{UUID}»"),
    ("wecom-webhook", f"https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=«{UUID}»"),
    ("dingtalk-webhook", "https://oapi.dingtalk.com/robot/send?access_token=«{h64}»"),
    ("sentry-dsn", "https://«{h32}»@o45.ingest.sentry.io/4501"),
    ("database-password", "postgres://app:«{a14}»@db.internal:5432/app"),
    ("database-password", "mongodb+srv://svc:«{a6}!{a6}»@cluster0.mongodb.net/prod"),
    ("database-password", "redis://:«{a20}»@cache:6379/0"),
    ("url-password", "https://deploy:«{a12}@{a3}»@git.acme.dev/repo.git"),
    ("url-token", "https://«{a30}7X»@git.acme.dev/repo.git"),
    ("azure-storage-key", "AccountName=acme;AccountKey=«{s86}==»;EndpointSuffix=core.windows.net"),
    ("azure-service-bus-key", "Endpoint=sb://acme.servicebus.windows.net/;SharedAccessKey=«{s43}=»"),
    (
        "azure-sas-signature",
        "https://acme.blob.core.windows.net/c?sv=2022-11-02&se=2025-01-01&sp=r&sig=«{a40}%2B{a3}%3D»",
    ),
    ("authorization-header", "Authorization: Bearer «{a30}7X»"),
    ("authorization-header", "Authorization: Token «{h40}»"),
    ("bearer-token", "use the bearer «{a30}7X» then"),
    ("docker-registry-auth", '{"auths": {"ghcr.io": {"auth": "«{login}»"}}}'),
    ("basic-credentials", "send Basic «{login}» with it"),
    ("authorization-header", "Authorization: Basic «{login}»"),
    ("cookie", "Cookie: «sid={a32}7X; theme=dark»"),
    ("curl-password", "curl -s -u admin:«{a12}» https://acme.dev"),
    ("sql-password", "ALTER USER app IDENTIFIED BY '«{a10}7x»';"),
    ("sql-password", "CREATE ROLE app LOGIN PASSWORD '«{a10}7x»';"),
    ("ssh-password", "sshpass -p «{a12}» ssh root@10.0.0.1"),
    ("netrc-password", "machine acme.dev login deploy password «{a16}»"),
    ("seed-phrase", "seed phrase: «{m5} {m4} {m6} {m5} {m3} {m8} {m5} {m4} {m6} {m5} {m3} {m8}»"),
    ("seed-phrase", "mnemonic = «{m5} {m4} {m6} {m5} {m3} {m8} {m5} {m4} {m6} {m5} {m3} {m8}»"),
    ("putty-private-key", "Private-Lines: 2\n«{s64}\n{s40}»"),
    ("putty-private-key", '"Private-Lines: 2\\n«{s64}\\n{s40}»"'),
    *(
        (kind, f"«-----BEGIN {label}-----\n{{s64}}\n{{s64}}\n{{s30}}==\n-----END {label}-----»")
        for kind, label in [
            ("rsa-private-key", "RSA PRIVATE KEY"),
            ("ec-private-key", "EC PRIVATE KEY"),
            ("dsa-private-key", "DSA PRIVATE KEY"),
            ("openssh-private-key", "OPENSSH PRIVATE KEY"),
            ("encrypted-private-key", "ENCRYPTED PRIVATE KEY"),
            ("pgp-private-key", "PGP PRIVATE KEY BLOCK"),
            ("private-key", "PRIVATE KEY"),
        ]
    ),
    ("rsa-private-key", "«-----BEGIN RSA PRIVATE KEY-----\n{s64}\n{s64}» (cut off here)"),
    (
        "gcp-service-account-key",
        '"private_key": "«-----BEGIN PRIVATE KEY-----\\n{s64}\\n{s20}==\\n-----END PRIVATE KEY-----»\\n"',
    ),
]

# A secret known by the name it is given.
NAMED = [
    ("aws-secret-access-key", "AWS_SECRET_ACCESS_KEY", "{s40}"),
    ("aws-session-token", "aws_session_token", "{s220}=="),
    ("mistral-api-key", "MISTRAL_API_KEY", "{a32}"),
    ("cohere-api-key", "COHERE_API_KEY", "{a40}"),
    ("exa-api-key", "EXA_API_KEY", UUID),
    ("zhipu-api-key", "ZHIPUAI_API_KEY", "{h32}.{a16}"),
    ("azure-openai-key", "AZURE_OPENAI_API_KEY", "{h32}"),
    ("serpapi-key", "SERPAPI_API_KEY", "{h64}"),
    ("serper-api-key", "SERPER_API_KEY", "{h40}"),
    ("deepgram-api-key", "DEEPGRAM_API_KEY", "{h40}"),
    ("wandb-api-key", "WANDB_API_KEY", "{h40}"),
    ("cloudflare-api-key", "CLOUDFLARE_API_TOKEN", "{w39}a"),
    ("datadog-key", "DD_API_KEY", "{h32}"),
    ("datadog-key", "datadog_app_key", "{h40}"),
    ("algolia-api-key", "ALGOLIA_ADMIN_KEY", "{h32}"),
    ("okta-token", "OKTA_API_TOKEN", "00{w39}a"),
    ("linkedin-secret", "LINKEDIN_CLIENT_SECRET", "{a16}"),
    ("twilio-auth-token", "TWILIO_AUTH_TOKEN", "{h32}"),
    ("heroku-api-key", "HEROKU_API_KEY", UUID),
    ("vercel-token", "VERCEL_TOKEN", "{a24}"),
    ("fastly-api-token", "FASTLY_API_TOKEN", "{w31}a"),
    ("railway-token", "RAILWAY_TOKEN", UUID),
    ("hetzner-token", "HCLOUD_TOKEN", "{a64}"),
    ("linode-token", "LINODE_TOKEN", "{h64}"),
    ("postmark-token", "POSTMARK_SERVER_TOKEN", UUID),
    ("snyk-token", "SNYK_TOKEN", UUID),
    ("codecov-token", "CODECOV_TOKEN", UUID),
    ("spotify-secret", "SPOTIFY_CLIENT_SECRET", "{h32}"),
    ("discord-client-secret", "DISCORD_CLIENT_SECRET", "{w31}a"),
    ("facebook-app-secret", "FACEBOOK_APP_SECRET", "{h32}"),
    ("twitter-secret", "TWITTER_API_SECRET", "{a50}"),
    ("mattermost-token", "MATTERMOST_TOKEN", "{l26}"),
    ("plex-token", "X-Plex-Token", "{w19}a"),
    ("todoist-token", "TODOIST_API_TOKEN", "{h40}"),
    ("gitea-token", "GITEA_TOKEN", "{h40}"),
    ("vault-token", "VAULT_TOKEN", "s.{a24}"),
    ("bitcoin-private-key", "BITCOIN_PRIVATE_KEY", "L{k51}"),
    ("ethereum-private-key", "PRIVATE_KEY", "0x{h64}"),
    ("ethereum-private-key", "eth_wallet_private_key", "{h64}"),
    ("wireguard-private-key", "PrivateKey", "{s42}c="),
    ("private-key", "private_key", "{h48}"),
    ("password", "DB_PASSWORD", "{a11}7x!"),
    ("password", "smtpPassword", "{m6}{d2}"),
    ("password", "PGPASSWORD", "{a12}7x"),
    ("password", "db_pass", "{a9}7x"),
    ("password", "smtp-password", "{a3}@{a4}7.x1"),
    ("password", "spring.datasource.password", "{a9}7x"),
    ("token", "access_token", "{a30}7"),
    ("token", "SERVICE_TOKEN", UUID),
    ("token", "_authToken", "{h36}"),
    ("secret", "client_secret", "{a30}7"),
    ("api-key", "SECRET_KEY_BASE", "{h96}"),
    ("api-key", "api_key", "{a30}7"),
    ("api-key", "X-Api-Key", "{a30}7"),
    ("api-key", "apikey", "{h24}"),
    ("api-key", "encryption-key", "{h32}"),
]


def part(value: object) -> str:
    """One part of a JWT."""
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


WORDS = {
    "login": base64.b64encode(b"deploy:tomato-" + b"8841").decode(),
    "header": part({"alg": "HS256", "typ": "JWT"}),
    "claims": part({"sub": "12345", "name": "Jo", "iat": 1516239022}),
    "ten_years": part({"iss": "0af1", "iat": 1700000000, "exp": 1700000000 + 3650 * 86400}),
    "service_role": part({"iss": "supabase", "role": "service_role", "iat": 1700000000}),
}


def made(template: str) -> str:
    """The template with random characters in it, the same in every run."""
    dice = random.Random(template)

    def fill(match: re.Match[str]) -> str:
        return WORDS.get(match[1]) or "".join(dice.choices(ALPHABETS[match[1]], k=int(match[2])))

    return re.sub(r"\{([a-z_]+|[A-Z])(\d*)\}", fill, template)


class Case(NamedTuple):
    kind: str
    text: str
    secret: str


def case(kind: str, template: str) -> Case:
    text = made(template)
    before, mark, rest = text.partition("«")
    secret, _, after = rest.partition("»")
    return Case(kind, before + secret + after, secret) if mark else Case(kind, text, text)


SETTINGS = {
    "alone": "{}",
    "prose": "Please use {} for the deploy, thanks.",
    "end of a sentence": "The new one is {}.",
    "line": "here it is:\n{}\nand that was it",
    "line end": "it is {}\nsecond line",
    "double quotes": 'value = "{}"',
    "single quotes": "value = '{}'",
    "backticks": "run it with `{}` please",
    "bold": "it is **{}** now",
    "table": "| a | {} | b |",
    "shell": "export THING={}",
    "yaml": "thing: {}",
    "list": "- {}",
    "removed line of a diff": "@@ -1 +1 @@\n-{}",
    "added line of a diff": "@@ -1 +1 @@\n+{}",
    "colour": "found \x1b[1;32m{}\x1b[0m here",
    "Chinese": "密钥是{}。",
    "brackets": "[{}]({})",
    "log": "2025-03-05 09:15:23,123 INFO hermes.run 12ms got={}",
}
JSON_SETTINGS = {
    "json": lambda text: json.dumps({"role": "user", "content": f"see {text} and {text}"}),
    "json line": lambda text: json.dumps([f"first\n{text}\nlast"]),
    "json in json": lambda text: json.dumps({"arguments": json.dumps({"command": f"echo\t{text}\n"})}),
}
ASSIGNMENTS = {
    "shell": "export {name}={value}",
    "quoted shell": "export {name}='{value}'\necho done",
    "dotenv": "A=1\n{name}={value}\nB=2",
    "yaml": "service:\n  {name}: {value}\n  port: 80",
    "quoted yaml": '{name}: "{value}"',
    "toml": '{name} = "{value}"',
    "json": '{{"a": 1, "{name}": "{value}", "b": 2}}',
    "escaped json": '{{"arguments": "{{\\"{name}\\": \\"{value}\\"}}"}}',
    "twice escaped json": '"\\"{{\\\\\\"{name}\\\\\\": \\\\\\"{value}\\\\\\"}}\\""',
    "header": 'curl -H "{name}: {value}" https://api.acme.dev',
    "flag": "run --{name} {value} --verbose",
    "query": "GET /v1/things?{name}={value}&page=2",
    "python": 'settings["{name}"] = "{value}"',
    "annotated": 'x.{name}: str = "{value}"',
    "ruby": ":{name} => '{value}'",
    "xml": "<config><{name}>{value}</{name}></config>",
    "manifest": "- name: {name}\n  value: {value}\n",
    "prose": "the {name} is {value}, keep it safe",
    "end": "{name}={value}",
}


def alone_cases() -> Iterator[Case]:
    yield from (case(kind, template) for kind, template in ALONE)


def around_cases() -> Iterator[Case]:
    yield from (case(kind, template) for kind, template in AROUND)


def named_cases() -> Iterator[tuple[str, str, str]]:
    yield from ((kind, name, made(template)) for kind, name, template in NAMED)


def assert_masked(text: str, secret: str, kind: str) -> None:
    """The kind is named, the count is one or more, and no eight characters of the secret are left."""
    result, count = redact(text)
    assert count >= 1, text
    assert f"redacted {kind}]" in result or f"redacted: {kind}]" in result, (text, result)
    shown = max(n for n in range(len(secret)) if n == 0 or secret[:n] + "…[redacted" in result)
    body = secret[shown:]
    left = [body[i : i + 8] for i in range(len(body) - 7) if body[i : i + 8] in result]
    assert not left, (text, result)
    assert redact(result) == (result, 0)


def test_every_kind_has_an_example():
    examples = {kind for kind, *_ in (*ALONE, *AROUND, *NAMED)}
    assert examples == KINDS
    assert len(KINDS) >= 60


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_secret_with_a_shape_of_its_own_is_found_anywhere(setting: str):
    for kind, text, secret in alone_cases():
        assert_masked(SETTINGS[setting].replace("{}", text), secret, kind)


@pytest.mark.parametrize("setting", JSON_SETTINGS)
def test_a_secret_with_a_shape_of_its_own_is_found_in_json(setting: str):
    for kind, text, secret in alone_cases():
        masked = JSON_SETTINGS[setting](text)
        assert_masked(masked, secret, kind)
        json.loads(redact(masked)[0])


@pytest.mark.parametrize("setting", ["alone", "prose", "line", "line end", "double quotes", "list", "log", "yaml"])
def test_a_secret_between_marks_is_found(setting: str):
    for kind, text, secret in around_cases():
        assert_masked(SETTINGS[setting].replace("{}", text), secret, kind)


@pytest.mark.parametrize("style", ASSIGNMENTS)
def test_a_secret_under_a_name_is_found(style: str):
    for kind, name, value in named_cases():
        assert_masked(ASSIGNMENTS[style].format(name=name, value=value), value, kind)


# What people and programs write every day. One entry a line; none of them holds a secret.
ORDINARY = r"""
The password must be at least 12 characters long and contain a digit.
Forgot your password? Click the link we sent to reset it.
password is required
Password: required, 8-16 characters
Your password was changed on 2024-03-05 at 09:15.
The password is SHA-256 hashed before it leaves the browser.
password: base64-encoded
Passwords are stored with argon2id, never in plain text.
passwort: muss mindestens 10 Zeichen haben
El token expira en 30 minutos.
The secret of good bread is time.
secret: true
token: 42
tokens: 12345, cost: $0.03
max_tokens=4096 temperature=0.7
prompt_tokens: 1024, completion_tokens: 512
token_count = 128000
"token_type": "bearer"
"token_type":"Bearer","expires_in":3600
eos_token: "<|endoftext|>"
pad_token_id: 50256
The API key is in your account settings.
api_key: your-api-key
api_key = "YOUR_API_KEY_HERE"
api_key: <token>
api_key=${API_KEY}
API_KEY=$API_KEY
API_KEY="${{ secrets.API_KEY }}"
password: changeme
password = "change_me_123"
password: "***"
password: ********
password: xxxxxxxx
password = "example-password-1"
password=password123
PASSWORD=<your password>
PGPASSWORD=$(cat /run/secrets/pg)
DB_PASSWORD_FILE=/run/secrets/db_password_1
password = getpass.getpass("Password 1: ")
password = os.environ["DB_PASSWORD2"]
token = os.getenv("GITHUB_TOKEN_2")
token = request.headers.get("X-Token-1")
const token = process.env.TOKEN2;
self.password = config.database2.password
password: str
password: Optional[str] = None
password: bytes32
def login(user: str, password: str, token2: str) -> None:
if password == confirm_password2: pass
assert token != other_token1
secret_name: my-app-tls-2024
secretKeyRef: {name: app-credentials-v2, key: db-password}
secretName: registry-pull-2
"secret": "arn:aws:secretsmanager:us-east-1:123456789012:secret:db-1a2b3c"
api_key: op://vault/item2/field
api_key: vault:secret/data/app1#key
key: value
key = "user:1234"
cache_key="session:20250305_091523_a1b2c3d4:page2"
primary_key: id1
partition_key = "tenant#42"
sort_key: "2024-01-01T00:00:00Z#evt1"
idempotency_key: 8f14e45f-ceea-467f-a8d9-1a2b3c4d5e6f
next_page_token: CAoQAA8fGh1234567
nextPageToken: "EAAaHlBUOkNBb1FBQSJhYmMxMjM0NTY"
public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGJ1c3RlZC1rZXktZm9yLXRlc3RzLTEyMzQ1Njc4
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQC7vbqajDhA1 jo@laptop
-----BEGIN PUBLIC KEY-----
-----BEGIN CERTIFICATE-----
The file starts with -----BEGIN RSA PRIVATE KEY----- and ends with -----END RSA PRIVATE KEY-----.
-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----
session 20250305_091523_a1b2c3d4 resumed
cron_backup_20250305_091523
resumed 20250305_091523_a1b2c3 after compression
01ARZ3NDEKTSV4RRFFQ69G5FAV
01HQ3K5Z8X9V7W6T5S4R3Q2P1N is the ULID of the event
550e8400-e29b-41d4-a716-446655440000
{"id": "chatcmpl-9aBcDeFgHiJkLmNoPqRsTuVwXyZ12", "object": "chat.completion"}
{"tool_call_id": "call_abc123DEF456ghi789JKL012"}
"id": "toolu_01A09q90qw90lq917835lq9"
"id": "msg_01XFDUDYJgAACzvnptvVoYEL"
"id": "resp_67ccd2bed1ec8190b14f964abc0542670bb6a6b452d3795b"
"fingerprint": "fp_44709d6fcb"
request id req_011CRkQdJ5xkX8sCkS2n7Zqv
commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad
git checkout 61b6ba0
index 4c1f2a9..8e3d7b0 100644
Merge pull request #1234 from acme/fix-token-refresh
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
md5 d41d8cd98f00b204e9800998ecf8427e
integrity="sha512-oBcVBxuN3uLmZg8tKr3vhBBPBd3sEQkqYe5Y1kAxvbc8kKj5mWbsQ8G3qzUq0o9uV3xM4zqLrS2cXl1gH5bDdw=="
"integrity": "sha1-7dc8c8XH1Y0nJ5rJ3iGq8VvYx4E="
ETag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
--hash=sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
https://example.com/path/to/page?id=123&sort=asc#section-2
https://user@example.com/repo.git
git@github.com:acme/widgets.git
https://www.youtube.com/watch?v=dQw4w9WgXcQ
https://docs.google.com/document/d/1A2b3C4d5E6f7G8h9I0jKlMnOpQrStUvWxYz/edit
https://medium.com/@someone/how-we-moved-to-postgres-8f3a2b1c9d0e
https://cdn.jsdelivr.net/npm/bootstrap@5.3.2/dist/css/bootstrap.min.css
https://api.slack.com/messaging/webhooks
postgres://postgres:postgres@localhost:5432/postgres
postgres://user:password@localhost/db
mysql://root:${MYSQL_PASSWORD}@db/app
redis://localhost:6379/0
https://<user>:<password>@host
ftp://anonymous:anonymous@ftp.acme.dev
amqp://guest:guest@rabbit:5672
curl -u "$USER:$PASS" https://acme.dev
docker run -u 1000:1000 alpine
chown www-data:www-data /srv
curl -H "Authorization: Bearer $TOKEN" https://api.acme.dev
Authorization: Bearer <token>
Authorization: Basic <credentials>
"Authorization": f"Bearer {token}"
Send a bearer token with every request.
Basic authentication is turned off by default.
basic programming concepts for beginners
Cookie: a small file the browser keeps
Set-Cookie: theme=dark; Path=/
Keyboard layouts and keyframes: 60fps2
The keynote is at 10:30 in room B12
The passenger list is final2024.
pass: 12, fail: 0
PASS tests/unit/test_a1.py::test_one
pass rate is 98.5%, up from 97.1%
all tests pass: 2m30s
'password' => 'required|string|min:8'
PWD=/home/user2/project
OLDPWD=/srv/app1
tokenizer: cl100k_base
tokenizer = AutoTokenizer.from_pretrained("gpt2")
tokenizer_config.json
author: Jane Doe <jane2@acme.dev>
authority = "https://login.acme.dev/v2.0"
sk-learn
sk-container-id-1 sk-toggleable__content sk-estimator
task-1234567890-background-worker-queue
desk-lamp-adjustable-with-dimmer-2000
risk-assessment-report-final-version-3
hf_hub_download(repo_id="gpt2", filename="config.json")
npm_config_registry=https://registry.npmjs.org/
npm_lifecycle_event=test
ghp_ is the prefix of GitHub's tokens
A GitHub token begins with ghp_, gho_, ghu_, ghs_ or github_pat_.
sk-ant-api03-... is how Anthropic's keys begin
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
sk-...abcd
AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX
xoxb-your-token-here
sk_live_your_key
pk_live_publishable keys may be shown
Bearer tokens and API keys are described in section 4.2.1
key-value-store-with-ttl-and-lru-eviction
re_compile_pattern_from_string
SK8ER boi and SKYSCRAPERS
MTA bus line M42 to Manhattan
EAAS platform comparison for enterprise architecture and applications
def get_access_token_from_refresh_token_and_client_credentials(): ...
getAccessTokenFromLocalStorageOrRedirectToLoginPage()
class AbstractSingletonProxyFactoryBeanPasswordEncoderTest2: pass
private static final String TOKEN_HEADER = "X-Auth-Token";
@Value("${spring.datasource.password}")
import { useAuthToken } from "../hooks/useAuthToken2";
!function(e,t){"object"==typeof exports?module.exports=t():e.key=t()}(this,function(){return 1});
var a=b.c.d(e,{key:"x1",token:f.g2,secret:h||null});
.btn-primary{background:#0d6efd;color:#fff}.sk-spinner-pulse{animation:sk-pulse 1s infinite}
background: url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)
<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwAD=">
<input type="password" name="password" id="password2" placeholder="Password">
<label for="password">Password</label>
<password>changeme</password>
{"type": "object", "properties": {"password": {"type": "string", "minLength": 8}}}
{"password": "Passwort", "username": "Benutzername"}
{"error": "invalid_token", "error_description": "The access token expired"}
{"password_hash": "$2b$12$KIXQw3hT1y9dR8fG7uJ5eO1aB2cD3eF4gH5iJ6kL7mN8oP9qR0sTu"}
{"access_token_expires_at": "2024-05-01T12:00:00Z"}
"csrfmiddlewaretoken": "{{ csrf_token }}"
Traceback (most recent call last): File "/usr/lib/python3.11/json/decoder.py", line 355, in raw_decode
  File "/srv/app/auth/token_store.py", line 42, in refresh_access_token
java.lang.NullPointerException at com.acme.security.PasswordEncoderFactory.create(PasswordEncoderFactory.java:117)
at Object.<anonymous> (/srv/app/node_modules/jsonwebtoken/verify.js:121:14)
goroutine 1 [running]: main.main() /srv/main.go:23 +0x1d
0x7fff5fbff8c0 0xdeadbeefcafebabe
segfault at 7f3c2a1b0000 ip 00007f3c29e41234 sp 00007ffd1a2b3c40 error 4
numpy==1.26.4 pandas==2.2.1 scikit-learn==1.4.1.post1
react@18.2.0 typescript@5.3.3 @types/node@20.11.16
python3.11-3.11.7+20240107-x86_64-unknown-linux-gnu-install_only.tar.gz
docker.io/library/postgres@sha256:4aea012537edfad80f98d870a36e6b90b4c09b27be7f4b4759d72db863baeebb
registry.acme.dev/team/service:2024.03.05-1a2b3c4
Linux host 6.1.0-18-amd64 #1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01) x86_64
Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/122.0.0.0
arn:aws:iam::123456789012:role/deploy-role-prod
projects/acme-prod/locations/europe-west1/keyRings/app/cryptoKeys/data-v2
subscription 0b1f6471-1bf0-4dda-aec3-111122223333 resource group rg-prod-01
AC0123456789abcdef is not an account
+49 30 901820, IBAN DE89 3704 0044 0532 0130 00
Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt
Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch is a village
returns a dynamic library identified by 'name' or None
Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft
密码不能为空，请重新输入。
パスワードを忘れた場合はこちら
Пароль должен содержать не менее 8 символов
Mnemonic: every good boy does fine
The recovery phrase is twelve words long; write it down.
SELECT id, password_hash, token_expires_at FROM users WHERE api_key_id = 42;
ALTER TABLE users ADD COLUMN password varchar(255) NOT NULL DEFAULT '';
INSERT INTO tokens (kind, count) VALUES ('access', 12);
export PATH="$HOME/.local/bin:$PATH" EDITOR=vim
[redacted: password] and sk-ant-…[redacted anthropic-api-key] stay as they are
password="[redacted: password]"
Authorization: Bearer [redacted: bearer-token]
""".strip().splitlines()

SHAPES_OF_ORDINARY_THINGS = {
    "md5": "{h32}",
    "sha1": "{h40}",
    "sha256": "sha256:{h64}",
    "sha512": "{h128}",
    "uuid": UUID,
    "ulid": "01HQ{B22}",
    "session id": "20250305_091523_{h8}",
    "nanoid": "{w21}",
    "base64 line": "{s76}",
    "base64 image": "data:image/png;base64,iVBORw0KGgo{s2000}==",
    "base64url blob": "{w1500}",
    "git log": "commit {h40}\nAuthor: Jo <jo@acme.dev>\n    refresh the token",
    "lock file": '"integrity": "sha512-{s86}==",',
    "object key": "s3://bucket/uploads/{h2}/{h2}/{h60}.jpg",
    "docker layer": "{h12}: Pulling fs layer, Digest: sha256:{h64}",
    "bitcoin address": "bc1q{b38}",
    "ethereum address": "0x{h40}",
    "ethereum transaction": "tx 0x{h64} confirmed",
    "hex dump": "00000010: {h4} {h4} {h4} {h4} {h4} {h4} {h4} {h4}",
    "trace id": "traceparent: 00-{h32}-{h16}-01",
    "asset": "/static/js/main.{h8}.chunk.js",
    "youtube": "https://youtu.be/{w11}",
    "ssh fingerprint": "SHA256:{s43} jo@laptop (ED25519)",
}


def ordinary() -> list[str]:
    generated = [made(template + f"{n}") for template in SHAPES_OF_ORDINARY_THINGS.values() for n in range(5)]
    return [*ORDINARY, *(text[:-1] for text in generated)]


def test_ordinary_text_has_no_secrets():
    texts = ordinary()
    assert len(texts) >= 300
    found = [(text, find_secrets(text)) for text in texts if find_secrets(text)]
    assert found == []


def test_ordinary_text_in_one_piece_has_no_secrets():
    text = "\n".join(ordinary())
    assert redact(text) == (text, 0)
    as_json = json.dumps(text)
    assert redact(as_json) == (as_json, 0)


PLACEHOLDERS = r"""
changeme change_me your-api-key YOUR_TOKEN <token> ${VAR} {{token}} $(cat xxxxxxxx example1 *** %TOKEN_1% placeholder2
[redacted] $TOKEN1 arn:aws:x1 op://vault/a1 null none1 test123 password1 secret1 dummy-key-1234567890
"""


@pytest.mark.parametrize("name", ["password", "api_key", "ACCESS_TOKEN", "client_secret"])
def test_placeholders_are_no_secrets(name: str):
    texts = [
        f"{name}{sep}{quote}{value}{quote}"
        for value in PLACEHOLDERS.split()
        for sep in ("=", ": ")
        for quote in ("", '"')
    ]
    assert [(text, redact(text)[0]) for text in texts if redact(text)[1]] == []


@pytest.mark.parametrize(
    "word", ["Passwort", "Kennwort", "contraseña", "senha", "пароль", "密码", "パスワード", "비밀번호"]
)
def test_passwords_are_found_in_other_languages(word: str):
    value = made("{a10}7x")
    for text in (f"{word}: {value}", f"{word}：{value}", f'"{word}" = "{value}"'):
        assert_masked(text, value, "password")


def test_a_mask_says_what_it_was_and_keeps_no_more_than_the_public_prefix():
    key, token = made("sk-ant-api03-{w93}AA"), made("ghp_{a36}")
    assert redact(f"use {key}.") == ("use sk-ant-api…[redacted anthropic-api-key].", 1)
    assert redact(f"{token}\n{token}") == ("\n".join(["ghp_…[redacted github-personal-token]"] * 2), 2)
    assert redact(made("password={a10}7x")) == ("password=[redacted: password]", 1)
    assert redact(made("redis://:{a20}@cache:6379")) == ("redis://:[redacted: database-password]@cache:6379", 1)


def test_a_secret_is_where_it_says():
    token = made("glpat-{w19}a")
    [secret] = find_secrets(f"push with {token} now")
    assert (secret.kind, secret.start, secret.end) == ("gitlab-personal-token", 10, 10 + len(token))


def test_a_quoted_value_is_masked_to_its_end_whatever_it_holds():
    password = made('{a5}7"x\\{a5}')
    for text in (json.dumps({"password": password}), json.dumps(json.dumps({"password": password}))):
        result, count = redact(text)
        assert count == 1 and "[redacted: password]" in result
        assert password[:6] not in result and password[-5:] not in result
        json.loads(result)


def test_a_long_value_is_masked_to_its_end():
    assert redact(made('session_token = "{a3000}"')) == ('session_token = "[redacted: aws-session-token]"', 1)
    assert redact(made("api_key={a3000}7")) == ("api_key=[redacted: api-key]", 1)


def test_pass_is_a_password_only_where_it_is_a_name():
    assert redact(made("auth: {user: 'jo', pass: '{a9}7x'}")) == ("auth: {user: 'jo', pass: '[redacted: password]'}", 1)
    assert redact(made('"pass": "{a9}7x"')) == ('"pass": "[redacted: password]"', 1)
    assert redact(made("these pass: {a9}7x"))[1] == 0


def test_overlapping_readings_are_one_secret():
    token = made("ghp_{a36}")
    assert redact(f"https://x:{token}@github.com") == ("https://x:ghp_…[redacted github-personal-token]@github.com", 1)
    assert redact(f"GITHUB_TOKEN={token}") == ("GITHUB_TOKEN=ghp_…[redacted github-personal-token]", 1)
    assert redact(f"Authorization: Bearer {token}")[1] == 1


def test_a_cut_off_private_key_is_masked_and_the_text_behind_it_stays():
    text = made("-----BEGIN RSA PRIVATE KEY-----\n{s64}\n{s64}\nand then it stopped")
    assert redact(text) == ("[redacted: rsa-private-key]\nand then it stopped", 1)


def test_structured_values_are_redacted_at_any_depth():
    key = made("sk-proj-{w74}T3BlbkFJ{w73}A")
    value = {"messages": [{"role": "user", "content": f"use {key}"}, {"n": 1, "x": None, "ok": True}], "t": (key,)}
    masked = "sk-proj-…[redacted openai-project-key]"
    assert redact_value(value) == (
        {"messages": [{"role": "user", "content": f"use {masked}"}, {"n": 1, "x": None, "ok": True}], "t": [masked]},
        2,
    )
    assert key in value["messages"][0]["content"]  # the caller's own is not touched


@pytest.mark.parametrize(
    ("value", "masked"),
    [
        ({"password": "tomatoes"}, {"password": "[redacted: password]"}),
        ({"env": {"DB_PASSWORD": "hunter2"}}, {"env": {"DB_PASSWORD": "[redacted: password]"}}),
        ({"api_key": "Zq8xW2pL"}, {"api_key": "[redacted: api-key]"}),
        ({"token": "Zq8xW2pL9d"}, {"token": "[redacted: token]"}),
        ({"Authorization": "Bearer Zq8xW2pL9dTT41"}, {"Authorization": "Bearer [redacted: authorization-header]"}),
        ({"headers": {"Cookie": "sid=Zq8xW2pL9dTT41vv"}}, {"headers": {"Cookie": "[redacted: cookie]"}}),
        ([{"name": "API_TOKEN", "value": "Zq8xW2pL9d"}], [{"name": "API_TOKEN", "value": "[redacted: token]"}]),
    ],
)
def test_the_key_of_a_value_tells_that_it_is_secret(value: object, masked: object):
    assert redact_value(value) == (masked, 1)
    assert redact_value(masked) == (masked, 0)


@pytest.mark.parametrize(
    "value",
    [
        {"password": ""},
        {"password": "short"},
        {"password": "changeme"},
        {"password": "at least eight characters"},
        {"password": {"type": "string", "minLength": 8}},
        {"password": None, "token": 12345678, "secret": True},
        {"token": "understanding", "token_type": "bearer", "max_tokens": "4096"},
        {"Authorization": "Bearer $TOKEN"},
        {"key": "a1b2c3d4e5f6", "name": "cache", "value": "a1b2c3d4e5f6"},
        "plain text",
        [],
        None,
    ],
)
def test_values_without_secrets_come_back_equal(value: object):
    assert redact_value(value) == (value, 0)


def test_keys_with_secrets_are_masked_and_no_value_is_lost():
    first, second = made("ghp_{a36}"), made("ghp_{a35}1")
    masked, count = redact_value({first: 1, second: 2, "a": 3})
    assert count == 2
    assert sorted(masked.values()) == [1, 2, 3]
    assert not any(secret in key for secret in (first, second) for key in masked)


def test_nesting_has_no_limit():
    value: object = made("ghp_{a36}")
    for _ in range(20_000):
        value = [value]
    masked, count = redact_value(value)
    assert count == 1
    while isinstance(masked, list):
        [masked] = masked
    assert masked == "ghp_…[redacted github-personal-token]"


# Text that could hold a secret, in pieces: prefixes, names, marks, masks, and every example, whole or broken.
PIECES = sorted({piece for _, text, _ in (*alone_cases(), *around_cases()) for piece in (text, text[:12], text[-30:])})
PIECES += [
    ASSIGNMENTS[style].format(name=name, value=value) for _, name, value in named_cases() for style in ("json", "end")
]
PIECES += [
    "password",
    "api_key",
    "token",
    "=",
    ": ",
    '"',
    "\\",
    "\\n",
    "'",
    " ",
    "\n",
    "://",
    "@",
    "Bearer ",
    "a1B2c3D4e5F6",
]
PIECES += [
    "[redacted: password]",
    "ghp_…[redacted github-personal-token]",
    "[redacted",
    "…",
    "]",
    "is ",
    "<",
    ">",
    "%3D",
]
MIXED_TEXT = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=12).map("".join)
JSON_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), MIXED_TEXT),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.sampled_from(["password", "api_key", "name", "value", "Cookie"]), MIXED_TEXT), inner
        ),
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=300)
@given(MIXED_TEXT)
def test_redacting_twice_changes_nothing(text: str):
    once, count = redact(text)
    assert redact(once) == (once, 0)
    assert (count == 0) == (once == text)


@settings(deadline=None, max_examples=300)
@given(st.text())
@example("İİİ password=aB3dE6gH İ")
@example("\ud800 token: \x00")
def test_any_text_can_be_redacted(text: str):
    once, count = redact(text)
    assert redact(once) == (once, 0)
    assert (count == 0) == (once == text)


@settings(deadline=None, max_examples=300)
@given(st.lists(st.sampled_from(ordinary()), max_size=20), st.sampled_from([" ", "\n", ", ", "\t"]))
def test_ordinary_text_stays_equal(texts: list[str], between: str):
    text = between.join(texts)
    assert redact(text) == (text, 0)


@settings(deadline=None, max_examples=200)
@given(JSON_VALUES)
def test_redacting_a_value_twice_changes_nothing(value: object):
    once, count = redact_value(value)
    assert redact_value(once) == (once, 0)
    assert (count == 0) == (once == value)
    json.dumps(once)


def seconds(text: str) -> float:
    start = time.process_time()
    redact(text)
    return time.process_time() - start


def test_ten_megabytes_of_ordinary_text_take_seconds():
    lines = "\n".join(ordinary())
    text = (lines * (10_000_000 // len(lines) + 1))[:10_000_000]
    taken = seconds(text)
    print(f"{10 / taken:.1f} MB/s of ordinary text, {len(KINDS)} kinds")  # shown by pytest -rP
    assert taken < 30  # a few seconds a megabyte; nothing that grows faster than the text


CRAFTED = [
    *[
        "key=",
        'api_key="\\"',
        "password:",
        "token is ",
        "pass",
        "eyJ.",
        " eyJaaaaaaaaaaaaaaaaaaaa.",
        "://a:",
        "://",
        "curl -u ",
    ],
    *[
        "-----BEGIN RSA PRIVATE KEY-----",
        "authorization: ",
        "cookie: a=b",
        "machine a login b ",
        "phrase: abc abc ",
        "sl.",
    ],
    *[
        "ya29.ya29.aaaaaaaaaaaaaaaaa ",
        "sk-aaaaaaaaaaaaaaaaaaaaaaa ",
        "-us",
        "api_key: a ",
        "key" + " " * 20,
        "\\",
        '"',
        ".",
    ],
    *["password=aB3dEf7,", 'password = "aB3dE6gH" ', "ghp_" + "aB3" * 12, "a", " ", "A-", "<password>", "dp.pt."],
]


@pytest.mark.parametrize("unit", CRAFTED)
def test_no_text_takes_long(unit: str):
    text = unit * (200_000 // len(unit))
    # What grows faster than the text takes minutes here, of the densest nonsense there is.
    assert seconds(text) < 20
