"""`hermes sessions browse`: one screen to find, read and look after conversations. `app.browse` starts it.

app       the program around the screen: how it begins, and with which exit code it ends
screen    the screen: what is typed, what is listed        actions   what a key does with a conversation
rows      the list        preview   the conversation beside it       dialogs   what is asked, and shown, on top
help      the page behind `?`
newest    questions to the store, of which only the newest is answered
paint     replies of commands in the colours of this screen
resume    what happens with the chosen session
"""
