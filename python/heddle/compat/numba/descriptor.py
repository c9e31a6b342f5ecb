"""numba.cuda.descriptor: the object in which numba keeps its compiler's tables."""

from heddle.missing_names import missing_name as _missing_name

__all__ = ["CUDATarget", "cuda_target"]


class _Context:
    """Tables of numba's compiler. There are none here; ``refresh`` has nothing to do."""

    def __init__(self, name):
        self._name = name

    def refresh(self):
        """numba looks for new extensions; heddle finds them when a kernel uses them."""

    def __getattr__(self, name):
        raise _missing_name(f"heddle.cuda.descriptor.cuda_target.{self.__dict__['_name']}", name)


class CUDATarget:
    """What numba calls a target."""

    name = "cuda"

    def __init__(self):
        self.typing_context = _Context("typing_context")
        self.target_context = _Context("target_context")


cuda_target = CUDATarget()


def __getattr__(name):
    raise _missing_name("heddle.cuda.descriptor", name)
