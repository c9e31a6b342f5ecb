// Python values as arguments of a launch: their types, and their bits in 8-byte slots.
#pragma once

#include "bindings/arrays/array_facts.h"
#include "bindings/arrays/foreign_arrays.h"
#include "frontend/python/types/types.h"
#include "runtime/device.h"

#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

namespace heddle {

class OtherValues;

/// The type that a value has as a kernel argument, or as `others` read it. Raises TypeError for one that has none.
python::Type typeOf(nanobind::handle value, OtherValues *others = nullptr);

/// An array among the arguments.
struct ArrayArgument {
  unsigned argument; ///< which argument it is, or is in
  unsigned slot;     ///< of its pointer; extents and strides follow
  /// Host memory that the launch was given: the launch must look like copy in, run, copy back.
  bool onHost;
  bool copied; ///< ... and is that, as the device does not reach host memory
  bool copiesIn;
  bool copiesOut;
  ArrayFacts facts;
  PyObject *owner; ///< borrowed: the Python object that holds the memory
};

/// Reads values that no kernel takes.
class OtherValues {
public:
  virtual ~OtherValues() = default;
  /// Appends the slots of a value. Its type; unknown for what it does not know either, which `why` may say more of.
  virtual python::Type read(nanobind::handle value, llvm::SmallVectorImpl<uint64_t> &slots,
                            std::string &why) = 0;
  /// The same of a string, which is a constant of a kernel.
  virtual python::Type readText(nanobind::handle text, llvm::SmallVectorImpl<uint64_t> &slots) = 0;
};

/// The arguments of one launch. Holds the buffers of host arrays until it goes.
class ArgumentList {
public:
  /// `function` is what the arguments are for, named in errors; it may be null. `device` is where the kernel will run;
  /// null where only the types matter. `stream` is the stream of the launch, if there is one.
  explicit ArgumentList(nanobind::handle function = {}, const Device *device = nullptr,
                        const Stream *stream = nullptr);
  ArgumentList(const ArgumentList &) = delete;
  ArgumentList &operator=(const ArgumentList &) = delete;
  ~ArgumentList();

  /// Has `others` read values that no kernel takes.
  void readOthersBy(OtherValues &others) { others_ = &others; }
  /// Reads the next argument.
  void add(nanobind::handle value);
  /// The same, for a value that nobody else holds.
  void addOwned(nanobind::object value);
  /// Has what another list has read as its own, and what that keeps.
  void takeOver(ArgumentList &other);
  /// Notes which arrays no other argument overlaps.
  void findOverlaps();
  /// Converts the slots to those of other types, which each argument's is convertible to.
  void convertTo(llvm::ArrayRef<python::KernelArgument> parameters);
  /// A Python object that holds the memory of every array.
  nanobind::object owners() const;
  /// Keeps the memory of every array for good: a kernel that was interrupted and does not stop may still write it.
  void leakMemory();
  /// What else must live until the kernel has run, such as what other libraries ask for; usually nothing.
  std::shared_ptr<void> held();
  void hold(std::shared_ptr<void> memory) { held_.push_back(std::move(memory)); }

  llvm::SmallVector<python::KernelArgument, 8> kernelArguments; ///< what each is to the compiler
  llvm::SmallVector<uint64_t, 40> slots;
  llvm::SmallVector<ArrayArgument, 8> arrays;
  /// The handles of the streams whose work so far the kernel must wait for: those that other libraries' arrays name.
  llvm::SmallVector<uint64_t, 2> producers;
  bool misaligned = false; ///< some array in place is
  bool onHost = false;     ///< some array is host memory

  bool exportsAddress = false; ///< some argument is an address of memory that other code can read

  /// Whether other code can read one of the arrays in device memory without calling heddle.
  bool isExported() const;

private:
  python::Type read(nanobind::handle value);
  /// `isOnHost`: the memory is not the device's, too.
  python::Type readBuffer(nanobind::handle value, bool isOnHost = true);
  python::Type placeBuffer(python::Type element, nanobind::handle owner, bool isOnHost);
  python::Type readOtherElements(nanobind::handle value, bool isOnHost);
  python::Type readRecord(nanobind::handle value);
  python::Type readEnumMember(nanobind::handle value);
  python::Type readDeviceArray(nanobind::handle value);
  python::Type readForeign(nanobind::handle value, ForeignArray array);
  python::Type readHinted(nanobind::handle value);
  python::Type readSharedAsHost(nanobind::handle value);
  python::Type place(const ArrayView &view, const ArrayFacts &facts, nanobind::handle owner,
                     bool isOnHost);
  python::Type readInteger(nanobind::handle value);
  python::Type readString(nanobind::handle value);
  python::Type readTuple(nanobind::handle value);
  python::Type asStructure(nanobind::handle fields, python::Type structure,
                           const std::vector<python::Type> &read, size_t first);
  python::Type readSlice(nanobind::handle value);
  python::Type readOther(nanobind::handle value);
  /// Appends the slots of a number that lies in memory.
  void pushNumber(const void *data, python::Type type);
  bool readNumPyScalar(nanobind::handle value, python::Type &type);
  void insertSlots(size_t at, size_t count);
  void wrapSlots(python::Type from, python::Type to, size_t first);
  void convertSlots(python::Type from, python::Type to, size_t first);
  bool readTime(nanobind::handle value, python::Type &type);
  void waitFor(uint64_t producer);
  /// "argument 2 (n) of two()".
  std::string describeNext() const;
  [[noreturn]] void refuse(nanobind::handle value, const std::string &why = {});

  nanobind::handle function_;
  const Device *device_;
  ForeignTarget target_;
  bool inHostMemory_;    ///< the device's memory is the host's
  bool aligns_;          ///< the device has code for aligned arrays
  bool takesForeign_;    ///< arrays in a GPU's memory are arguments
  bool copiesIn_ = true; ///< of the host array that is read next
  bool copiesOut_ = true;
  unsigned depth_ = 0;
  OtherValues *others_ = nullptr;
  llvm::SmallVector<Py_buffer, 4> buffers_;
  llvm::SmallVector<nanobind::object, 2> converted_;
  llvm::SmallVector<std::shared_ptr<void>, 1> held_;
};

} // namespace heddle
