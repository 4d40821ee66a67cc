"""The browser toolset, over whatever browser a plugin brings.

base.py      what a browser is, as a plugin writes it
driven.py    one of them at work: made with the first step, bounded in time, closed when it is not used
actions.py   the tools
"""
