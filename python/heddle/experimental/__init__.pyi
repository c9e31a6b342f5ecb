from collections.abc import Callable
from typing import Any, TypeVar, overload

from heddle._heddle import Type
from heddle.experimental import structref as structref

_C = TypeVar("_C", bound=type)

@overload
def jitclass(cls_or_spec: _C, spec: Any = None) -> _C: ...
@overload
def jitclass(
    cls_or_spec: list[tuple[str, Type]] | dict[str, Type] | None = None, spec: Any = None
) -> Callable[[_C], _C]: ...
