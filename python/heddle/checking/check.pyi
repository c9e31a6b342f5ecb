from collections.abc import Callable
from os import PathLike
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, overload

_P = ParamSpec("_P")
_R = TypeVar("_R")

class Report:
    findings: list[Any]
    launches: int
    @property
    def errors(self) -> list[Any]: ...
    def print(self) -> None: ...
    def write_json(self, path: str | PathLike[str]) -> None: ...
    def write_html(self, path: str | PathLike[str]) -> None: ...

class Check(Report):
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def __enter__(self) -> Check: ...
    def __exit__(
        self,
        error_class: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
    def __call__(self, function: Callable[_P, _R]) -> Callable[_P, _R]: ...

@overload
def check(
    function: Callable[_P, _R],
    *,
    print: bool = True,
    raise_errors: bool = False,
    lints: bool | None = None,
) -> Callable[_P, _R]: ...
@overload
def check(
    function: None = None,
    *,
    print: bool = True,
    raise_errors: bool = False,
    lints: bool | None = None,
) -> Check: ...
