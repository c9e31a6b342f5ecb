"""Hints that let a launch skip copies of host arrays."""


class ArgHint:
    """A host array, ``value``, as a launch argument with a copy hint."""

    copies_in = True
    copies_out = True

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"{type(self).__name__}({self.value!r})"


class In(ArgHint):
    """The kernel only reads the array: it is not copied back.

    >>> @cuda.jit
    ... def copy(x, y):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         y[i] = x[i]
    >>> y = np.zeros_like(x)
    >>> copy[4, 256](cuda.In(x), y)
    >>> y[:3]
    array([1., 1., 1.], dtype=float32)
    """

    copies_out = False


class Out(ArgHint):
    """The kernel only writes the array: its old contents are not copied to the device.

    >>> @cuda.jit
    ... def number(x):
    ...     i = cuda.grid(1)
    ...     if i < x.size:
    ...         x[i] = i
    >>> number[4, 256](cuda.Out(x))
    >>> x[:3]
    array([0., 1., 2.], dtype=float32)
    """

    copies_in = False


class InOut(ArgHint):
    """The kernel reads and writes the array. This is the default.

    >>> kernel[4, 256](cuda.InOut(x))
    >>> x[:3]
    array([2., 2., 2.], dtype=float32)
    """


def wrap_arg(value, default=InOut):
    """Wraps ``value`` in the hint ``default``, unless it has a hint."""
    return value if isinstance(value, ArgHint) else default(value)
