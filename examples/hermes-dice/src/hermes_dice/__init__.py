"""Dice: the tool `roll_dice` and the command `/dice 2d6`."""

import random
import re

_THROW = re.compile(r"(\d{0,2})d(\d{1,3})")


def roll(throw, dice=random):
    """`2d6` → two numbers from 1 to 6."""
    match = _THROW.fullmatch(throw.strip().lower() or "1d6")
    if match is None or int(match[2]) < 1:
        raise ValueError(f"'{throw}' is no throw; 2d6 is two dice with six sides")
    return [dice.randint(1, int(match[2])) for _ in range(int(match[1] or 1))]


def roll_dice(arguments):
    numbers = roll(arguments["throw"])
    return {"numbers": numbers, "sum": sum(numbers)}


def command(rest):
    numbers = roll(rest)
    return f"{' + '.join(map(str, numbers))} = {sum(numbers)}"


def register(ctx):
    throw = {"type": "string", "description": "Such as 2d6"}
    ctx.register_tool("roll_dice", roll_dice, "Roll dice.", {"throw": throw}, required=["throw"])
    ctx.register_command("dice", command, "roll dice, such as 2d6")
