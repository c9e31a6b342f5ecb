// Memory layouts of array objects, so that launches read them without Python code. The offsets are found in objects
// whose attributes are known.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

namespace heddle {

/// Offsets of C members in objects of class cupy.ndarray and in their memory pointers.
class CupyLayout {
public:
  /// The members of one array. They belong to the array.
  struct Members {
    void *address;
    int deviceId;
    PyObject *dtype;
    unsigned ndim;
    const int64_t *shape;
    const int64_t *strides; ///< in bytes
  };

  /// Finds the offsets in arrays that it makes, by comparing their memory with their Python attributes. nullopt if a
  /// member has no or several possible offsets, or if the class is not CuPy's. Throws nothing.
  static std::optional<CupyLayout> findLayout(PyTypeObject *ndarray);

  /// Reads an array of exactly the class that findLayout() was given. nullopt if its memory pointer has another class.
  std::optional<Members> readMembers(PyObject *array) const;

private:
  CupyLayout() = default;
  bool findOffsets(nanobind::handle ndarray);

  PyTypeObject *pointerClass_ = nullptr; ///< the class of memory pointers
  size_t data_ = 0, dtype_ = 0, shape_ = 0, strides_ = 0;
  size_t address_ = 0, deviceId_ = 0; ///< in memory pointers
};

/// Offsets of the tensor's implementation in an object of class torch.Tensor, and of the gradient's data in that. Most
/// tensors have none: only those that autograd has seen do.
class TorchLayout {
public:
  /// Finds the offsets in tensors that it makes. nullopt if they are ambiguous. Throws nothing.
  static std::optional<TorchLayout> findLayout(nanobind::handle torch);

  /// True if a tensor, of exactly the class torch.Tensor, has no data for autograd, so that it requires no gradients.
  bool hasNoGradient(PyObject *tensor) const;

private:
  TorchLayout() = default;
  bool findOffsets(nanobind::handle torch);

  size_t implementation_ = 0, gradient_ = 0;
};

/// CuPy's C function that returns the current stream; null if this CuPy has none.
using CupyStreamFunction = intptr_t (*)();
CupyStreamFunction findCupyStreamFunction();

} // namespace heddle
