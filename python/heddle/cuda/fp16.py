"""CUDA's functions of float16 for kernels, as ``numba.cuda.fp16`` names them."""

from heddle.compiler import intrinsics as _intrinsics

_functions = {
    name: member
    for name, member in vars(_intrinsics.intrinsic("cuda.fp16")).items()
    if isinstance(member, _intrinsics.Intrinsic)
}
globals().update(_functions)

__all__ = [*_functions]


def __getattr__(name):
    from heddle.missing_names import missing_name

    raise missing_name("heddle.cuda.fp16", name)
