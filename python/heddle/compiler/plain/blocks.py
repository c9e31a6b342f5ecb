"""Runs the threads of a block as Python threads, one at a time: in order, from barrier to barrier."""

import sys
import threading

from heddle.errors import KernelRuntimeError

_running = threading.local()


def current_kernel_thread():
    """The kernel thread that runs on this Python thread; None outside kernels."""
    return getattr(_running, "thread", None)


class Thread:
    """A thread of a kernel.

    index: its linear index in the block, x first. waits_for: None while it can run, else the indices of the threads
    that must arrive, including this one. offered, received: values exchanged with those threads.
    """

    def __init__(self, block, index):
        self.block = block
        self.index = index
        self.done = False
        self.waits_for = None
        self.offered = self.received = None
        self.go = threading.Semaphore(0)

    @property
    def position(self):
        x, y, _ = self.block.shape
        return self.index % x, self.index // x % y, self.index // (x * y)

    def exchange_values(self, members, value=None):
        """Waits until all live ``members`` arrive. Returns their values, by index."""
        self.waits_for, self.offered = frozenset(members), value
        self.block.switch_to_other_threads(self)
        return self.received


class Block:
    """A block of a grid. shared: its shared arrays, by the program location that requests them."""

    def __init__(self, position, shape, grid, dynamic_bytes):
        self.position = position
        self.shape = shape
        self.grid = grid
        self.dynamic_bytes = dynamic_bytes
        self.shared = {}
        x, y, z = shape
        self.threads = [Thread(self, index) for index in range(x * y * z)]

    def run_without_barriers(self, body):
        """Runs every thread to its end on this Python thread, one after the other."""
        for thread in self.threads:
            _run_body_as_thread(thread, body)

    def run_with_barriers(self, body):
        """Runs each thread on a separate Python thread. Raises the first exception."""
        self._back = threading.Semaphore(0)
        self._error = None
        # Pass on a debugger's trace function, so that it stops in the kernel. Some debuggers set one for all threads.
        self._trace = sys.gettrace() if threading.gettrace() is None else None
        for thread in self.threads:
            threading.Thread(
                target=self._run_when_resumed, args=(thread, body), daemon=True
            ).start()
        while live := [thread for thread in self.threads if not thread.done]:
            ready = [thread for thread in live if self._release_if_ready(thread)]
            if not ready and self._error is None:
                self._error = _make_deadlock_error(live)
            for thread in live if self._error else ready:
                self._resume_thread_and_wait(thread)
        if self._error is not None:
            raise self._error

    def switch_to_other_threads(self, thread):
        """Lets the other threads run. Called on the thread's Python thread."""
        self._back.release()
        thread.go.acquire()
        if self._error is not None:
            raise _Abandoned

    def _resume_thread_and_wait(self, thread):
        thread.go.release()
        self._back.acquire()

    def _run_when_resumed(self, thread, body):
        thread.go.acquire()
        if self._trace is not None:
            sys.settrace(self._trace)
        try:
            if self._error is None:
                _run_body_as_thread(thread, body)
        except _Abandoned:
            pass
        except BaseException as error:
            self._error = self._error or error
        thread.done = True
        self._back.release()

    def _release_if_ready(self, thread):
        """True if the thread can run. If all threads that it waits for have arrived, releases all of them."""
        if thread.waits_for is None:
            return True
        members = [self.threads[i] for i in sorted(thread.waits_for) if i < len(self.threads)]
        members = [member for member in members if not member.done]
        if any(member.waits_for != thread.waits_for for member in members):
            return False
        values = {member.index: member.offered for member in members}
        for member in members:
            member.waits_for, member.received = None, values
        return True


class _Abandoned(BaseException):
    """Ends a thread after another thread of its block has failed."""


def _run_body_as_thread(thread, body):
    _running.thread = thread
    try:
        body()
    except Exception as error:
        error.add_note(f"in block {thread.block.position}, thread {thread.position}")
        raise
    finally:
        _running.thread = None


def _make_deadlock_error(threads):
    places = ", ".join(str(thread.position) for thread in threads[:4])
    return KernelRuntimeError(
        f"threads of block {threads[0].block.position} wait at different barriers, among them {places}"
    )
