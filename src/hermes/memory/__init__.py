"""What the agent knows beside the conversation.

base.py      a memory provider, and all it may hear of
notes.py     the built-in one: two files of short notes
sessions.py  a second one: past conversations, recalled
manager.py   the notes and at most one other provider, as the agent sees them
contract.py  what every provider has to keep, as tests that anybody can run
"""
