"""The objects of the handles and addresses that cupy.cuda.runtime returns."""

from heddle.compat.cupy.cuda_errors import CUDARuntimeError

held = {}  # handle or address -> its object


def hold_object(number, behind):
    """Keep the object of a handle or address alive. Returns the handle."""
    held[number] = behind
    return number


def release_object(number, kind, giver):
    """Release the object of a handle from the function ``giver``; 0 does nothing.

    Raises CUDARuntimeError if the handle has no object of class ``kind``.
    """
    if not number:
        return
    if not isinstance(held.get(number), kind):
        raise CUDARuntimeError(1, f"{number:#x} was not returned by {giver}()")
    del held[number]
