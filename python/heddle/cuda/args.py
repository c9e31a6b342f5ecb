"""Hints on how a kernel uses a host array: which copies a launch may leave out."""


class ArgHint:
    """A host array as an argument of a launch. ``value`` is the array."""

    copies_in = True
    copies_out = True

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"


class In(ArgHint):
    """The kernel only reads the array: nothing is copied back."""

    copies_out = False


class Out(ArgHint):
    """The kernel only writes the array: its old values are not copied to the device."""

    copies_in = False


class InOut(ArgHint):
    """The kernel reads and writes the array; this is what a launch does without a hint."""


def wrap_arg(value, default=InOut):
    """``value`` with a hint: its own, else ``default``."""
    return value if isinstance(value, ArgHint) else default(value)
