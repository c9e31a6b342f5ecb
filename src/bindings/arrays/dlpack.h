// DLPack structures, as in its header (version 1.3), and the two protocols that provide arrays: a table of C functions
// on a class, and the method __dlpack__.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace heddle::dlpack {

enum DeviceType : int32_t { Cpu = 1, Cuda = 2, CudaHost = 3, CudaManaged = 13 };
enum TypeCode : uint8_t {
  Int = 0,
  UInt = 1,
  Float = 2,
  Bfloat = 4,
  Complex = 5,
  Bool = 6,
  FirstFloat8 = 7, ///< codes 7 to 14 are 8-bit floats
};

struct Tensor {
  void *data;
  int32_t deviceType;
  int32_t deviceIndex;
  int32_t ndim;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t *shape;
  int64_t *strides; ///< in elements; null for C order
  uint64_t byteOffset;
};
static_assert(sizeof(Tensor) == 48);

struct Version {
  uint32_t major, minor;
};

struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *);
};

struct ManagedTensorVersioned {
  Version version;
  void *context;
  void (*deleter)(ManagedTensorVersioned *);
  uint64_t flags; ///< bit 0: read-only
  Tensor tensor;
};

/// The value of a class's __dlpack_c_exchange_api__. Lives as long as the process.
struct ExchangeApi {
  Version version;
  const ExchangeApi *previous; ///< table of an older version
  void *allocate;
  void *managedTensorOf;
  void *objectOf;
  /// Fills in a view of a Python object's array, valid while the object lives. Returns 0, or -1 with a Python
  /// exception.
  int (*tensorOf)(void *object, Tensor *out);
  /// The library's current stream. Returns 0, or -1 with a Python exception.
  int (*currentWorkStream)(int32_t deviceType, int32_t deviceIndex, void **stream);
};
static_assert(sizeof(ExchangeApi) == 56);

/// The function table of a class; null if there is none of a supported version.
const ExchangeApi *exchangeApiOf(PyTypeObject *type);

/// An array received from __dlpack__.
struct Imported {
  const Tensor *tensor = nullptr;
  bool readOnly = false;
  std::shared_ptr<void> hold; ///< calls the deleter when the last copy is destroyed, on any thread
};

/// An array's location, from __dlpack_device__.
struct Place {
  int deviceType;
  int deviceIndex;
};
std::optional<Place> findDlpackDevice(nanobind::handle value);

/// Calls __dlpack__ for use on `stream`, a CUDA stream number, or -1 if the values will not be used. Throws the
/// producer's exception, and TypeError if the result is not a DLPack capsule.
Imported importArray(nanobind::handle value, int64_t stream);

} // namespace heddle::dlpack
