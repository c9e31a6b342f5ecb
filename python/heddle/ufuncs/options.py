"""The options of ``vectorize`` and ``guvectorize``."""

_targets = ("cpu", "parallel", "cuda")
_compiled = ("fastmath", "cache")
_hints = ("nopython", "boundscheck", "nogil", "error_model", "forceinline", "inline", "locals")


def select_code_options(decorator, target, options):
    """Selects the options that affect the code. Raises ValueError for a wrong target, TypeError for an unknown
    option."""
    if target not in _targets:
        raise ValueError(f"Unsupported target: {target}; {decorator} takes {', '.join(_targets)}")
    unknown = set(options) - {*_compiled, *_hints}
    if unknown:
        raise TypeError(f"{decorator} has no option {', '.join(sorted(map(repr, unknown)))}")
    return {name: bool(options[name]) for name in _compiled if name in options}
