"""What a value looks like: random, chosen, left open, or the name of something."""

import math
import re
from collections import Counter
from itertools import pairwise

_ENOUGH = 200  # so many characters of a value show what it is
WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_LETTER = re.compile(r"[^\W\d_]")
_NOT_LETTERS = re.compile(r"[^a-z]")
_DIGIT_IN = re.compile(r"\d")
_BLANK = re.compile(r"\s")
_STOP_WORDS = words_of("""password passwd pass passphrase pwd secret secrets token key apikey test testing tests user
    username admin root mysecret mypassword mytoken mykey mypass foo bar foobar baz qux abc xyz none null nil true false
    undefined string str int integer number bool boolean float bytes uint char varchar text hidden masked removed empty
    default required optional value somevalue sha md bcrypt argon argonid scrypt pbkdf base utf aes rs hs es oauth http
    https localhost basic bearer xxx xxxx""")
# Left open, masked, an expression; and what people write who want it replaced.
_PLACEHOLDERS = words_of("""< > … • ${ {{ $( %( ... *** xxxxx [redacted ]{ (? environ getenv process.env changeme
    change_me change-me replace example placeholder dummy sample insert not_a_real _your -your required nullable
    |min: |max:""")
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


def is_filler(body: str) -> bool:
    """A key in a manual: one character many times, or a word that says so."""
    lowered = body[:_ENOUGH].lower()
    return len(set(lowered)) < 6 or "example" in lowered or "xxxxxx" in lowered


def is_placeholder(value: str) -> bool:
    lowered = value[:_ENOUGH].lower()
    if any(sign in lowered for sign in _PLACEHOLDERS) or _PLACEHOLDER.match(lowered):
        return True
    return _NOT_LETTERS.sub("", lowered) in _STOP_WORDS


def is_reference(value: str) -> bool:
    return bool(_REFERENCE.match(value)) or (value.startswith(("/", "./", "../", "~/")) and _is_slug(value))


def is_variable(value: str) -> bool:
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
    units = WORDS.findall(value)
    return sum(map(len, units)) >= longest * len(units)


def is_key(value: str, *, shortest: int = 10) -> bool:
    """Long, without blanks, and random to the eye."""
    start = value[:_ENOUGH]
    if len(value) < shortest or _BLANK.search(value) or not _LETTER.search(start):
        return False
    if _entropy(start) < (3 if shortest >= 10 else 2.5) or is_filler(start) or _is_slug(start):
        return False
    return bool(_DIGIT_IN.search(start)) or shortest < 10 or (len(start) >= 20 and _changes(start) > 0.4 * len(start))


def is_password(value: str, *, loose: bool) -> bool:
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


def within_base64(text: str, start: int) -> bool:
    """Letters and digits alone turn up by chance there, where + and / are no borders."""
    return start > 1 and text[start - 1] in "+/" and text[start - 2].isalnum()
