// Converts Python values to launch arguments: their types, and their bits in 8-byte slots.
#pragma once

#include "bindings/arrays/array_facts.h"
#include "bindings/arrays/foreign_arrays.h"
#include "bindings/arrays/quick_arrays.h"
#include "frontend/python/types/types.h"
#include "runtime/device.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

namespace heddle {

class ArgumentList;
class OtherValues;
enum class ValueKind : uint8_t;

/// The type of a value as a kernel argument, or as read by `others`. Raises TypeError for unsupported values.
python::Type typeOf(nanobind::handle value, OtherValues *others = nullptr);

/// True for NumPy arrays over memory that host and device share, such as the arrays of cuda.managed_array().
bool isManagedOrMappedArray(nanobind::handle value);

/// An array among the arguments.
struct ArrayArgument {
  unsigned argument; ///< index of the argument that is or contains the array
  unsigned slot;     ///< slot of the pointer; extents and strides follow
  /// The array is in host memory: the launch must behave as if it copied the array in, ran, and copied it back.
  bool onHost;
  bool copied; ///< the array is actually copied, because the device cannot access host memory
  bool copiesIn;
  bool copiesOut;
  ArrayFacts facts;
  PyObject *owner; ///< borrowed: the Python object that holds the memory
};

/// Reads values that kernels do not accept.
class OtherValues {
public:
  virtual ~OtherValues() = default;
  /// Appends the slots of a value to those of `arguments` and returns its type. Returns an unknown type for unsupported
  /// values, and may set `why` to the reason.
  virtual python::Type readValue(nanobind::handle value, ValueKind kind, ArgumentList &arguments,
                                 std::string &why) = 0;
  /// Like readValue(), for a string, which is a compile-time constant in kernels.
  virtual python::Type readText(nanobind::handle text, llvm::SmallVectorImpl<uint64_t> &slots) = 0;
};

/// The arguments of one launch. Keeps the buffers of host arrays while it lives.
class ArgumentList {
public:
  /// `function` is named in errors and may be null. `device` runs the kernel; null if only the types matter. `stream`
  /// is the stream of the launch, if any.
  explicit ArgumentList(nanobind::handle function = {}, const Device *device = nullptr,
                        const Stream *stream = nullptr);
  ArgumentList(const ArgumentList &) = delete;
  ArgumentList &operator=(const ArgumentList &) = delete;
  ~ArgumentList();

  /// Sets the number of the next argument in errors, for callers that do not add all arguments.
  void numberNext(size_t number) { nextNumber_ = number; }
  /// Sets the reader of values that kernels do not accept.
  void setOtherValues(OtherValues &others) { others_ = &others; }
  /// Reads the next argument.
  void add(nanobind::handle value);
  /// Reads the next argument and keeps a reference to it.
  void addAndKeepAlive(nanobind::object value);
  /// Reads another library's array only for its address: adds no argument. Returns false for values that only add()
  /// reads.
  bool readQuickArray(nanobind::handle value, QuickArray &array);
  /// Makes the kernel wait for the work so far in the stream with this handle.
  void addProducerStream(uint64_t producer);
  using TakeItem = llvm::function_ref<void(python::Type, llvm::ArrayRef<uint64_t> slots,
                                           llvm::ArrayRef<ArrayArgument> arrays)>;
  /// Reads an item of the next argument, a list, and passes it to `take`. Adds no slots to the call.
  void readItemForCallback(nanobind::handle item, TakeItem take);
  /// Moves the arguments of another list, and the references that the other list keeps, to this list.
  void takeOver(ArgumentList &other);
  /// Marks arrays that no other argument overlaps.
  void markArraysWithoutOverlap();
  /// Converts the slots to the parameters' types. The arguments must be convertible.
  void convertToParameterTypes(llvm::ArrayRef<python::KernelArgument> parameters);
  /// A Python object that holds the memory of every array.
  nanobind::object owners() const;
  /// Leaks the memory of every array, because an interrupted kernel that does not stop may still write to it.
  void leakMemory();
  /// Moves out the other objects that must live until the kernel has run, such as those of other libraries. Returns
  /// null if there are none.
  std::shared_ptr<void> takeHeldObjects();
  void hold(std::shared_ptr<void> memory) { held_.push_back(std::move(memory)); }

  llvm::SmallVector<python::KernelArgument, 32>
      kernelArguments; ///< types and facts for the compiler
  llvm::SmallVector<uint64_t, 104> slots;
  llvm::SmallVector<ArrayArgument, 32> arrays;
  /// Handles of the streams that produce arrays of other libraries; the kernel waits for their work so far.
  llvm::SmallVector<uint64_t, 2> producers;
  bool misaligned = false; ///< some array that is used in place is misaligned
  bool onHost = false;     ///< some array is host memory

  bool exportsAddress = false; ///< some argument is an address in memory that other code can read

  /// True if other code can read one of the device arrays without calling Heddle.
  bool isExported() const;

private:
  python::Type readValue(nanobind::handle value);
  /// `isOnHost`: the memory is host memory that the device does not share.
  python::Type readBuffer(nanobind::handle value, bool isOnHost = true);
  python::Type addArrayOfLastBuffer(python::Type element, nanobind::handle owner, bool isOnHost);
  python::Type readElementsWithoutFormat(nanobind::handle value, bool isOnHost);
  python::Type readRecord(nanobind::handle value);
  python::Type readEnumMember(nanobind::handle value);
  python::Type readNumPyArray(nanobind::handle value);
  std::optional<python::Type> readManagedOrExportedArray(nanobind::handle value);
  std::optional<python::Type> readExportedArray(nanobind::handle value);
  python::Type readDeviceArray(nanobind::handle value);
  python::Type addForeignArray(nanobind::handle value, ForeignArray array);
  python::Type addQuickArray(nanobind::handle value, const QuickArray &array);
  python::Type readForeignArray(nanobind::handle value);
  python::Type readArrayWithCopyDirection(nanobind::handle value);
  python::Type readHostArray(nanobind::handle value);
  python::Type addArray(const ArrayView &view, const ArrayFacts &facts, nanobind::handle owner,
                        bool isOnHost);
  python::Type readString(nanobind::handle value);
  python::Type readTuple(nanobind::handle value);
  python::Type convertToStructure(nanobind::handle fields, python::Type structure,
                                  const std::vector<python::Type> &read, size_t first);
  python::Type readSlice(nanobind::handle value);
  python::Type readHostOnlyOrForeignValue(nanobind::handle value, ValueKind kind);
  void insertZeroSlots(size_t at, size_t count);
  void wrapSlotsAsOptional(python::Type from, python::Type to, size_t first);
  void convertSlots(python::Type from, python::Type to, size_t first);
  /// "argument 2 (n) of two()".
  std::string describeNextArgument() const;
  /// The name of the parameter for the next argument; empty if it has none.
  std::string findNextParameterName() const;
  void checkSlotCount(size_t first) const;
  python::LaunchFacts factsOfLastArgument(python::Type type) const;
  [[noreturn]] void reject(nanobind::handle value, const std::string &why = {});

  nanobind::handle function_;
  const Device *device_;
  ForeignTarget target_;
  bool inHostMemory_;    ///< the device uses host memory
  bool aligns_;          ///< the device has separate code for aligned arrays
  bool takesForeign_;    ///< arrays in GPU memory are accepted
  bool copiesIn_ = true; ///< for the host array that is read next
  bool copiesOut_ = true;
  std::optional<size_t> nextNumber_;
  unsigned depth_ = 0;
  OtherValues *others_ = nullptr;
  llvm::SmallVector<Py_buffer, 4> buffers_;
  llvm::SmallVector<nanobind::object, 2> converted_;
  llvm::SmallVector<std::shared_ptr<void>, 1> held_;
};

} // namespace heddle
