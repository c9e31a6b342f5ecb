#include "bindings/arguments/host_arrays.h"

namespace nb = nanobind;

namespace heddle {

namespace {

/// Whether running the kernel on the array itself could be told from copy in, run, copy back.
bool showsInPlace(const ArgumentList &arguments, const ArrayArgument &array,
                  const std::vector<bool> &written) {
  if (array.facts.misaligned)
    return true;
  bool changed = written[array.argument];
  if (changed && !array.copiesOut)
    return true;
  for (const ArrayArgument &other : arguments.arrays)
    if (&other != &array && other.onHost && (changed || written[other.argument]) &&
        array.facts.low < other.facts.high && other.facts.low < array.facts.high)
      return true;
  return false;
}

} // namespace

HostArrays::HostArrays(ArgumentList &arguments, const std::vector<bool> &written) {
  for (const ArrayArgument &array : arguments.arrays) {
    if (!array.onHost)
      continue;
    bool back = array.copiesOut && written[array.argument];
    if (array.copied)
      copies_.push_back(
          copyOf(arguments, array, back,
                 array.facts.misaligned || array.facts.type->layout == python::Layout::Any));
    else if (showsInPlace(arguments, array, written))
      copies_.push_back(copyOf(arguments, array, back, true));
  }
}

HostArrays::Copy HostArrays::copyOf(ArgumentList &arguments, const ArrayArgument &array, bool back,
                                    bool compact) {
  Copy copy{.slot = array.slot,
            .host = const_cast<char *>(array.facts.low),
            .bytes = size_t(array.facts.high - array.facts.low),
            .in = array.copiesIn,
            .back = back};
  if (!compact)
    return copy;
  nb::module_ numpy = nb::module_::import_("numpy");
  copy.original = numpy.attr("asarray")(nb::borrow(array.owner));
  // With the axes in the same order in memory, and aligned.
  copy.compact = numpy.attr("require")(numpy.attr("copy")(copy.original, "K"), nb::none(), "A");
  Py_buffer view;
  if (PyObject_GetBuffer(copy.compact.ptr(), &view, PyBUF_FULL_RO) != 0)
    throw nb::python_error();
  arguments.slots[array.slot] = reinterpret_cast<uint64_t>(view.buf);
  for (int axis = 0; axis < view.ndim; ++axis)
    arguments.slots[array.slot + 1 + view.ndim + axis] = view.strides[axis];
  copy.host = static_cast<char *>(view.buf);
  copy.bytes = view.len;
  PyBuffer_Release(&view);
  return copy;
}

void HostArrays::upload(ArgumentList &arguments, Stream &stream) {
  for (Copy &copy : copies_) {
    if (!copy.bytes) {
      arguments.slots[copy.slot] = 0;
      continue;
    }
    copy.memory = stream.allocate(copy.bytes);
    if (copy.in)
      stream.upload(copy.memory->address(), copy.host, copy.bytes);
    arguments.slots[copy.slot] = reinterpret_cast<uint64_t>(copy.memory->address());
  }
}

void HostArrays::download(Stream &stream) {
  for (Copy &copy : copies_)
    if (copy.back && copy.memory)
      stream.download(copy.host, copy.memory->address(), copy.bytes);
}

void HostArrays::finish() {
  for (Copy &copy : copies_)
    if (copy.back && copy.compact)
      nb::module_::import_("numpy").attr("copyto")(copy.original, copy.compact);
}

void HostArrays::leak() {
  for (Copy &copy : copies_) {
    copy.original.release();
    copy.compact.release();
    if (copy.memory)
      new std::shared_ptr<Buffer>(std::move(copy.memory));
  }
}

} // namespace heddle
