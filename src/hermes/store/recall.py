"""Recall: sessions for a question in plain words; ranking.py says which come first."""

from collections.abc import Mapping, Sequence
from typing import Any

from hermes.errors import BadInput
from hermes.store.base import Row
from hermes.store.lists import check_page
from hermes.store.operations import Operations
from hermes.store.search import checked_filters


class RecallOperations(Operations):
    def recall(
        self,
        question: str,
        limit: int = 5,
        *,
        sources: Sequence[str] | None = None,
        exclude_sources: Sequence[str] = (),
        roles: Sequence[str] | None = None,
        after: float | None = None,
        before: float | None = None,
        exclude_lineages: Sequence[str] = (),
        archived: bool | None = None,
        tag: str | None = None,
        recency: float = 0.0,
        role_weights: Mapping[str, float] | None = None,
        explain: bool = False,
    ) -> list[Row]:
        """Sessions that answer a question asked in plain words, best first.

        Each row: session_id, title, source, score, last_active, excerpts (message id, role, text around the hit).
        `recency` favours recent sessions (0: not at all; 1: one of last month counts about twice one of last year),
        `role_weights` the words of some roles, such as {"tool": 0.5}; both are neutral by default. A time named in
        the question ("last March") favours sessions of that time. `explain` adds why.
        """
        check_page(limit, 0)
        if not isinstance(question, str):
            raise BadInput("A question must be text.")
        weights = _checked_weights(role_weights or {})
        filters = checked_filters(
            sources=sources,
            exclude_sources=exclude_sources,
            roles=roles,
            after=after,
            before=before,
            exclude_lineages=exclude_lineages,
            archived=archived,
            tag=tag,
        )
        from hermes.store.questions import understand  # only who asks waits for what the answer needs
        from hermes.store.ranking import answer, candidates, gather, rank

        now = self._now()
        asked = understand(question, now)
        recency = _checked_number("recency", recency)
        if not asked.terms or limit == 0:
            return []
        self._prepare_search()
        with self._read() as reader:
            evidence = gather(reader, asked, scoped=self.scope is not None)
            found = candidates(reader, evidence, filters, weights, limit)
            rank(found, evidence, asked, recency, now)
            chosen = sorted(found, key=lambda one: (-one.score, -one.row["last_active"]))[:limit]
            texts = reader.texts([message for one in chosen for message in one.best])
        return [answer(one, evidence, texts, asked, explain) for one in chosen]


def _checked_weights(weights: Any) -> dict[str, float]:
    if not isinstance(weights, Mapping):
        raise BadInput("role_weights must be a dict of roles and numbers.")
    return {str(role): _checked_number(f"the weight of {role!s:.40}", weight) for role, weight in weights.items()}


def _checked_number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1000:
        raise BadInput(f"{name} must be a number from 0 to 1000.")
    return float(value)
