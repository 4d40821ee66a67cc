"""`python -m hermes`: the program, where its script is not on the path."""

from hermes.cli.main import entry

if __name__ == "__main__":
    entry()
