"""Races between streams in random programs, against sets of the operations that happen before each one."""

import random

import numpy as np
import pytest

import heddle
from heddle import cuda
from heddle.cuda.streams import create_stream

pytestmark = pytest.mark.usefixtures("cpu")

HALF = 32


@cuda.jit
def move(source, start, target, end):
    i = cuda.grid(1)
    target[end + i] = source[start + i]


class Order:
    """The operations before each point: in sets, by the rules of CUDA. Stream 0 is the default stream."""

    def __init__(self, blocking):
        self.blocking = blocking
        self.known = [set() for _ in blocking]
        self.host, self.event, self.operations = set(), set(), []

    def join(self, stream):
        others = [s for s, blocks in enumerate(self.blocking) if blocks and 0 in (s, stream)]
        for other in others if self.blocking[stream] else []:
            self.known[stream] |= self.known[other]
        self.known[stream] |= self.host

    def append(self, stream, reads, writes):
        self.join(stream)
        number = len(self.operations)
        self.operations.append((set(self.known[stream]), reads, writes))
        self.known[stream].add(number)

    def record(self, stream):
        self.join(stream)
        self.event = set(self.known[stream])

    def wait(self, stream):
        self.join(stream)
        self.known[stream] |= self.event

    def synchronize(self, stream):
        if stream == 0:
            self.join(0)
        self.host |= self.known[stream]

    def has_race(self):
        return any(
            first not in before and (writes & (reads_1 | writes_1) or reads & writes_1)
            for second, (before, reads, writes) in enumerate(self.operations)
            for first, (_, reads_1, writes_1) in enumerate(self.operations[:second])
        )


class Program:
    """Random operations, in streams and in their order."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        blocking = [True, True, True, False]
        self.order = Order(blocking)
        self.streams = [cuda.default_stream(), *map(create_stream, blocking[1:])]
        self.arrays = [cuda.to_device(np.zeros(2 * HALF, np.int32)) for _ in range(3)]
        self.event = cuda.event()

    def launch(self, stream):
        (source, s), (target, t) = self.pick_half(), self.pick_half()
        arrays = self.arrays[source], s * HALF, self.arrays[target], t * HALF
        move[1, HALF, self.streams[stream]](*arrays)
        self.order.append(stream, {(source, s)}, {(target, t)})

    def copy(self, stream):
        (source, s), (target, t) = self.pick_half(), self.pick_half()
        parts = [self.arrays[a][h * HALF :][:HALF] for a, h in ((target, t), (source, s))]
        if (source, s) == (target, t) or stream == 0:
            return
        parts[0].copy_to_device(parts[1], stream=self.streams[stream])
        self.order.append(stream, {(source, s)}, {(target, t)})

    def read_by_host(self, stream):
        array = self.random.randrange(len(self.arrays))
        self.arrays[array].copy_to_host()
        self.order.synchronize(0)
        self.order.append(0, {(array, 0), (array, 1)}, set())
        self.order.synchronize(0)

    def record(self, stream):
        self.event.record(self.streams[stream])
        self.order.record(stream)

    def wait(self, stream):
        self.event.wait(self.streams[stream])
        self.order.wait(stream)

    def synchronize(self, stream):
        self.streams[stream].synchronize()
        self.order.synchronize(stream)

    def synchronize_event(self, stream):
        self.event.synchronize()
        self.order.host |= self.order.event

    def pick_half(self):
        return self.random.randrange(len(self.arrays)), self.random.randrange(2)

    def run(self):
        calls = [self.launch, self.launch, self.copy, self.record, self.wait, self.wait]
        calls += [self.synchronize, self.synchronize_event, self.read_by_host]
        for _ in range(self.random.randrange(4, 16)):
            self.random.choice(calls)(self.random.randrange(len(self.streams)))


@pytest.mark.parametrize("seed", range(60))
def test_a_random_program_has_a_finding_if_it_has_a_race(seed):
    with heddle.check(print=False) as report:
        program = Program(seed)
        program.run()
    assert bool(report.findings) == program.order.has_race(), str(report)


def test_random_programs_are_of_both_kinds():
    programs = [Program(seed) for seed in range(60)]
    for program in programs:
        program.run()
    assert 15 < sum(program.order.has_race() for program in programs) < 45
