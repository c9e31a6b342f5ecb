// Python values as arguments of a launch: their types, and their bits in 8-byte slots.
#pragma once

#include "frontend/python/types.h"
#include "runtime/device.h"

#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

#include <string>

namespace heddle {

/// The type that a value has as a kernel argument. Raises TypeError for one that has none.
python::Type typeOf(nanobind::handle value);

/// An array among the arguments.
struct ArrayArgument {
  unsigned argument; ///< which argument it is, or is in
  unsigned slot;     ///< of its pointer; extents and strides follow
  bool topLevel;     ///< not inside a tuple
  bool
      onHost; ///< host memory that the launch was given: the launch must look like copy in, run, copy back
  bool copiesIn;
  bool copiesOut;
  bool misaligned; ///< an element does not start at a multiple of its size
  const char *low; ///< the bytes that its elements lie in
  const char *high;
  PyObject *owner; ///< borrowed: the Python object that holds the memory
};

/// The arguments of one launch. Holds the buffers of host arrays until it goes.
class ArgumentList {
public:
  /// `function` is what the arguments are for, named in errors; it may be null.
  explicit ArgumentList(nanobind::handle function = {}) : function_(function) {}
  ArgumentList(const ArgumentList &) = delete;
  ArgumentList &operator=(const ArgumentList &) = delete;
  ~ArgumentList();

  /// Reads the next argument. `device` is where the kernel will run; null where only the types matter.
  void add(nanobind::handle value, const Device *device);
  /// Notes in the array types which arrays no other argument overlaps.
  void findOverlaps();
  /// A Python object that holds the memory of every array.
  nanobind::object owners() const;
  /// Keeps the memory of every array for good: a kernel that was interrupted and does not stop may still write it.
  void leakMemory();

  llvm::SmallVector<python::Type, 8> types;
  llvm::SmallVector<uint64_t, 40> slots;
  llvm::SmallVector<ArrayArgument, 8> arrays;
  bool overlapping = false; ///< some array overlaps another
  bool misaligned = false;
  bool onHost = false; ///< some array is host memory

private:
  python::Type read(nanobind::handle value, bool topLevel);
  python::Type readBuffer(nanobind::handle value, bool topLevel, bool copiesIn, bool copiesOut);
  python::Type readDeviceArray(nanobind::handle value, bool topLevel);
  python::Type readArray(nanobind::handle owner, void *data, python::Type element, unsigned ndim,
                         const int64_t *shape, const int64_t *strides, bool readOnly,
                         ArrayArgument array);
  python::Type readInteger(nanobind::handle value);
  python::Type readOther(nanobind::handle value, bool topLevel);
  bool readNumPyScalar(nanobind::handle value, python::Type &type);
  /// "argument 2 (n) of two()".
  std::string describeNext() const;
  [[noreturn]] void refuse(nanobind::handle value, const std::string &why = {});

  nanobind::handle function_;
  const Device *device_ = nullptr;
  unsigned depth_ = 0;
  llvm::SmallVector<Py_buffer, 4> buffers_;
  llvm::SmallVector<nanobind::object, 2> converted_;
};

/// How many slots a value of that type takes.
size_t slotCount(python::Type type);

/// Turns the slots of a value of type `from`, starting at `slots`, into those of type `to`. The types are convertible.
void convertSlots(python::Type from, python::Type to, uint64_t *slots);

} // namespace heddle
