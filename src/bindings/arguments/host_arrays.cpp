#include "bindings/arguments/host_arrays.h"

#include "llvm/Support/Alignment.h"

#include <cstring>
#include <utility>

namespace nb = nanobind;

namespace heddle {

namespace {

/// True if running the kernel on the array in place could differ from copying in, running and copying back.
bool needsCopy(const ArgumentList &arguments, const ArrayArgument &array,
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

constexpr size_t roomBefore = 1024;

/// True if a kernel that uses its thread index unchecked may write past the end of the array.
bool mayBeOverrun(const ArrayArgument &array, uint64_t threads) {
  size_t bytes = array.facts.high - array.facts.low;
  return bytes <= maxPaddedBytes && array.facts.type->layout != python::Layout::Any &&
         bytes < threads * array.facts.type->element->bytes();
}

/// The padded memory of the thread's last launch, for reuse. A launch takes it, so a nested launch finds none.
struct SpareMemory {
  std::unique_ptr<char[]> memory;
  size_t bytes = 0;
};
thread_local SpareMemory spare;

} // namespace

HostArrays::HostArrays(ArgumentList &arguments, const std::vector<bool> &written,
                       uint64_t threads) {
  llvm::SmallVector<const ArrayArgument *, 2> overrun;
  for (const ArrayArgument &array : arguments.arrays) {
    if (!array.onHost)
      continue;
    bool back = array.copiesOut && written[array.argument];
    if (array.copied)
      copies_.push_back(
          makeCopy(arguments, array, back,
                   array.facts.misaligned || array.facts.type->layout == python::Layout::Any));
    else if (needsCopy(arguments, array, written))
      copies_.push_back(makeCopy(arguments, array, back, true));
    else if (back && mayBeOverrun(array, threads))
      overrun.push_back(&array);
  }
  if (!overrun.empty())
    copyIntoPaddedMemory(arguments, overrun);
}

void HostArrays::copyIntoPaddedMemory(ArgumentList &arguments,
                                      llvm::ArrayRef<const ArrayArgument *> arrays) {
  constexpr size_t line = 64; // alignment of arrays
  size_t needed = line;
  auto bytesOf = [](const ArrayArgument &array) {
    return size_t(array.facts.high - array.facts.low);
  };
  for (const ArrayArgument *array : arrays)
    needed += roomBefore + llvm::alignTo(bytesOf(*array), line) + paddingBytes;
  if (spare.bytes >= needed) {
    padding_ = std::move(spare.memory);
    paddingBytes_ = std::exchange(spare.bytes, 0);
  } else {
    padding_ = std::make_unique_for_overwrite<char[]>(needed);
    paddingBytes_ = needed;
  }
  char *at = reinterpret_cast<char *>(llvm::alignAddr(padding_.get(), llvm::Align(line)));
  for (const ArrayArgument *array : arrays) {
    at += roomBefore;
    size_t bytes = bytesOf(*array);
    padded_.push_back({const_cast<char *>(array->facts.low), at, bytes});
    std::memcpy(at, array->facts.low, bytes);
    arguments.slots[array->slot] += at - array->facts.low;
    at += llvm::alignTo(bytes, line) + paddingBytes;
  }
}

HostArrays::~HostArrays() {
  for (const PaddedArray &array : padded_)
    std::memcpy(array.host, array.copy, array.bytes);
  if (padding_)
    spare = {std::move(padding_), paddingBytes_};
}

HostArrays::Copy HostArrays::makeCopy(ArgumentList &arguments, const ArrayArgument &array,
                                      bool back, bool compact) {
  Copy copy{.slot = array.slot,
            .host = const_cast<char *>(array.facts.low),
            .bytes = size_t(array.facts.high - array.facts.low),
            .in = array.copiesIn,
            .back = back};
  if (!compact)
    return copy;
  nb::module_ numpy = nb::module_::import_("numpy");
  copy.original = numpy.attr("asarray")(nb::borrow(array.owner));
  // Keeps the order of the axes in memory, and aligns the copy.
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

void HostArrays::allocateAndUpload(ArgumentList &arguments, Stream &stream) {
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

void HostArrays::copyBackCompactCopies() {
  for (Copy &copy : copies_)
    if (copy.back && copy.compact)
      nb::module_::import_("numpy").attr("copyto")(copy.original, copy.compact);
}

void HostArrays::leakCopies() {
  padded_.clear();
  padding_.release();
  for (Copy &copy : copies_) {
    copy.original.release();
    copy.compact.release();
    if (copy.memory)
      new std::shared_ptr<Buffer>(std::move(copy.memory));
  }
}

} // namespace heddle
