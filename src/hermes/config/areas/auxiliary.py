"""The side tasks, each of which can have a model of its own."""

from typing import Any

from hermes.config.area import Area, setting


class AuxiliaryTask(Area, works=True):
    provider: str = setting("auto", "Who serves the task; auto: as the main model.", env="AUXILIARY_{}_PROVIDER")
    model: str = setting("", "Its model; empty leaves the choice to the provider.", env="AUXILIARY_{}_MODEL")
    base_url: str = setting("", "The endpoint, where it is not the provider's own.")
    api_key: str = setting("", "The key; better a reference such as ${MY_KEY}.")
    timeout: int = setting(30, "Seconds the task may take.", least=1)
    extra_body: dict[str, Any] = setting({}, "Fields added to every request.")


class Auxiliary(Area):
    vision: AuxiliaryTask = setting(AuxiliaryTask(timeout=120), "Looking at images.")
    web_extract: AuxiliaryTask = setting(AuxiliaryTask(timeout=360), "Summaries of web pages.")
    compression: AuxiliaryTask = setting(AuxiliaryTask(timeout=120), "Summaries when a conversation is compressed.")
    skills_hub: AuxiliaryTask = setting(AuxiliaryTask(), "Finding the skill for a request.", works=False)
    approval: AuxiliaryTask = setting(AuxiliaryTask(), "A second opinion on a command (approvals.mode: smart).")
    mcp: AuxiliaryTask = setting(AuxiliaryTask(), "What MCP servers ask of a model.", works=False)
    title_generation: AuxiliaryTask = setting(AuxiliaryTask(), "Titles of sessions.")
    triage_specifier: AuxiliaryTask = setting(
        AuxiliaryTask(timeout=120), "From a note on the board to a specification.", works=False
    )
    kanban_decomposer: AuxiliaryTask = setting(
        AuxiliaryTask(timeout=180), "From a task on the board to smaller ones.", works=False
    )
    profile_describer: AuxiliaryTask = setting(AuxiliaryTask(timeout=60), "Descriptions of profiles.", works=False)
    curator: AuxiliaryTask = setting(AuxiliaryTask(timeout=600), "The review of which skills are used.", works=False)
