"""``StructRef``: the base of users' type classes for structures (heddle.experimental.structref)."""

from heddle import _heddle
from heddle.types.kinds import KindOfTypes
from heddle.types.literals import unliteral


class KindOfStructures(KindOfTypes):
    """A class of structure types: it includes the types that it and its subclasses have made."""

    def _includes_type(cls, type):
        if type.kind != "instance":
            return False
        made_by = getattr(type.instance_class, "__heddle_structure__", None)
        return made_by is not None and cls in made_by.__mro__


class StructRef(metaclass=KindOfStructures):
    """The base of structure type classes. Calling a subclass with pairs of names and types makes a type.

    fields: an iterable of (name, type). A subclass may define ``preprocess_fields(self, fields)`` to change them.
    Raises TypeError for a field that a structure cannot have.
    """

    _kinds = ()

    def __new__(cls, fields):
        if cls is StructRef:
            raise TypeError("StructRef makes no types: define a subclass, with @structref.register")
        given = tuple((name, declared) for name, declared in fields)
        if made := cls._get_self_referential_types().get(given):
            return made
        self = object.__new__(cls)
        fields = tuple(self.preprocess_fields(given))
        names, declared = [name for name, _ in fields], [unliteral(type) for _, type in fields]
        shown = ", ".join(f"{name}: {type}" for name, type in zip(names, declared, strict=True))
        made = _heddle.instance_type(
            cls._get_instance_class(), names, declared, f"{cls.__name__}({shown})"
        )
        if named := vars(self).get("_named"):
            named.define(made)
            cls._get_self_referential_types()[given] = made
        return made

    @property
    def type_being_made(self):
        """In ``preprocess_fields``, the type under construction, for a field that refers to such a structure."""
        return vars(self).setdefault("_named", _heddle.deferred_type())

    @classmethod
    def _get_self_referential_types(cls):
        """The self-referential types, by the fields that they were made from."""
        if "_made" not in vars(cls):
            cls._made = {}
        return cls._made

    def preprocess_fields(self, fields):
        """Returns the fields of a type under construction. A subclass may change them."""
        return fields

    @classmethod
    def _get_instance_class(cls):
        """The class that compiled code uses for these structures. ``__heddle_proxy__`` is the user's class."""
        if "_values" not in vars(cls):
            space = {"__slots__": (), "__heddle_members__": {}, "__heddle_structure__": cls}
            make_class = type(_heddle.SharedContainer)
            cls._values = make_class(cls.__name__, (_heddle.SharedContainer,), space)
        return cls._values
