"""The settings, a file for each part of the program they belong to."""
