"""Endless kernels of every kind and ways to interrupt them, for the programs of test_interrupted_kernels."""

import math
import os
import signal
import threading
import time

import numpy as np

import heddle
from heddle import cuda, float32

LONGEST = 0.5  # seconds from Ctrl-C to KeyboardInterrupt


@cuda.jit
def spin(stop):
    i = 0
    while stop[0] == 0:
        i += 1
        if i < 0:
            stop[1] = i


@cuda.jit
def polls(stop):
    while stop[0] == 0:
        cuda.threadfence()  # reads again


@cuda.jit
def nap(milliseconds):
    for _ in range(milliseconds):
        cuda.nanosleep(1000000)


@cuda.jit
def region_loops(stop):
    while stop[0] == 0:
        cuda.syncthreads()


@cuda.jit
def coroutines(stop):
    if cuda.threadIdx.x < 32:
        while stop[0] == 0:
            cuda.syncthreads()
    else:
        while stop[0] == 0:
            cuda.syncthreads()


@cuda.jit
def waits(stop):
    while cuda.atomic.add(stop, 0, 0) == 0:
        pass


@cuda.jit
def votes(stop):
    while stop[0] == 0:
        if cuda.any_sync(0xFFFFFFFF, stop[1] > 0):
            break


@cuda.jit
def shuffles_of_some_lanes(stop):
    v = cuda.threadIdx.x
    while stop[0] == 0:
        if v % 2:
            v = cuda.shfl_sync(cuda.activemask(), v, 1)


@cuda.jit
def math_library(stop):
    x = float32(cuda.threadIdx.x)
    while stop[0] == 0:
        x = math.pow(math.sin(x) + 1, float32(1.1))
        stop[2] = x


@cuda.jit
def naps(stop):
    while stop[0] == 0:
        cuda.nanosleep(1000)


@cuda.jit
def only_naps(stop, nanoseconds):
    if stop[0] == 0:
        while True:
            cuda.nanosleep(nanoseconds)


@cuda.jit
def prints(stop):
    while stop[0] == 0:
        print("-")


@cuda.jit
def grid_barriers(stop):
    grid = cuda.cg.this_grid()
    while stop[0] == 0:
        grid.sync()


HEAP = r"""
extern "C" __global__ void k(double *stop) {
  volatile double *s = stop;
  while (s[0] == 0) {
    char *p = (char *)malloc(64);
    p[0] = 1;
    free(p);
  }
}
"""
device_heap = heddle.RawKernel(HEAP, "k")

ONLY_NAPS = r"""
extern "C" __global__ void k(double *stop) {
  if (stop[0] == 0)
    for (;;)
      __nanosleep(100);
}
"""
raw_naps = heddle.RawKernel(ONLY_NAPS, "k")

stop = np.zeros(8)
on_device = cuda.to_device(stop)
KINDS = {
    "one thread": lambda: spin[1, 1](stop),
    "many blocks": lambda: spin[100000, 128](stop),
    "region loops": lambda: region_loops[4, 64](stop),
    "coroutines": lambda: coroutines[4, 64](stop),
    "waiting loops": lambda: waits[8, 64](stop),
    "votes": lambda: votes[4, 64](stop),
    "shuffles": lambda: shuffles_of_some_lanes[2, 64](stop),
    "math": lambda: math_library[4, 64](stop),
    "naps": lambda: naps[4, 32](stop),
    "only naps": lambda: only_naps[4, 32](stop, 100),
    "only naps of one thread": lambda: only_naps[1, 1](stop, 100),
    "only long naps": lambda: only_naps[4, 1](stop, 1_000_000),
    "only naps of CUDA C++": lambda: (raw_naps(2, 32, (on_device,)), cuda.synchronize()),
    "prints": lambda: prints[2, 32](stop),
    "grid barriers": lambda: grid_barriers[2, 32](stop),
    "device heap": lambda: (device_heap(4, 64, (on_device,)), cuda.synchronize()),
}


@cuda.jit
def add_one(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] += 1


def set_stop(value):
    stop[0] = value
    on_device.copy_to_device(stop)


def interrupt_after(seconds, sent=None):
    """Send this process the signal of Ctrl-C after a delay; append the time to the list ``sent``."""

    def send():
        if sent is not None:
            sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Timer(seconds, send).start()


def compile_first(*launches, times=1):
    """Compile first, since interrupts should hit kernels, not the compiler. Kernels that were short may run on this
    thread."""
    set_stop(1)
    for launch in launches:
        for _ in range(times):
            launch()
    add_one[10, 100](np.zeros(1000))
    set_stop(0)


def interrupt(launch, after=0.1):
    """Interrupt ``launch()``, then check that the next launch works."""
    sent = []
    try:
        interrupt_after(after, sent)
        launch()
        raise AssertionError("the kernel ended by itself")
    except KeyboardInterrupt:
        took = time.monotonic() - sent[0]
    assert took < LONGEST, took
    x = np.zeros(1000)
    add_one[10, 100](x)
    assert (x == 1).all()


def compile_and_interrupt(launch, times=1):
    compile_first(launch, times=times)
    interrupt(launch)
