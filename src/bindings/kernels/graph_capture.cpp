#include "bindings/kernels/graph_capture.h"

#include "bindings/interpreter/gil.h"
#include "bindings/interpreter/python_class.h"
#include "bindings/interpreter/vectorcall_type.h"

#include <memory>
#include <utility>

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace heddle {

namespace {

/// The active capture of a thread.
struct ThreadCapture {
  std::shared_ptr<Stream> stream; ///< null if there is none
  PyObject *note = nullptr;       ///< called for each launch; owned
};

thread_local ThreadCapture threadCapture;

/// Work as a tuple: its kind, then its properties.
nb::tuple describeRecordedWork(const RecordedWork &work) {
  auto addressOf = [](const void *pointer) { return reinterpret_cast<uintptr_t>(pointer); };
  auto extentsOf = [](const Dim3 &d) { return nb::make_tuple(d.x, d.y, d.z); };
  switch (work.kind) {
  case RecordedWork::Kind::Kernel:
    return nb::make_tuple("kernel", work.name, extentsOf(work.shape.grid),
                          extentsOf(work.shape.block), work.shape.dynamicSharedBytes);
  case RecordedWork::Kind::Copy:
    return nb::make_tuple("copy", addressOf(work.to), addressOf(work.from), work.bytes);
  case RecordedWork::Kind::Fill:
    return nb::make_tuple("fill", addressOf(work.to), work.value, work.bytes);
  case RecordedWork::Kind::Callback:
    break;
  }
  return nb::make_tuple("callback");
}

void setCaptureOfThread(std::shared_ptr<Stream> stream, nb::object note) {
  if (stream && !threadCapture.stream)
    ++capturingThreads;
  else if (!stream && threadCapture.stream)
    --capturingThreads;
  threadCapture.stream = std::move(stream);
  PyObject *before = threadCapture.note;
  threadCapture.note = note.is_none() ? nullptr : note.release().ptr();
  Py_XDECREF(before);
}

/// The base class of cuda.Graph, whose launches run no Python code. Created as zeros.
struct GraphLauncher {
  PyObject_HEAD PyObject *graph; ///< the Graph; null before the capture has ended
  Graph *captured;
  Device *device;
};

/// The stream for `graph.launch(stream)`.
std::shared_ptr<Stream> findLaunchStream(PyObject *self, PyObject *stream) {
  nb::object native = nb::getattr(stream, "__heddle_stream__", nb::none());
  if (native.is_none()) // a handle, another library's stream
    native = nb::handle(self).attr("_find_stream")(nb::handle(stream));
  return nb::cast<std::shared_ptr<Stream>>(native);
}

void launchGraph(GraphLauncher &launcher, PyObject *stream) {
  auto *self = reinterpret_cast<PyObject *>(&launcher);
  if (!launcher.graph) {
    nb::handle(self).attr("_require_captured")();
    throw nb::value_error("the graph has no work yet");
  }
  bool isUnnamed =
      !stream || stream == Py_None || (PyLong_CheckExact(stream) && PyObject_IsTrue(stream) == 0);
  std::shared_ptr<Stream> named = isUnnamed ? nullptr : findLaunchStream(self, stream);
  Stream &target = named ? *named : captureOrDefaultStream(*launcher.device);
  nb::object alive = nb::borrow(launcher.graph);
  WithoutGil release;
  launcher.captured->launch(target);
}

PyObject *callLaunch(PyObject *self, PyObject *const *values, Py_ssize_t count,
                     PyObject *keywordNames) {
  return translatePublicExceptions([&] {
    Py_ssize_t named = keywordNames ? PyTuple_Size(keywordNames) : 0;
    if (count + named > 1)
      throw nb::type_error("launch() takes one argument, the stream");
    if (named && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(keywordNames, 0), "stream") != 0)
      throw nb::type_error("launch() takes the argument stream, and no others");
    launchGraph(*reinterpret_cast<GraphLauncher *>(self), count + named ? values[0] : nullptr);
    return Py_NewRef(Py_None);
  });
}

/// _set_graph(graph, device): the capture has ended.
PyObject *setGraph(PyObject *self, PyObject *const *values, Py_ssize_t count) {
  return translateExceptions([&] {
    if (count != 2)
      throw nb::type_error("_set_graph() takes the graph and its device");
    auto &launcher = *reinterpret_cast<GraphLauncher *>(self);
    launcher.captured = &nb::cast<Graph &>(nb::handle(values[0]));
    launcher.device = &nb::cast<Device &>(nb::handle(values[1]));
    Py_XDECREF(std::exchange(launcher.graph, Py_NewRef(values[0])));
    return Py_NewRef(Py_None);
  });
}

PyObject *newGraphLauncher(PyTypeObject *type, PyObject *, PyObject *) {
  return PyType_GenericAlloc(type, 0);
}

void destroyGraphLauncher(PyObject *self) {
  Py_XDECREF(reinterpret_cast<GraphLauncher *>(self)->graph);
  freeInstance(self);
}

void bindGraphLauncher(nb::module_ &m) {
  static PyMethodDef methods[] = {
      {"launch", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(callLaunch)),
       METH_FASTCALL | METH_KEYWORDS,
       "launch($self, /, stream=0)\n--\n\n"
       "Runs the captured work in the order of ``stream``, by default the default stream. Does not "
       "wait. Launches of\none graph run one after another. Raises ValueError before the capture "
       "has "
       "ended, and on a GPU in a stream that\ncaptures: only the CPU device captures launches of "
       "graphs."},
      {"_set_graph", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(setGraph)),
       METH_FASTCALL, "Makes launches possible: the capture has ended."},
      {},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char *>("Launches a captured graph.")},
      {Py_tp_new, reinterpret_cast<void *>(newGraphLauncher)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroyGraphLauncher)},
      {Py_tp_methods, methods},
      {0, nullptr},
  };
  static PyType_Spec spec = {
      .name = "heddle._heddle.GraphLauncher",
      .basicsize = sizeof(GraphLauncher),
      .itemsize = 0,
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
      .slots = slots,
  };
  addClass(m, spec);
}

nb::object getCaptureOfThread() {
  if (!threadCapture.stream)
    return nb::none();
  return nb::make_tuple(threadCapture.stream,
                        threadCapture.note ? nb::borrow(threadCapture.note) : nb::none());
}

} // namespace

Stream &findCaptureOrDefaultStream(Device &device) {
  Stream *captured = threadCapture.stream.get();
  return captured && &captured->device() == &device ? *captured : device.defaultStream();
}

bool isInGraphCapture(const Stream &stream) { return threadCapture.stream && stream.isCapturing(); }

void recordLaunchInCapture(const Stream &stream, PyObject *launcher, PyObject *const *values,
                           size_t count, PyObject *keywordNames) {
  if (!threadCapture.note)
    return;
  size_t recorded = stream.countRecordedWork();
  if (!recorded)
    return;
  nb::object arguments = nb::steal(PyTuple_New(Py_ssize_t(count)));
  for (size_t i = 0; i < count; ++i)
    PyTuple_SetItem(arguments.ptr(), Py_ssize_t(i), Py_NewRef(values[i]));
  nb::dict keywords;
  for (Py_ssize_t i = 0; keywordNames && i < PyTuple_Size(keywordNames); ++i)
    keywords[nb::handle(PyTuple_GetItem(keywordNames, i))] = nb::handle(values[count + i]);
  nb::object note = nb::borrow(threadCapture.note);
  note(recorded - 1, nb::handle(launcher), arguments, keywords);
}

void bindGraphs(nb::module_ &m) {
  bindGraphLauncher(m);
  nb::class_<Graph>(m, "Graph", "Work that a stream has recorded.")
      .def("launch", &Graph::launch, "stream"_a, nb::call_guard<WithoutGil>(),
           "Runs the work in the stream's order.")
      .def(
          "work",
          [](const Graph &graph) {
            nb::list list;
            for (const RecordedWork &work : graph.recordedWork())
              list.append(describeRecordedWork(work));
            return list;
          },
          "The recorded work as tuples: ('kernel', name, grid, block, bytes of shared memory), "
          "('copy', to, from, bytes), ('fill', to, value, bytes) or ('callback',).")
      .def("replace_kernel", &Graph::replaceKernel, "index"_a, "graph"_a,
           "Replaces a kernel of the graph by the only kernel of another graph.");
  m.def("set_thread_capture", setCaptureOfThread, "stream"_a.none(), "note"_a.none(),
        "Sends the thread's work without a stream to `stream`, which captures, and calls "
        "`note(index, launcher, arguments, keywords)` after each launch.");
  m.def("refuse_host_copy_in_capture", refuseHostCopyInCapture);
  m.def("thread_capture", getCaptureOfThread,
        "The arguments of the last set_thread_capture(); None if there is no stream.");
}

} // namespace heddle
