"""The decorator ``jitclass``."""

from heddle import config
from heddle.experimental.classes import make_compiled_class
from heddle.support.public_function import public


@public
def jitclass(cls_or_spec=None, spec=None):
    """Compiles a class. Python and compiled functions share its instances; its methods are compiled.

        @jitclass([("count", int64), ("values", float64[:])])
        class Samples:
            def __init__(self, n):
                self.count = 0
                self.values = np.zeros(n)

    cls_or_spec: the class, or the spec when used as a decorator. spec: names and types of the attributes, as a list of
        pairs or a dict; annotations of the class add to them.
    Methods, properties and static methods are compiled at their first use. Instances can be arguments and results of
    functions, attributes of other jitclasses, and items of typed lists.
    Raises TypeError for an invalid class or spec, NameError if an attribute has a method's name.
    Same as numba.experimental.jitclass (numba 0.68).
    """
    if cls_or_spec is not None and spec is None and not isinstance(cls_or_spec, type):
        cls_or_spec, spec = None, cls_or_spec

    @public
    def make_jitclass(cls):
        return cls if config.DISABLE_JIT else make_compiled_class(cls, spec)

    return make_jitclass if cls_or_spec is None else make_jitclass(cls_or_spec)
