from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

class BenchmarkResult:
    name: str
    cpu_times: np.ndarray[Any, Any]
    gpu_times: np.ndarray[Any, Any]
    devices: Sequence[Any]
    def to_str(self, show_gpu: bool = False) -> str: ...

def benchmark(
    func: Callable[..., Any],
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = ...,
    devices: Sequence[Any] | None = None,
) -> BenchmarkResult: ...
