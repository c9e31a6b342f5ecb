"""The numbers that cupy.cuda.runtime gives programs: addresses and handles."""

from heddle.compat.cupy.cuda_errors import CUDARuntimeError

held = {}  # a number given to the program -> the object behind it


def hold_object(number, behind):
    """Keep the object behind a number alive. Returns the number."""
    held[number] = behind
    return number


def release(number, kind, giver):
    """Release the object behind a number that ``giver`` returned. 0 does nothing. Raises CUDARuntimeError."""
    if not number:
        return
    if not isinstance(held.get(number), kind):
        raise CUDARuntimeError(1, f"{number:#x} was not returned by {giver}()")
    del held[number]
