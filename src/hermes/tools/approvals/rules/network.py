"""What leaves this machine, and what comes to it."""

import re
from typing import TYPE_CHECKING, Any

from hermes.tools.approvals.naming import named
from hermes.tools.approvals.rules import apart, operands, options, rule, unknown, value_of

if TYPE_CHECKING:
    from hermes.tools.approvals.judge import Judge, Run

_HERE = re.compile(r"(https?://)?(localhost|127(\.\d+){3}|\[::1\]|0\.0\.0\.0)(:\d+)?(/|\?|$)")
_SENDING = ("-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json", "-F", "--form",
            "--form-string", "-T", "--upload-file", "--url-query")  # fmt: skip
_CURL_VALUED = frozenset(
    named(
        """
    -d -F -T -H -X -o -u -A -e -b -c -K -m -w -x -E -r -C -y -Y -z -D --data --data-raw --data-binary --data-ascii
    --data-urlencode --json --form --form-string --upload-file --header --request --output --user --user-agent
    --referer --cookie --cookie-jar --config --max-time --connect-timeout --write-out --proxy --cert --key --cacert
    --range --retry --retry-delay --dump-header --output-dir --resolve --url --max-redirs --limit-rate --interface
    --netrc-file
    """
    )
)


_CURL_KEYS = frozenset(
    named(
        """
        -K --config -u --user -n --netrc --netrc-file -b --cookie -E --cert -Q --quote --engine --proxy -x
        """
    )
)


@rule("curl")
def curl(judge: "Judge", run: "Run") -> None:
    arguments = apart(run.arguments, "dFTHXouAebcKmwxErCyYzDQtU")
    if unknown([one for one in arguments if not one.text.startswith("http")]):
        judge.ask("what curl is given cannot be told")
    addresses = [*operands(arguments, _CURL_VALUED), *filter(None, [value_of(arguments, "--url")])]
    here = bool(addresses) and all(one.known and _HERE.match(one.text) for one in addresses)
    for one in addresses:
        if re.match(r"(?!https?:)[a-z0-9+]+://", one.text, re.IGNORECASE):
            judge.ask(f"curl uses another protocol ({one.text})")
        if not one.known:
            judge.ask(f"curl sends what cannot be told to {one.text}")
    _sent(judge, arguments, here=here)
    _kept(judge, arguments)
    given = options(arguments)
    if given & _CURL_KEYS:
        judge.ask("curl is given keys, or a file that tells it what to do")
    if given & {"--unix-socket", "--abstract-unix-socket"} or any(one.text.startswith("@") for one in arguments):
        judge.ask("curl reads a file, or talks to a program here")
    method = value_of(arguments, "-X", "--request")
    if method is not None and method.text.upper() not in ("GET", "HEAD", "OPTIONS") and not here:
        judge.ask(f"curl -X {method.text} changes something elsewhere")


def _sent(judge: "Judge", arguments: list[Any], *, here: bool) -> None:
    for name in _SENDING:
        sent = value_of(arguments, name)
        if sent is None:
            continue
        if (
            not sent.known
            or "@" in sent.text[:1]
            or "=@" in sent.text
            or "=<" in sent.text
            or name in ("-T", "--upload-file")
        ):
            judge.ask(f"curl sends a file or what cannot be told ({sent.text})")
        elif not here:
            judge.ask("curl sends something away")


def _kept(judge: "Judge", arguments: list[Any]) -> None:
    given = options(arguments)
    for names in (
        ("-o", "--output"),
        ("-c", "--cookie-jar"),
        ("-D", "--dump-header"),
        ("--trace",),
        ("--trace-ascii",),
    ):
        target = value_of(arguments, *names)
        if target is not None and target.text != "-":
            judge.writes(target, over=True)
    if given & {"-O", "--remote-name", "--remote-name-all", "-J"}:
        judge.writes_here()
    if "--output-dir" in given:
        judge.writes(value_of(arguments, "--output-dir"))


_WGET_SENDING = frozenset(
    named(
        """
        --post-data --post-file --body-data --body-file --method --use-askpass -e --execute --config -i --input-file
        --header
        """
    )
)


@rule("wget")
def wget(judge: "Judge", run: "Run") -> None:
    arguments = apart(run.arguments, "OPeioaUtTwQRADIXBl")
    given = options(arguments)
    if unknown(arguments) or any(not one.known for one in operands(arguments)):
        judge.ask("what wget is given cannot be told")
    if given & _WGET_SENDING:
        judge.ask("wget sends something, or is told what to do by a file")
    target = value_of(arguments, "-O", "--output-document")
    if target is not None and target.text != "-":
        judge.writes(target, over=True)
    folder = value_of(arguments, "-P", "--directory-prefix")
    if folder is not None:
        judge.writes(folder)
    elif target is None and "--spider" not in given:
        judge.writes_here()


@rule(
    *named(
        """
        http https httpie xh ssh scp sftp ftp lftp nc ncat netcat telnet rclone aws gcloud az gsutil s3cmd mail
        mailx mutt sendmail swaks openssl gpg gpg2 age ngrok cloudflared tailscale wg croc magic-wormhole wormhole
        curlie aria2c yt-dlp ssh-keygen ssh-add ssh-copy-id ssh-agent heroku vercel netlify fly flyctl wrangler
        firebase op pass bw vault keybase security secret-tool
        """
    ),
)
def elsewhere(judge: "Judge", run: "Run") -> None:
    if run.name == "openssl" and run.arguments[:1] and run.arguments[0].text in ("version", "dgst", "rand"):
        return
    if not options(run.arguments) & {"--version", "--help"} or len(run.arguments) > 1:
        judge.ask(f"{run.name} reaches other machines, or handles keys")
