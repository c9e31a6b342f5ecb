#include "bindings/kernels/graph_capture.h"

#include "bindings/interpreter/gil.h"

#include <memory>

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
nb::tuple describeWork(const RecordedWork &work) {
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

void setThreadCapture(std::shared_ptr<Stream> stream, nb::object note) {
  threadCapture.stream = std::move(stream);
  PyObject *before = threadCapture.note;
  threadCapture.note = note.is_none() ? nullptr : note.release().ptr();
  Py_XDECREF(before);
}

nb::object getThreadCapture() {
  if (!threadCapture.stream)
    return nb::none();
  return nb::make_tuple(threadCapture.stream,
                        threadCapture.note ? nb::borrow(threadCapture.note) : nb::none());
}

} // namespace

Stream &streamWithoutName(Device &device) {
  Stream *captured = threadCapture.stream.get();
  return captured && &captured->device() == &device ? *captured : device.defaultStream();
}

bool isInGraphCapture(const Stream &stream) { return threadCapture.stream && stream.isCapturing(); }

void noteCapturedLaunch(const Stream &stream, PyObject *launcher, PyObject *const *values,
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
  nb::class_<Graph>(m, "Graph", "Work that a stream has recorded.")
      .def("launch", &Graph::launch, "stream"_a, nb::call_guard<WithoutGil>(),
           "Runs the work in the stream's order.")
      .def(
          "work",
          [](const Graph &graph) {
            nb::list list;
            for (const RecordedWork &work : graph.work())
              list.append(describeWork(work));
            return list;
          },
          "The recorded work as tuples: ('kernel', name, grid, block, bytes of shared memory), "
          "('copy', to, from, bytes), ('fill', to, value, bytes) or ('callback',).")
      .def("replace_kernel", &Graph::replaceKernel, "index"_a, "graph"_a,
           "Replaces a kernel of the graph by the only kernel of another graph.");
  m.def("set_thread_capture", setThreadCapture, "stream"_a.none(), "note"_a.none(),
        "Sends the thread's work without a stream to `stream`, which captures, and calls "
        "`note(index, launcher, arguments, keywords)` after each launch.");
  m.def("refuse_host_copy_in_capture", refuseHostCopyInCapture);
  m.def("thread_capture", getThreadCapture,
        "The arguments of the last set_thread_capture(); None if there is no stream.");
}

} // namespace heddle
