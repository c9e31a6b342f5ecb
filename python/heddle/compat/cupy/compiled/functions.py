"""cupy.cuda.function: modules of compiled code, and their kernels."""

from heddle.compat.cupy.raw import Module, RawModule
from heddle.compat.cupy.raw import RawKernel as Function
from heddle.support.missing_names import make_missing_name_error

__all__ = ["Function", "Module"]


def compile_with_cache(
    source,
    options=(),
    arch=None,
    cache_dir=None,
    extra_source=None,
    backend="nvrtc",
    *,
    enable_cooperative_groups=False,
    name_expressions=None,
    **keywords,
):
    """Compile a program to a Module, as CuPy did before RawModule. The remaining arguments are ignored."""
    module = RawModule(
        code=source,
        options=tuple(options),
        backend=backend,
        enable_cooperative_groups=enable_cooperative_groups,
        name_expressions=name_expressions,
    )
    return module.module


def __getattr__(name):
    raise make_missing_name_error("heddle.cupy.cuda.function", name)
