"""cupy._core._accelerator: the libraries that CuPy may use for its functions. Heddle's kernels use none of them."""

from heddle.support.missing_names import make_missing_name_error

ACCELERATOR_CUB, ACCELERATOR_CUTENSOR, ACCELERATOR_CUTENSORNET = 1, 2, 3

__all__ = [
    "get_elementwise_accelerators",
    "get_reduction_accelerators",
    "get_routine_accelerators",
    "set_elementwise_accelerators",
    "set_reduction_accelerators",
    "set_routine_accelerators",
]

_numbers = {
    "cub": ACCELERATOR_CUB,
    "cutensor": ACCELERATOR_CUTENSOR,
    "cutensornet": ACCELERATOR_CUTENSORNET,
}
_chosen = dict.fromkeys(("elementwise", "reduction", "routine"), (ACCELERATOR_CUB,))


def _set_accelerators(kind, accelerators):
    found = [_numbers.get(name, name) for name in accelerators]
    for name in found:
        if not isinstance(name, int):
            raise ValueError(f"Unknown accelerator: {name!r} is not one of {', '.join(_numbers)}")
    _chosen[kind] = tuple(found)


def set_elementwise_accelerators(accelerators):
    """Keep a list of names or numbers for get_elementwise_accelerators(). No other effect."""
    _set_accelerators("elementwise", accelerators)


def set_reduction_accelerators(accelerators):
    """Keep a list of names or numbers for get_reduction_accelerators(). No other effect."""
    _set_accelerators("reduction", accelerators)


def set_routine_accelerators(accelerators):
    """Keep a list of names or numbers for get_routine_accelerators(). No other effect."""
    _set_accelerators("routine", accelerators)


def get_elementwise_accelerators():
    """The numbers that set_elementwise_accelerators() was given."""
    return list(_chosen["elementwise"])


def get_reduction_accelerators():
    """The numbers that set_reduction_accelerators() was given."""
    return list(_chosen["reduction"])


def get_routine_accelerators():
    """The numbers that set_routine_accelerators() was given."""
    return list(_chosen["routine"])


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy._core._accelerator", name)
