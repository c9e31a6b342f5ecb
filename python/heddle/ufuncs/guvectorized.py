"""The decorator ``guvectorize``."""

from heddle import _heddle
from heddle.support.public_function import public
from heddle.ufuncs.device_generalized import DeviceGeneralizedUfunc
from heddle.ufuncs.generalized import GeneralizedUfunc
from heddle.ufuncs.options import select_code_options


@public
def guvectorize(*args, target="cpu", identity=None, writable_args=(), **options):
    """Applies a function of small arrays to arrays of them: ``@guvectorize(signatures, "(m,n),(n,p)->(m,p)")``.

    The function writes to its last arguments, one for each result after the arrow in the layout. A result ``()`` is an
    array of one element. The ufunc loops over the dimensions before those in the layout, with NumPy's broadcasting.
    signatures: strings such as "void(float64[:], float64[:])", tuples of types, or a single one of these. Without
    signatures, as in ``@guvectorize(layout)``, each call passes the result arrays and compiles for the argument types.
    target, identity, options: as for ``vectorize``.
    writable_args: indices or names of inputs that the function also writes.
    Returns an object with the interface of a numpy.ufunc. Same as numba.guvectorize (numba 0.68, np/ufunc/decorators).

    >>> @guvectorize(["void(float64[:], float64[:])"], "(n)->()")
    ... def total(values, result):
    ...     result[0] = values.sum()
    >>> total(np.ones((2, 3)))
    array([3., 3.])
    """
    if not 1 <= len(args) <= 2:
        raise TypeError("guvectorize() takes one or two positional arguments")
    signatures, layout = args if len(args) == 2 else ((), args[0])
    if isinstance(signatures, (str, _heddle.Signature)):
        signatures = [signatures]
    options = select_code_options("guvectorize", target, options)
    kind = DeviceGeneralizedUfunc if target == "cuda" else GeneralizedUfunc

    @public
    def make_generalized_ufunc(function):
        function = getattr(function, "py_func", function)
        made = kind(function, layout, identity, writable_args, target, options)
        for signature in signatures:
            made.add(signature)
        if signatures:
            made.disable_compile()
        return made

    return make_generalized_ufunc
