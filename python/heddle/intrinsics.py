"""What stands for a device operation in Python: the objects behind ``cuda.grid``, ``cuda.atomic.add`` and the like.

They carry a name that the compiler finds in its table of intrinsics, and the documentation that stands there. On the
host they can be looked at, passed around and pickled, but not called.
"""

from heddle import _heddle


class Intrinsic:
    """A device operation. Calling it outside a kernel raises RuntimeError."""

    __heddle_intrinsic__ = True

    def __init__(self, name, signature="", doc=""):
        self.name = name
        self.__name__ = name.rpartition(".")[2]
        self.__qualname__ = name.partition(".")[2]
        self.__module__ = "heddle.cuda"
        self.__doc__ = "\n\n".join(
            part for part in (signature, doc, "Only inside a kernel.") if part
        )

    def __call__(self, *args, **kwargs):
        raise self._outside_a_kernel()

    def __getattr__(self, attribute):
        if attribute in ("x", "y", "z"):  # the components of threadIdx and its kin
            raise self._outside_a_kernel(f".{attribute}")
        raise AttributeError(
            f"{self.name} has no attribute {attribute!r}", name=attribute, obj=self
        )

    def _outside_a_kernel(self, component=""):
        return RuntimeError(
            f"{self.name}{component} only works inside a kernel: use it in a function decorated with @cuda.jit and "
            "launch that with kernel[blocks, threads](...)"
        )

    # Makes inspect and help() treat the object as the routine that it stands for, so that they show its own text.
    def __get__(self, instance, owner=None):
        return self

    def __repr__(self):
        return f"<heddle device operation {self.name}>"

    def __reduce__(self):
        return intrinsic, (self.name,)


class Namespace:
    """A group of device operations, such as ``cuda.atomic``."""

    __heddle_namespace__ = True

    def __init__(self, name):
        self.name = name
        self.__name__ = name.rpartition(".")[2]

    def __getattr__(self, attribute):
        from heddle.missing_names import missing_name

        if attribute == "name":  # a copy in the making has no attributes yet
            raise AttributeError(attribute)
        raise missing_name("heddle." + self.name, attribute)

    def __repr__(self):
        return f"<heddle device operations {self.name}.*>"

    def __reduce__(self):
        return intrinsic, (self.name,)


def _read_table():
    found = {}
    for name, signature, doc in _heddle.intrinsics():
        if name.startswith("cuda."):
            _add(found, name, Intrinsic(name, signature, doc))
    return found


def _add(found, name, member):
    """Puts a member under its name, and under the namespaces that the name goes through."""
    found[name] = member
    parent, _, last = name.rpartition(".")
    if parent == "cuda":
        return
    if parent not in found:
        _add(found, parent, Namespace(parent))
    if isinstance(found[parent], Namespace):
        setattr(found[parent], last, member)


_by_name = _read_table()


def intrinsic(name):
    """The operation or namespace of a full name such as "cuda.atomic.add". Raises KeyError when there is none."""
    return _by_name[name]


def members_of_cuda():
    """Name and object of each operation and namespace that stands directly in ``heddle.cuda``."""
    return {name[5:]: member for name, member in _by_name.items() if name.count(".") == 1}
