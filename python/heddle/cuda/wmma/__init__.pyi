from typing import Any, Final, Literal

from numpy.typing import DTypeLike

from heddle.types import Type

matrix_a: Final = "matrix_a"
matrix_b: Final = "matrix_b"
accumulator: Final = "accumulator"
row_major: Final = "row_major"
col_major: Final = "col_major"
tf32: Final = "tf32"

def fragment(
    use: Literal["matrix_a", "matrix_b", "accumulator"],
    m: int,
    n: int,
    k: int,
    dtype: DTypeLike | Type,
    layout: Literal["row_major", "col_major"] | None = None,
    shape: int | tuple[int, ...] | None = None,
) -> Any: ...
def fill_fragment(frag: Any, value: float) -> None: ...
def load_matrix_sync(frag: Any, ary: Any, idx: tuple[int, ...]) -> None: ...
def store_matrix_sync(ary: Any, idx: tuple[int, ...], frag: Any) -> None: ...
def mma_sync(d: Any, a: Any, b: Any, c: Any, satf: bool = False) -> None: ...
