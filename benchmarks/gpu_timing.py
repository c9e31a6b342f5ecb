"""A measurement with the times of its peers, and ways to time launches on a GPU."""

import gc
import statistics
import time
from dataclasses import dataclass, field


@dataclass
class Row:
    """One measurement: heddle's value and its peers' values in ``unit``; heddle's should be at most ``bar``."""

    what: str
    unit: str
    ours: float
    peers: dict = field(default_factory=dict)
    bar: float | None = None
    note: str = ""

    @property
    def verdict(self):
        return "" if self.bar is None else "OK" if self.ours <= self.bar else "OVER"

    def compute_ratios(self):
        return {name: value / self.ours for name, value in self.peers.items()}


def make_batch(launch):
    def batch(launches):
        for _ in range(launches):
            launch()

    return batch


def measure_launches_in_turns(contenders, launches=200, repeats=40):
    """Host time of one launch in microseconds, a dict by name. contenders: {name: (batch, synchronize)}; they take
    turns.

    batch(n) launches n times; the wait afterwards is not counted.
    """
    for batch, synchronize in contenders.values():
        batch(1)
        synchronize()
    times = {name: [] for name in contenders}
    gc.disable()
    for _ in range(repeats):
        for name, (batch, synchronize) in contenders.items():
            start = time.perf_counter()
            batch(launches)
            times[name].append((time.perf_counter() - start) / launches)
            synchronize()
    gc.enable()
    return {name: 1e6 * statistics.median(found) for name, found in times.items()}


def measure_microseconds_per_call(call, calls=20, repeats=25):
    """The time of a call that waits for its own result."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(calls):
            call()
        times.append((time.perf_counter() - start) / calls)
    return 1e6 * statistics.median(times)


class Events:
    """Milliseconds between two events of a library."""

    def __init__(self, make, elapsed, record, wait):
        self.make, self.elapsed, self.record, self.wait = make, elapsed, record, wait

    @staticmethod
    def of_cuda(cuda):
        """The events of heddle.cuda or numba.cuda."""
        return Events(
            cuda.event, cuda.event_elapsed_time, lambda e: e.record(), lambda e: e.synchronize()
        )

    @staticmethod
    def of_cupy(cupy):
        return Events(
            cupy.cuda.Event,
            cupy.cuda.get_elapsed_time,
            lambda e: e.record(),
            lambda e: e.synchronize(),
        )

    @staticmethod
    def of_torch(torch):
        return Events(
            lambda: torch.cuda.Event(enable_timing=True),
            lambda a, b: a.elapsed_time(b),
            lambda e: e.record(),
            lambda e: e.synchronize(),
        )

    def measure_microseconds(self, launch, repeats=9):
        """Kernel time of one launch: times several back-to-back launches that take some milliseconds together."""
        once = self.measure_launches(launch, 1)
        once = self.measure_launches(launch, 1)
        count = int(min(50, max(1, 4.0 / max(once, 1e-3))))
        return 1e3 * statistics.median(
            self.measure_launches(launch, count) / count for _ in range(repeats)
        )

    def measure_launches(self, launch, count):
        begin, end = self.make(), self.make()
        self.record(begin)
        for _ in range(count):
            launch()
        self.record(end)
        self.wait(end)
        return self.elapsed(begin, end)


def measure_kernels_in_turns(contenders, repeats=9):
    """Kernel times in microseconds of (events, launch) pairs, which take turns: clock changes affect all of them."""
    times = [[] for _ in contenders]
    for _ in range(repeats):
        for (events, launch), found in zip(contenders, times, strict=True):
            found.append(events.measure_microseconds(launch, repeats=1))
    return [statistics.median(found) for found in times]
