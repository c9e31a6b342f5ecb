"""When each warp executes its steps, and how long it waits at barriers.

Each warp executes a step per tick, unless it waits at a barrier. A barrier is complete when each thread of the block
waits at it or has ended.
"""


def assign_ticks_to_steps(warps):
    """Sets ``tick`` and ``waited`` of all steps. Returns the number of ticks.

    warps: a list of steps for each warp.
    """
    running = [_Warp(steps) for steps in warps]
    tick = 0
    while unfinished := [warp for warp in running if warp.has_steps()]:
        passed = min(warp.count_reached_barriers() for warp in unfinished)
        ready = [warp for warp in unfinished if warp.count_barriers_before_next_step() <= passed]
        # Threads that skip a barrier hold up the others for ever, which the CPU device does not do either.
        for warp in ready or unfinished:
            warp.execute_step(tick)
        tick += 1
    return tick


class _Warp:
    def __init__(self, steps):
        self._steps = steps
        self._next = 0
        self._barriers = {}  # by lane: the number of barriers that it has reached
        self._last = {}  # by lane: its last step
        for number, step in enumerate(steps):
            for lane in _list_lanes(step.lanes):
                self._barriers[lane] = 0
                self._last[lane] = number
        self._passed = 0 if steps else None

    def has_steps(self):
        return self._next < len(self._steps)

    def count_reached_barriers(self):
        """The number of barriers that all threads of the warp have reached which have not ended."""
        return self._passed

    def count_barriers_before_next_step(self):
        """The number of barriers that must be complete before the next step."""
        return max(self._barriers[lane] for lane in _list_lanes(self._steps[self._next].lanes))

    def execute_step(self, tick):
        step = self._steps[self._next]
        step.tick = tick
        if self._next:
            before = self._steps[self._next - 1]
            before.waited = tick - before.tick - 1
        if step.wait == "barrier":
            for lane in _list_lanes(step.lanes):
                self._barriers[lane] += 1
        self._next += 1
        live = [n for lane, n in self._barriers.items() if self._last[lane] >= self._next]
        self._passed = min(live, default=None)


def _list_lanes(mask):
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
