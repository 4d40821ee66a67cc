"""Session keys, as the guide prints them, and owners."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hermes.gateway.keys import Place, Sharing, is_shared, owner_of, session_key

ROOM = Sharing(group_sessions_per_user=False)
APART = Sharing(thread_sessions_per_user=True)


@pytest.mark.parametrize(
    ("place", "sharing", "key", "owner"),
    [
        (Place("telegram", "dm", "7", user="7"), Sharing(), "telegram:dm:7", "telegram:7"),
        (Place("discord", "dm", "d1", user="u"), Sharing(), "discord:dm:d1", "discord:u"),
        (Place("whatsapp", "dm", "49", user="49"), ROOM, "whatsapp:dm:49", "whatsapp:49"),
        (Place("telegram", "dm", "7", "3", "7"), Sharing(), "telegram:dm:7:3", "telegram:7"),
        (Place("sms", "dm", "", user="49"), Sharing(), "sms:dm:49", "sms:49"),
        (Place("email", "dm", "box"), Sharing(), "email:dm:box", "email:chat:box"),
        (Place("slack", "group", "g", user="u"), Sharing(), "slack:group:g:u", "slack:u"),
        (Place("slack", "group", "g"), Sharing(), "slack:group:g", "slack:chat:g"),
        (Place("slack", "group", "g", user="u"), ROOM, "slack:group:g", "slack:chat:g"),
        (Place("slack", "group", "g", "t", "u"), Sharing(), "slack:group:g:t", "slack:chat:g:t"),
        (Place("slack", "group", "g", "t", "u"), APART, "slack:group:g:t:u", "slack:u"),
        (Place("slack", "group", "g", "t", "u"), Sharing(False, True), "slack:group:g:t", "slack:chat:g:t"),
        (Place("discord", "channel", "c", user="u"), Sharing(), "discord:channel:c:u", "discord:u"),
        (Place("discord", "channel", "c", user="u"), ROOM, "discord:channel:c", "discord:chat:c"),
        (Place("discord", "channel", ""), Sharing(), "discord:channel", "discord:chat"),
        (Place("matrix", "dm", "!r:h.org", user="@a:h.org"), Sharing(), "matrix:dm:!r%3Ah.org", "matrix:@a:h.org"),
    ],
)
def test_the_key_and_the_owner_of_every_kind_of_chat(place: Place, sharing: Sharing, key: str, owner: str) -> None:
    assert session_key(place, sharing) == f"agent:main:{key}"
    assert owner_of(place, sharing) == owner


_ids = st.text("ab:%1", max_size=3)
_places = st.builds(
    Place, st.just("p"), st.sampled_from(["dm", "group", "channel"]), st.text("a:%", min_size=1, max_size=3), _ids, _ids
)
_sharing = st.builds(Sharing, st.booleans(), st.booleans())


@given(one=_places, other=_places, sharing=_sharing)
def test_people_who_share_no_chat_never_share_a_key(one: Place, other: Place, sharing: Sharing) -> None:
    """Two of the three ids that can be left out are of one kind in a key, so the same key means the same chat."""
    if session_key(one, sharing) == session_key(other, sharing) and bool(one.thread) == bool(other.thread):
        assert (one.kind, one.chat, one.thread) == (other.kind, other.chat, other.thread)
        assert one.kind == "dm" or is_shared(one, sharing) or one.user == other.user
