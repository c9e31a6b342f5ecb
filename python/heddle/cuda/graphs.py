"""cuda.graph(): work that is captured once and launched many times."""

import inspect

from heddle import _heddle
from heddle.cuda.streams import Stream, create_stream, to_native_stream

_properties = {  # of each kind of work, in the order of _heddle.Graph.work()
    "kernel": ("name", "grid", "block", "sharedmem"),
    "copy": ("dst", "src", "nbytes"),
    "fill": ("dst", "value", "nbytes"),
    "callback": (),
}


class GraphNode:
    """A piece of work in a graph: a kernel, a copy, a fill or a call of a host function.

    kind: "kernel", "copy", "fill" or "callback". Attributes that do not apply to this kind are None.

    >>> d = cuda.to_device(x)
    >>> with cuda.graph() as graph:
    ...     kernel[4, 256](d)
    >>> [(node.name, node.grid) for node in graph.nodes if node.kind == "kernel"]
    [('kernel', (4, 1, 1))]
    >>> other = cuda.to_device(x)
    >>> graph.nodes[0].update(other)
    >>> graph.launch()
    >>> float(other[0])
    2.0
    """

    kind = name = grid = block = sharedmem = arguments = dst = src = nbytes = value = None
    _launcher = None  # the object that the program called to launch the kernel

    def __init__(self, graph, index, description):
        self._graph, self._index = graph, index
        self.kind = description[0]
        for attribute, property in zip(_properties[self.kind], description[1:], strict=True):
            setattr(self, attribute, property)

    def _record_launch_call(self, launcher, arguments, keywords):
        self._launcher = launcher
        if isinstance(launcher, _heddle.KernelLauncher):
            bound = _signature_of_raw_launch.bind(*arguments, **keywords).arguments
            self.name = launcher.name
            self.arguments = tuple(bound.get("args", ()))
        else:
            function = launcher.dispatcher.py_func
            self.name = function.__name__
            bound = inspect.signature(function).bind(*arguments, **keywords)
            bound.apply_defaults()
            self.arguments = bound.args

    def update(self, *arguments):
        """Replaces the kernel's arguments in later launches of the graph.

        Takes all arguments, as a launch does. Arrays may have other shapes and dtypes; grid and block stay the same.
        Raises TypeError if the program did not launch the kernel itself, and the errors of a launch.
        """
        if self._launcher is None:
            what = "a kernel of a library" if self.kind == "kernel" else f"a {self.kind}"
            raise TypeError(
                f"this node is {what}: only kernels that the program launches can be updated\n"
                "  hint: capture a new graph"
            )
        with _capture_alone(self._graph._native_device) as scratch:
            if isinstance(self._launcher, _heddle.KernelLauncher):
                self._launcher(
                    self.grid, self.block, arguments, shared_mem=self.sharedmem, stream=scratch
                )
            else:
                configuration = self.grid, self.block, scratch, self.sharedmem
                self._launcher.dispatcher[configuration](*arguments)
        self._graph._native.replace_kernel(self._index, scratch.graph)
        self.arguments = arguments

    def __repr__(self):
        if self.kind == "kernel":
            return f"<kernel {self.name}, grid {self.grid}, block {self.block}>"
        if self.kind == "callback":
            return "<callback>"
        return f"<{self.kind} of {self.nbytes} bytes>"


def _define_raw_launch_signature(grid, block, args=(), *, shared_mem=0, stream=None):
    """The parameters of a launch of a kernel in CUDA C++."""


_signature_of_raw_launch = inspect.signature(_define_raw_launch_signature)


class _capture_alone:
    """Captures a stream that the context manager makes and returns; ``stream.graph`` afterwards."""

    def __init__(self, device):
        self._stream = Stream._wrap_native(device.create_stream(False))

    def __enter__(self):
        self._before = _heddle.thread_capture()
        _heddle.set_thread_capture(None, None)
        self._stream._native.begin_capture()
        return self._stream

    def __exit__(self, kind, error, traceback):
        try:
            self._stream.graph = self._stream._native.end_capture()
        finally:
            _heddle.set_thread_capture(*self._before or (None, None))


class Graph(_heddle.GraphLauncher):
    """The work that the body of ``with cuda.graph() as graph:`` enqueues. Each ``launch()`` runs it.

    >>> d, copy = cuda.to_device(x), cuda.device_array_like(x)
    >>> with cuda.graph() as graph:
    ...     kernel[4, 256](d)
    ...     copy.copy_to_device(d)
    >>> graph.launch()
    >>> float(copy[0])
    2.0
    """

    def __init__(self, stream=None):
        self._given = stream
        self._native = None
        self._launches = []
        self._nodes = ()

    @property
    def stream(self):
        """The capturing stream, for work that names a stream. Other streams join with events."""
        if self._given is None:
            self._given = create_stream(blocking=False)
        return self._given

    @property
    def nodes(self):
        """The work of the graph, a tuple of GraphNode in the order of the capture."""
        self._require_captured()
        return self._nodes

    launch = _heddle.GraphLauncher.launch

    def _find_stream(self, stream):
        return to_native_stream(stream, self._native_device)

    def __enter__(self):
        if self._native is not None:
            raise ValueError("the graph has been captured: make another with cuda.graph()")
        native = to_native_stream(self.stream)
        self._native_device = native.device
        self._capturing = native
        self._before = _heddle.thread_capture()
        native.begin_capture()
        _heddle.set_thread_capture(native, lambda *launch: self._launches.append(launch))
        return self

    def __exit__(self, kind, error, traceback):
        _heddle.set_thread_capture(*self._before or (None, None))
        try:
            captured = self._capturing.end_capture()
        except ValueError:
            if kind is None:
                raise
            return  # the error of the body says more
        if kind is not None:
            return
        self._native = captured
        self._set_graph(captured, self._native_device)
        nodes = [GraphNode(self, i, work) for i, work in enumerate(captured.work())]
        for index, *launch in self._launches:
            nodes[index]._record_launch_call(*launch)
        self._nodes = tuple(nodes)

    def _require_captured(self):
        if self._native is None:
            raise ValueError(
                "the graph has no work yet: it is complete after the block `with cuda.graph() as graph:`"
            )

    def __repr__(self):
        if self._native is None:
            return "<heddle CUDA graph, not captured yet>"
        return f"<heddle CUDA graph of {len(self._nodes)} nodes>"


def graph(stream=None):
    """Captures work, to launch it many times at the cost of one launch.

    A context manager. It records the kernels, copies between device arrays, fills and callbacks that the calling thread
    enqueues in the body, without a stream or in ``graph.stream``, instead of running them. Arrays must be on the
    device; the graph keeps the arguments alive. stream: the stream to capture, instead of a new one. It cannot be the
    default stream.

    >>> d = cuda.to_device(x)
    >>> with cuda.graph() as graph:
    ...     for _ in range(5):
    ...         kernel[4, 256](d)
    >>> graph.launch()
    >>> graph.launch()
    >>> float(d[0])
    1024.0
    """
    return Graph(stream)
