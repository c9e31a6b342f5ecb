// Reads arrays of other libraries, shared arrays and arrays with hints among the arguments of a launch.
#include "bindings/arguments/arguments.h"
#include "bindings/interpreter/get_or_make.h"
#include "bindings/runtime.h"
#include "bindings/values/numpy_classes.h"
#include "support/os/memory_map.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// Classes of heddle.cuda, looked up once.
struct CudaClasses {
  PyTypeObject *sharedArray; ///< NumPy arrays over memory that host and device share
  PyTypeObject *argHint;
  nb::object windowOf;

  static const CudaClasses &instance() {
    static std::atomic<CudaClasses *> classes{nullptr};
    return getOrMake(classes, [] {
      auto found = [](const char *module, const char *name) {
        return nb::object(nb::module_::import_(module).attr(name));
      };
      auto classOf = [&](const char *module, const char *name) {
        return reinterpret_cast<PyTypeObject *>(found(module, name).release().ptr());
      };
      return new CudaClasses{classOf("heddle.cuda.shared_arrays", "SharedArray"),
                             classOf("heddle.cuda.args", "ArgHint"),
                             found("heddle.cuda.host_memory", "find_window")};
    });
  }
};

} // namespace

bool isManagedOrMappedArray(nb::handle value) {
  const CudaClasses &classes = CudaClasses::instance();
  // Results of arithmetic also have this class, but are in ordinary memory.
  return isInstanceOf(value, classes.sharedArray) && !classes.windowOf(value).is_none();
}

/// Reads a NumPy array in memory that host and device share; nullopt for others.
std::optional<Type> ArgumentList::readManagedOrExportedArray(nb::handle value) {
  if (inHostMemory_ && isManagedOrMappedArray(value))
    return readBuffer(value, /*isOnHost=*/false);
  return readExportedArray(value);
}

/// Reads the device array that another array is a view of; nullopt if there is none.
std::optional<Type> ArgumentList::readExportedArray(nb::handle value) {
  if (!nb::hasattr(value, "__heddle_device_array__"))
    return std::nullopt;
  converted_.push_back(value.attr("__heddle_device_array__"));
  return readDeviceArray(converted_.back());
}

/// Reads an array of another library.
Type ArgumentList::readForeignArray(nb::handle value) {
  if (isInstanceOf(value, CudaClasses::instance().argHint))
    return readArrayWithCopyDirection(value);
  if (takesForeign_)
    if (std::optional<ForeignArray> array = readArrayIfClassIsKnown(value, target_);
        array && !array->onHost)
      return addForeignArray(value, std::move(*array));
  // Without a GPU, __cuda_array_interface__ describes CPU memory.
  if (takesForeign_ || devices().size() == 1)
    if (std::optional<ForeignArray> array = readCudaArrayInterface(value, target_))
      return addForeignArray(value, std::move(*array));
  if (std::optional<Type> type = readExportedArray(value))
    return *type;
  if (PyObject_CheckBuffer(value.ptr()) && (!PyByteArray_Check(value.ptr()) || others_))
    return readBuffer(value); // in host memory
  if (takesForeign_) {
    if (std::optional<ForeignArray> array = readDlpack(value, target_); array && !array->onHost)
      return addForeignArray(value, std::move(*array));
  } else if (nb::hasattr(value, "__cuda_array_interface__")) {
    reject(value,
           "it is on a GPU, but the kernel runs on the CPU device; copy it to the host first");
  }
  return readHostArray(value);
}

/// Reads the array in cuda.In(), cuda.Out() or cuda.InOut().
Type ArgumentList::readArrayWithCopyDirection(nb::handle value) {
  converted_.push_back(value.attr("value"));
  copiesIn_ = nb::cast<bool>(value.attr("copies_in"));
  copiesOut_ = nb::cast<bool>(value.attr("copies_out"));
  Type type = readValue(converted_.back());
  copiesIn_ = copiesOut_ = true;
  if (!type.isArray())
    reject(value, "In, Out and InOut are for arrays");
  return type;
}

/// Reads another library's host array, such as a torch CPU tensor, without copying it.
Type ArgumentList::readHostArray(nb::handle value) {
  bool isNumPys = nb::hasattr(value, "__array_interface__") || nb::hasattr(value, "__array__");
  if (!isNumPys && !nb::hasattr(value, "__dlpack__"))
    reject(value);
  nb::object numpy = nb::module_::import_("numpy");
  converted_.push_back(numpy.attr(isNumPys ? "asarray" : "from_dlpack")(value));
  return readBuffer(converted_.back());
}

bool ArgumentList::readQuickArray(nb::handle value, QuickArray &array) {
  return device_ && !inHostMemory_ && !others_ && readArrayQuickly(value, target_, array);
}

Type ArgumentList::addQuickArray(nb::handle value, const QuickArray &array) {
  if (array.producer)
    addProducerStream(*array.producer);
  ArrayView view{array.data,  array.element, array.ndim,
                 array.shape, array.strides, /*readOnly=*/false};
  return addArray(view, computeArrayFacts(view, aligns_, /*copied=*/false), value, false);
}

Type ArgumentList::addForeignArray(nb::handle value, ForeignArray array) {
  for (int64_t extent : array.shape)
    if (extent < 0)
      array.problem = "it has a negative extent";
  if (!array.problem.empty())
    reject(value, array.problem);
  if (array.hold)
    held_.push_back(std::move(array.hold));
  if (array.producer)
    addProducerStream(*array.producer);
  ArrayView view{array.data,         array.element,        unsigned(array.shape.size()),
                 array.shape.data(), array.strides.data(), array.readOnly};
  ArrayFacts facts = computeArrayFacts(view, aligns_, /*copied=*/false);
  auto addressOf = [](const char *byte) { return reinterpret_cast<uint64_t>(byte); };
  if (inHostMemory_ &&
      !isMappedMemory(addressOf(facts.low), addressOf(facts.high), !array.readOnly))
    reject(value, "it is on a GPU, or its address is not mapped in this process");
  if (inHostMemory_ && device_)
    exportsAddress |= !device_->ownsMemory(facts.low);
  return addArray(view, facts, value, false);
}

} // namespace heddle
