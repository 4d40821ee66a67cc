"""Files: read, write, change, search. Text keeps its encoding and its line ends; nothing is ever half written."""
