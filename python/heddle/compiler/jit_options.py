"""The options of ``cuda.jit`` and their validation."""

import sys
import warnings

from heddle import config
from heddle.compiler.linkable_code import convert_link_option
from heddle.errors import NumbaInvalidConfigWarning, RemovedOptionError
from heddle.support.missing_names import find_nearest_name

# Options that affect the code. The others are accepted because programs pass them.
_compiled_options = (
    *("device", "debug", "opt", "fastmath", "cache"),
    *("lineinfo", "launch_bounds", "max_registers", "link", "width", "reorder"),
)
_accepted_options = (
    *("inline", "forceinline", "lto", "shared_memory_carveout"),
    *("boundscheck", "extensions", "nopython"),
)


def check_options_and_warn(options):
    """Raises TypeError, ValueError or NotImplementedError for options that ``cuda.jit`` does not take.

    Warns about contradictory options.
    """
    unknown = set(options) - set(_compiled_options) - set(_accepted_options)
    if removed := unknown & {"argtypes", "restype", "bind"}:
        raise RemovedOptionError(
            f"cuda.jit has no option {min(removed)!r} any more: give the signature first, cuda.jit('void(float32[:])')"
        )
    if unknown:
        raise TypeError(_describe_unknown_options(unknown))
    if options.get("boundscheck"):
        raise NotImplementedError(
            "boundscheck=True is not supported for CUDA; debug=True checks bounds"
        )
    if options.get("link") and options.get("device"):
        raise ValueError(
            "link= is for kernels: a device function is linked with the kernel that calls it"
        )
    inline = options.get("inline", "never")
    if inline not in ("never", "always", True, False, None) and not callable(inline):
        raise ValueError(
            f"inline takes 'never', 'always' or a function that decides, not {inline!r}"
        )
    if options.get("shared_memory_carveout") is not None:
        _check_carveout(options["shared_memory_carveout"])
    warn_of_contradictions(options)


def _check_carveout(carveout):
    """Validates shared_memory_carveout, a hint without effect."""
    if isinstance(carveout, int) and not isinstance(carveout, bool) and not -1 <= carveout <= 100:
        raise ValueError(f"shared_memory_carveout must be between -1 and 100, not {carveout}")
    names = ("default", "maxl1", "maxshared")
    if not isinstance(carveout, int) and str(carveout).lower() not in names:
        raise ValueError(
            f"shared_memory_carveout takes a percentage, 'default', 'MaxL1' or 'MaxShared', not {carveout!r}"
        )


def warn_of_contradictions(options):
    """Warns about debug=True with opt=True or with lineinfo=True, as numba does."""
    if not options.get("debug"):
        return
    if options.get("opt", _should_warn_as_numba()):
        warnings.warn(
            "debug=True with opt=True is not supported by CUDA's debugger, because the code is optimized; the checks "
            "of debug=True work. Pass opt=False for a debugger",
            NumbaInvalidConfigWarning,
            stacklevel=_find_user_stacklevel(),
        )
    if options.get("lineinfo"):
        warnings.warn(
            "debug and lineinfo are mutually exclusive: debug=True contains the lines",
            NumbaInvalidConfigWarning,
            stacklevel=_find_user_stacklevel(),
        )


def _should_warn_as_numba():
    """True if debug=True alone causes a warning: in programs written for numba, which warns."""
    compat = sys.modules.get("heddle.compat")
    return compat is not None and compat.are_standins_installed()


def add_default_debug_and_opt(options):
    """Adds the defaults of ``debug`` and ``opt`` from numba's settings."""
    options = {name: value for name, value in options.items() if value is not None}
    if int(config.CUDA_DEBUGINFO_DEFAULT):
        options.setdefault("debug", True)
    if not int(config.OPT):
        options.setdefault("opt", False)
    return options


def _find_user_stacklevel():
    """The stacklevel, for a caller in this file, of the first frame outside Heddle."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("heddle."):
        level, frame = level + 1, frame.f_back
    return level


def _describe_unknown_options(options):
    message = f"cuda.jit has no option {', '.join(sorted(map(repr, options)))}"
    known = [*_compiled_options, *_accepted_options]
    if "parallel" in options:
        return f"{message}\n  hint: leave it out, because the threads of a kernel run in parallel"
    near = find_nearest_name(min(options), known)
    return f"{message}\n  hint: did you mean {near!r}?" if near else message


def convert_code_options(options):
    """Selects the options that affect the code and converts them for the compiler.

    Raises TypeError or ValueError for invalid values.
    """
    options = {name: value for name, value in options.items() if name in _compiled_options}
    if options.get("max_registers") is not None:
        _check_count_option("max_registers", options["max_registers"])
    if linked := options.pop("link", None):
        options["link"] = convert_link_option(linked)
    bounds = options.pop("launch_bounds", None)
    if bounds is not None:
        bounds = tuple(bounds) if isinstance(bounds, (tuple, list)) else (bounds,)
        if not 1 <= len(bounds) <= 3:
            raise ValueError(
                "launch_bounds has 1 to 3 numbers (threads per block, blocks per multiprocessor, blocks per cluster), "
                f"not {len(bounds)}"
            )
        for bound in bounds:
            _check_count_option("launch_bounds", bound)
        options["launch_bounds"] = bounds
    return options


def _check_count_option(option, value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{option} takes an int, not {value!r}")
    if not 0 <= value < 2**31:
        raise ValueError(f"{option} takes a number from 0 to 2**31 - 1, not {value}")
