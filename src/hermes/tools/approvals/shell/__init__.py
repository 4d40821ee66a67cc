"""Shell commands as bash would take them, as far as they can be understood without running anything. Everything that is
not plainly understood raises NotUnderstood: the parser never guesses."""
