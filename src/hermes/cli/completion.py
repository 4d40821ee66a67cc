"""Completion scripts for bash, zsh and fish, made from the live commands."""

from hermes.cli.parsing import Command
from hermes.cli.tree import choices, commands, options


def script(shell: str, top: Command) -> str:
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](top)


def _words(command: Command) -> str:
    return " ".join([*command.children, *choices(command), *options(command)])


def _bash(top: Command) -> str:
    """The words before the cursor name the command; its own words are offered, else files."""
    cases = "\n".join(f'        "{command.prog}") words="{_words(command)}" ;;' for command in commands(top))
    return f"""# hermes completion for bash: eval "$(hermes completion bash)"
_hermes() {{
    local command="hermes" word words="" current="${{COMP_WORDS[COMP_CWORD]}}"
    local known="{_paths(top)}"
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        [[ " $known " == *" ${{command// /_}}_$word "* ]] && command="$command $word"
    done
    case "$command" in
{cases}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _hermes hermes
"""


def _paths(top: Command) -> str:
    return " ".join(command.prog.replace(" ", "_") for command in commands(top))


def _zsh(top: Command) -> str:
    """Works from a folder of $fpath and through eval."""
    cases = "\n".join(f'        "{command.prog}") compadd -- {_words(command)} ;;' for command in commands(top))
    return f"""#compdef hermes
# hermes completion for zsh: eval "$(hermes completion zsh)", after compinit
_hermes() {{
    local command="hermes" word known="{_paths(top)}"
    for word in "${{(@)words[2,CURRENT-1]}}"; do
        [[ " $known " == *" ${{command// /_}}_$word "* ]] && command="$command $word"
    done
    case "$command" in
{cases}
    esac
    _files
}}
if [ "$funcstack[1]" = "_hermes" ]; then _hermes; else compdef _hermes hermes; fi
"""


def _fish(top: Command) -> str:
    lines = ["# hermes completion for fish: hermes completion fish > ~/.config/fish/completions/hermes.fish"]
    for command in commands(top):
        seen = command.prog.split()[1:]
        here = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in seen) or "__fish_use_subcommand"
        nested = f"{here}; and not __fish_seen_subcommand_from {' '.join(command.children)}" if seen else here
        for name, child in command.children.items():
            about = (child.description or "").replace("'", "’")
            lines.append(f"complete -c hermes -f -n '{nested}' -a '{name}' -d '{about}'")
        lines += [f"complete -c hermes -n '{here}' -a '{choice}'" for choice in choices(command)]
        for option in options(command):
            form = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            lines.append(f"complete -c hermes -n '{here}' {form}")
    return "\n".join(lines) + "\n"
