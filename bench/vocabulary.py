"""The words the corpus is made of: a fixed vocabulary with natural frequencies, and the words to search for."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass

_STOP = """the to of and a in is it that for on with as this be are not was if you can from at or by an have
which will has but all we there use when one so no its do than how any now more also then into only out up what
some them they does your our should same each been after before where would could other about these my just
because why who here over most very such both while between first new"""
_TECHNICAL = """file error test run code line build server data type value return function class method module import
path config version branch commit merge request response status query table index column database cache session
message token model prompt agent tool output input string number list object key user name client socket port host
network timeout retry thread process memory disk queue worker task job event handler callback hook plugin package
install update upgrade release docker container image volume cluster node service gateway proxy router header body
json yaml schema field record row transaction lock write read append delete insert select filter sort page limit
search match regex parse format encode decode compress hash digest secret password login permission role owner
window screen button layout style color theme font render frame canvas layer scene texture shader vertex pixel
python rust typescript javascript golang kernel driver compiler linker debugger profiler benchmark coverage lint
weather email calendar meeting invoice budget travel flight hotel recipe garden music photo video article summary"""
_SYLLABLES = """ba be bi bo ca ce ci co da de di do fa fe fi fo ga ge gi go ha he hi ho la le li lo ma me mi mo na ne ni
no pa pe pi po ra re ri ro sa se si so ta te ti to va ve vi vo an en in on ar er ir or al el il ol as es is os tion
ment ness ing ed ly tra pre con pro str sub out th st ch sh"""
_EXTENSIONS = ("py", "ts", "rs", "go", "md", "json", "yaml", "toml", "sh", "html", "css", "log")
_FOLDERS = ("src", "lib", "tests", "docs", "app", "core", "api", "web", "scripts", "config", "internal", "pkg")

# Planted at a known rate, so that a search benchmark knows what it asks for. None of them can come up by chance.
RARE = ("quaxolith", "zebrawick", "ompharrow", "yttrexing", "vumblecast")
MID = ("marlvane", "dustorrel", "wexhollow", "brindlequay", "pomfracture")
COMMON = ("harkenfield", "sollowby", "trenchwell")
PHRASE = "rolling quorum handover"
PREFIX = "glimmer"
PREFIX_WORDS = ("glimmer", "glimmered", "glimmering", "glimmerstone")
CJK_PAIR = "部署"
MIXED = "修改youer服务端"
MIXED_PART = "youer"
QUESTION = "When did we last talk about the rolling quorum handover of the marlvane server?"

_RATES = (
    *((word, 0.0003) for word in RARE),
    *((word, 0.015) for word in MID),
    *((word, 0.15) for word in COMMON),
    *((word, 0.004) for word in PREFIX_WORDS),
    (PHRASE, 0.003),
    (MIXED, 0.0005),
)
CJK_RATE = 0.2  # of the CJK messages


@dataclass(frozen=True)
class Vocabulary:
    words: list[str]
    weights: list[float]  # cumulative
    names: list[str]
    paths: list[str]

    @classmethod
    def build(cls, size: int = 24_000) -> "Vocabulary":
        """The same one for every corpus, whatever its seed."""
        rng = random.Random("hermes vocabulary")
        plain = _STOP.split() + _TECHNICAL.split() + _invented(rng, size)
        names = [_identifier(rng, plain) for _ in range(size // 3)]
        paths = [_path(rng, plain) for _ in range(size // 8)]
        rest = plain[400:] + names + paths + [str(rng.randrange(10 ** rng.randint(1, 5))) for _ in range(size // 10)]
        rng.shuffle(rest)
        words = list(dict.fromkeys(plain[:400] + rest))
        return cls(words, list(itertools.accumulate(_zipf(len(words)))), names, paths)

    def stream(self, rng: random.Random) -> Iterator[str]:
        """Words without end, each as often as its rank says."""
        while True:
            yield from rng.choices(self.words, cum_weights=self.weights, k=20_000)


def _zipf(count: int) -> Iterator[float]:
    return (1 / (rank + 2.7) ** 1.05 for rank in range(count))


def _invented(rng: random.Random, count: int) -> list[str]:
    syllables = _SYLLABLES.split()
    made = ("".join(rng.choices(syllables, k=rng.choice((2, 2, 3, 3, 3, 4)))) for _ in itertools.count())
    return list(itertools.islice(dict.fromkeys(itertools.islice(made, count * 2)), count))


def _identifier(rng: random.Random, plain: list[str]) -> str:
    parts = [plain[int(len(plain) * rng.random() ** 3)] for _ in range(rng.choice((2, 2, 3)))]
    if rng.random() < 0.6:
        return "_".join(parts)
    if rng.random() < 0.5:
        return ".".join(parts)
    return "".join(part.capitalize() for part in parts)


def _path(rng: random.Random, plain: list[str]) -> str:
    folders = [rng.choice(_FOLDERS), *(plain[int(len(plain) * rng.random() ** 3)] for _ in range(rng.randint(0, 2)))]
    name = plain[int(len(plain) * rng.random() ** 3)]
    return f"{'/'.join(folders)}/{name}.{rng.choice(_EXTENSIONS)}"


def planted(rng: random.Random) -> list[str]:
    """What is planted into the next message."""
    return [text for text, rate in _RATES if rng.random() < rate]
