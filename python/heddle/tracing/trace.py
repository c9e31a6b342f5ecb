"""A traced block: the steps that its warps execute, and their requests to memory."""

import dataclasses

from heddle.checking.sources import find_array_and_index_count
from heddle.tracing.measures import count_bank_passes_and_minimum, count_sectors_and_minimum
from heddle.tracing.schedule import assign_ticks_to_steps

_warp_size = 32


@dataclasses.dataclass(frozen=True)
class Place:
    """A position in the source. Positions in one line are equal.

    text: that of the file, if it is only in memory, as CUDA C++ programs are.
    """

    file: str
    line: int
    column: int = dataclasses.field(compare=False)
    function: str
    text: str | None


@dataclasses.dataclass(frozen=True)
class Request:
    """An access that lanes of a warp execute together.

    op: "read", "write" or "atomic". array: its name, or "". size: the bytes that each lane accesses. lanes: a mask.
    addresses: a list with an address for each lane; in shared memory, offsets from its start.
    units: sectors of 32 bytes in global memory, passes through the banks in shared memory. needed: the number of units
    for as many bytes at the best addresses.
    """

    place: Place
    op: str
    is_shared: bool
    array: str
    size: int
    lanes: int
    addresses: list
    units: int
    needed: int


@dataclasses.dataclass
class Step:
    """A source line that lanes of a warp execute together.

    lanes: a mask. wait: "barrier" if the lanes wait for the block, "warp" for a warp operation, or "". tick: the time
    at which the warp executes the step. waited: the ticks that the warp then waits at the barrier.
    """

    place: Place
    lanes: int
    wait: str
    requests: list
    tick: int = 0
    waited: int = 0


@dataclasses.dataclass(frozen=True)
class Trace:
    """A traced block of a launch.

    warps: a list of steps for each warp. end: the number of ticks. is_cut: steps after the limit are missing.
    mistakes: the number of mistakes, such as invalid accesses, that the run has found.
    """

    kernel: str
    grid: tuple
    block_shape: tuple
    block: tuple
    launch_file: str
    launch_line: int
    warps: list
    end: int
    is_cut: bool
    mistakes: int

    @property
    def threads(self):
        """The number of threads in the block."""
        return self.block_shape[0] * self.block_shape[1] * self.block_shape[2]

    def get_lane_mask_of_warp(self, warp):
        """The mask of the lanes that a warp has. The last warp may have fewer than 32."""
        count = min(_warp_size, self.threads - _warp_size * warp)
        return (1 << count) - 1


def make_trace(raw):
    """A Trace from the dict that the runtime returns, with the ``texts`` of files that are only in memory."""
    sites = raw["sites"]
    texts = raw["texts"]
    places = [
        Place(file, line, column, function, texts.get(file))
        for file, line, column, function, _ in sites
    ]
    warps = [_make_steps(steps, sites, places) for steps in raw["warps"]]
    end = assign_ticks_to_steps(warps)
    return Trace(
        warps=warps,
        end=end,
        **{
            key: tuple(raw[key]) if isinstance(raw[key], list) else raw[key]
            for key in (
                "kernel",
                "grid",
                "block_shape",
                "block",
                "launch_file",
                "launch_line",
                "is_cut",
                "mistakes",
            )
        },
    )


def _make_steps(raw_steps, sites, places):
    """The steps of a warp. Joins parts of a line that the same lanes execute one after another."""
    steps, parts = [], set()
    for site, lanes, requests in raw_steps:
        step = Step(
            places[site],
            lanes,
            sites[site][4],
            [_make_request(request, sites, places) for request in requests],
        )
        if steps and site not in parts and _can_merge_steps(steps[-1], step):
            steps[-1].requests += step.requests
            steps[-1].wait = steps[-1].wait or step.wait
            parts.add(site)
        else:
            steps.append(step)
            parts = {site}
    return steps


def _can_merge_steps(step, other):
    return (
        step.place == other.place
        and step.lanes == other.lanes
        and "barrier" not in (step.wait, other.wait)
    )


def _make_request(raw, sites, places):
    site, op, is_shared, size, lanes, addresses = raw
    if is_shared:
        units, needed = count_bank_passes_and_minimum(size, list_lanes(lanes), addresses)
    else:
        units, needed = count_sectors_and_minimum(size, addresses)
    place = places[site]
    array = sites[site][4] or (find_array_and_index_count(place) or [""])[0]
    return Request(place, op, is_shared, array, size, lanes, addresses, units, needed)


def list_lanes(mask):
    """The numbers of the lanes in a mask, from low to high."""
    return [lane for lane in range(_warp_size) if mask >> lane & 1]
