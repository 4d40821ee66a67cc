"""A conversation as every front end has it: the chat, its slash commands, the recap, the farewell."""
