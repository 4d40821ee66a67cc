"""Skills: what the agent has learnt to do, as folders with a SKILL.md.

base.py        a skill, and what can be wrong with one
frontmatter.py SKILL.md → a skill, every field checked, with the line of what is wrong
library.py     every skill there is: the person's own, those of other folders, the bundled ones
activation.py  which of them can be used here, and why not
shelf.py       the skills of one conversation, as the agent sees them: the index, the text, what is typed
reading.py     the text of a skill as the model gets it
writing.py     skills made and changed, by the agent or by hand
install.py     one from elsewhere (package.py): looked through, then put in its place
usage.py       how often each was used · curating.py  what could be merged or retired
bundled/       those that come with the program, one folder a category
"""
