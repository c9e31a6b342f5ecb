// DLPack's structures, as its header lays them out (version 1.3), and the arrays behind its two ways in: a table of C
// functions on a class, and the method __dlpack__.
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
  FirstFloat8 = 7, ///< of the codes 7 to 14
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

/// What a class offers as __dlpack_c_exchange_api__. It lives as long as the process.
struct ExchangeApi {
  Version version;
  const ExchangeApi *previous; ///< the same for an older version
  void *allocate;
  void *managedTensorOf;
  void *objectOf;
  /// Fills in a view of a Python object's array that lasts as long as the object; 0, or -1 with a Python exception.
  int (*tensorOf)(void *object, Tensor *out);
  /// The stream that the library works on now; 0, or -1 with a Python exception.
  int (*currentWorkStream)(int32_t deviceType, int32_t deviceIndex, void **stream);
};
static_assert(sizeof(ExchangeApi) == 56);

/// The functions of a class; null when it offers none that this file knows.
const ExchangeApi *exchangeApiOf(PyTypeObject *type);

/// An array that __dlpack__ handed over.
struct Imported {
  const Tensor *tensor = nullptr;
  bool readOnly = false;
  std::shared_ptr<void> hold; ///< gives the array back when the last copy goes, on any thread
};

/// Where __dlpack_device__ says that an array lives.
struct Place {
  int deviceType;
  int deviceIndex;
};
std::optional<Place> placeOf(nanobind::handle value);

/// Calls __dlpack__ for work on `stream`, CUDA's number of it; -1 when nothing will be done with the values.
/// Throws what the producer raises, and TypeError for what is no capsule of DLPack.
Imported import(nanobind::handle value, int64_t stream);

} // namespace heddle::dlpack
