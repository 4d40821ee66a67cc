"""The columns of the ledger, a row a model call. Apart from `Usage`, because every list needs their names alone."""

TOKEN_COLUMNS = (
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_write_tokens",
    "reasoning_tokens",
)
COUNT_COLUMNS = (*TOKEN_COLUMNS, "api_call_count")
COST_COLUMNS = ("estimated_cost_usd", "actual_cost_usd")
COST_NOTE_COLUMNS = ("cost_status", "cost_source", "pricing_version")
BILLING_COLUMNS = ("model", "billing_provider", "billing_base_url", "billing_mode")
USAGE_COLUMNS = (*COUNT_COLUMNS, *COST_COLUMNS, *COST_NOTE_COLUMNS, *BILLING_COLUMNS)
