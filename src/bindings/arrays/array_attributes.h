// Reads attributes and DLPack descriptions of arrays of other libraries.
#pragma once

#include "bindings/arrays/dlpack.h"
#include "bindings/arrays/foreign_arrays.h"
#include "bindings/interpreter/serialized_scope.h"

#include <nanobind/nanobind.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace heddle {

/// Interned attribute names.
struct AttributeNames {
  PyObject *requiresGrad, *data, *ptr, *shape, *strides, *dtype, *deviceId, *dataPtr, *stride,
      *device, *index, *getCurrentStream, *cudaArrayInterface, *typestr, *mask, *stream;

  static const AttributeNames &get() {
    static const AttributeNames *names = new AttributeNames;
    return *names;
  }

private:
  AttributeNames() {
    auto name = [](const char *text) { return PyUnicode_InternFromString(text); };
    requiresGrad = name("requires_grad");
    data = name("data");
    ptr = name("ptr");
    shape = name("shape");
    strides = name("strides");
    dtype = name("dtype");
    deviceId = name("device_id");
    dataPtr = name("data_ptr");
    stride = name("stride");
    device = name("device");
    index = name("index");
    getCurrentStream = name("get_current_stream");
    cudaArrayInterface = name("__cuda_array_interface__");
    typestr = name("typestr");
    mask = name("mask");
    stream = name("stream");
  }
};

nanobind::object getAttributeOrThrow(nanobind::handle value, PyObject *name);
uint64_t toUnsigned64(nanobind::handle number);
int64_t toSigned64(nanobind::handle number);
/// Reads a tuple of ints.
void readExtents(nanobind::handle tuple, llvm::SmallVectorImpl<int64_t> &out);
/// Sets the strides of C order, or `problem` if they are too large.
void setContiguousStrides(ForeignArray &array);

std::string unsupportedElementMessage(const std::string &name);
/// The reason why an array on GPU `index` cannot be used on the target; empty if it can.
std::string explainWrongDevice(int64_t index, const ForeignTarget &target);

/// The element type of a DLPack tensor; unknown if kernels have none.
python::Type elementOfTensor(const dlpack::Tensor &tensor);
ForeignArray readTensor(const dlpack::Tensor &tensor, const ForeignTarget &target);

/// Caches element types by the identity of dtype objects, which libraries create once per dtype.
class Dtypes {
public:
  explicit Dtypes(python::Type (*look)(nanobind::handle dtype)) : look_(look) {}

  python::Type operator[](nanobind::handle dtype) {
    if (std::optional<python::Type> known = find(dtype))
      return *known;
    python::Type type = look_(dtype);
    constexpr size_t most = 64;
    std::lock_guard lock(mutex_);
    if (known_.size() < most) {
      Py_INCREF(dtype.ptr());
      known_.push_back({dtype.ptr(), type});
    }
    return type;
  }

private:
  std::optional<python::Type> find(nanobind::handle dtype) {
    std::lock_guard lock(mutex_);
    for (const auto &[known, type] : known_)
      if (known == dtype.ptr())
        return type;
    return std::nullopt;
  }

  python::Type (*look_)(nanobind::handle);
  TableLock mutex_; ///< guards known_
  llvm::SmallVector<std::pair<PyObject *, python::Type>, 16> known_;
};

/// The element type of a NumPy dtype; unknown if kernels have none.
python::Type elementOfNumpyDtype(nanobind::handle dtype);

} // namespace heddle
