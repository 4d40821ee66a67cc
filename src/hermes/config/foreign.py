"""Keys that Hermes Agent writes into its config files and that have no counterpart here.

A file that comes from there is not full of mistakes: `hermes config check` names them once, and that is all.
"""

from hermes.config.document import KeyPath

_NAMES = """
_config_version agent.gateway_auto_continue_freshness auxiliary.session_search auxiliary.vision.download_timeout
bedrock browser.auto_local_for_private_urls browser.camofox browser.dialog_policy browser.dialog_timeout_s
compression.hygiene_hard_message_limit discord.dm_role_auth_guild discord.server_actions display.copy_shortcut
display.ephemeral_system_ttl display.file_mutation_verifier display.persistent_output
display.persistent_output_max_lines display.tui_auto_resume_recent display.tui_status_indicator goals honcho
hooks hooks_auto_accept kanban lsp model_catalog network onboarding openrouter prefill_messages_file
security.acked_advisories security.allow_lazy_installs terminal.container_cpu terminal.container_disk
terminal.container_memory terminal.container_persistent terminal.daytona_image terminal.docker_env
terminal.docker_extra_args terminal.docker_forward_env terminal.docker_image
terminal.docker_mount_cwd_to_workspace terminal.docker_run_as_host_user terminal.docker_volumes
terminal.modal_image terminal.modal_mode terminal.singularity_image terminal.vercel_runtime updates x_search
"""
KEYS = frozenset(_NAMES.split())


def is_foreign(path: KeyPath) -> bool:
    """Whether the key, or the section it is in, is one of them."""
    return any(".".join(path[:end]) in KEYS for end in range(1, len(path) + 1))
