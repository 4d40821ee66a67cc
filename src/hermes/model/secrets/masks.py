"""Where secrets were, masks are."""

from hermes.model.secrets.base import Secret


def _mask(secret: Secret, text: str) -> str:
    prefix = text[secret.start : secret.start + secret.shown]
    return f"{prefix}…[redacted {secret.kind}]" if prefix else f"[redacted: {secret.kind}]"


def mask_all(text: str, secrets: list[Secret]) -> str:
    parts: list[str] = []
    done = 0
    for secret in secrets:
        parts += text[done : secret.start], _mask(secret, text)
        done = secret.end
    return "".join(parts) + text[done:]


def merged(found: list[Secret]) -> list[Secret]:
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
