"""What cupy.cuda.runtime gives programs as numbers: addresses and handles."""

from heddle.compat.cupy.cuda_errors import CUDARuntimeError

held = {}  # a number that a function below gave -> the object behind it


def hold(number, behind):
    """Keeps the object behind a number alive. Returns the number."""
    held[number] = behind
    return number


def give_up(number, kind, giver):
    """Drops what ``giver`` gave. 0 is nothing."""
    if not number:
        return
    if not isinstance(held.get(number), kind):
        raise CUDARuntimeError(1, f"{number:#x} is not from {giver}()")
    del held[number]
