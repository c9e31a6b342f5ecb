"""Errors for attributes that numba's objects had or have, and Heddle's lack, with the alternative."""


class AdvisedAttributes:
    """Mixin whose AttributeErrors name an alternative. _instead: a dict from attributes to texts."""

    _instead = {}

    def __getattr__(self, name):
        for cls in type(self).__mro__:
            # A property raised AttributeError: it does so again, with its own message.
            if name in vars(cls):
                return vars(cls)[name].__get__(self, type(self))
        message = f"{type(self).__name__!r} object has no attribute {name!r}"
        if not name.startswith("__") and (advice := self._suggest_for_missing_attribute(name)):
            message += f": {advice}"
        raise AttributeError(message, name=name, obj=self)

    def _suggest_for_missing_attribute(self, name):
        """The alternative to a missing attribute; None if there is none."""
        return type(self)._instead.get(name)
