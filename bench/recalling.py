"""The lines on session_search: ours alone, because the reference's goes through a model that takes seconds."""

from typing import Any

from bench import vocabulary
from bench.lines import Line, Target
from bench.programs import Program
from bench.rounds import Figures, Group
from bench.stage import Stage

CALLS: dict[str, list[dict[str, Any]]] = {
    "recent": [{}],
    "rare": [{"query": word} for word in vocabulary.RARE],
    "mid": [{"query": word} for word in vocabulary.MID],
    "common": [{"query": word} for word in vocabulary.COMMON],
    "large": [{"query": word, "characters": 100_000} for word in vocabulary.MID],
    "question": [{"query": vocabulary.QUESTION}],
}
_WHAT = {
    "recent": ("recent sessions", 0.02, 0.01),
    "rare": ("a rare word", 0.03, 0.015),
    "mid": ("a word of some messages", 0.06, 0.03),
    "common": ("a common word", 0.15, 0.08),
    "large": ("with 100,000 characters each", 0.15, 0.08),
    "question": ("a question in plain words", 0.3, 0.15),
}


def recall_group(stage: Stage) -> Group:
    """Half of the calls take no longer than this; three sessions with 4,000 characters each unless it says more."""

    def measure(program: Program) -> Figures:
        if program.name != "ours":
            return {}
        database = stage.filled(program)
        figures: Figures = program.run("recall_tool", database=str(database), calls=CALLS)["waits"]
        stage.remove(database)
        return figures

    lines = {
        name: Line(
            f"session_search in {stage.corpus.messages:,}: {what}",
            "ms",
            target=Target("most", floor, goal),
            compared=False,
        )
        for name, (what, floor, goal) in _WHAT.items()
    }
    return Group(measure, lines)
