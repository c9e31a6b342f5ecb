"""DLPack capsules that programs pass around, as CuPy's old functions require."""


class Capsule:
    """The result of ``toDlpack()``: creates a DLPack capsule and knows its device."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()
