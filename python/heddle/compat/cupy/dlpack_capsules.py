"""Capsules of DLPack that programs pass around themselves, as CuPy's old functions do."""


class Capsule:
    """What ``toDlpack()`` gives: a capsule, and the device that its memory is on."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()
