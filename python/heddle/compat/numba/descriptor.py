"""numba.cuda.descriptor: the object with the tables of numba's compiler."""

from heddle.support.missing_names import make_missing_name_error as _missing_name

__all__ = ["CUDATarget", "cuda_target"]


class _Context:
    """An empty table of numba's compiler."""

    def __init__(self, name):
        self._name = name

    def refresh(self):
        """Does nothing: Heddle finds extensions when a kernel uses them, so they need no refresh."""

    def __getattr__(self, name):
        raise _missing_name(f"heddle.cuda.descriptor.cuda_target.{self.__dict__['_name']}", name)


class CUDATarget:
    """A target in numba's sense."""

    name = "cuda"

    def __init__(self):
        self.typing_context = _Context("typing_context")
        self.target_context = _Context("target_context")


cuda_target = CUDATarget()


def __getattr__(name):
    raise _missing_name("heddle.cuda.descriptor", name)
