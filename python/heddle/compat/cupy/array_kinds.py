"""The arrays that kernels take: cupy.ndarray, and heddle's device arrays."""

from heddle import _heddle


def is_array(value):
    return isinstance(value, _heddle.DeviceArrayBase)


def layout_of(array):
    """A NumPy array of the same layout. Its values must not be read: they may be in a GPU's memory."""
    return array._window()
