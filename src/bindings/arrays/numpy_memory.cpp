#include "bindings/arrays/numpy_memory.h"

#include "bindings/arguments/host_arrays.h"
#include "bindings/interpreter/serialized_scope.h"

#include <cstdint>
#include <cstring>

namespace nb = nanobind;

namespace heddle {

namespace {

// From numpy/ndarraytypes.h since NumPy 1.22: PyDataMem_Handler, version 1.
struct Allocator {
  void *context;
  void *(*allocate)(void *context, size_t bytes);
  void *(*allocateZeros)(void *context, size_t count, size_t bytes);
  void *(*reallocate)(void *context, void *memory, size_t bytes);
  void (*release)(void *context, void *memory, size_t bytes);
};
struct Handler {
  char name[127];
  uint8_t version;
  Allocator allocator;
};
constexpr const char *handlerName = "mem_handler";

// Indices in NumPy's C API table, numpy/__multiarray_api.h.
constexpr size_t setHandlerPlace = 304, getHandlerPlace = 305;

/// The allocated size for an array of `bytes`.
size_t paddedSize(size_t bytes) {
  bool isPadded = bytes > maxPaddedBytes && bytes <= SIZE_MAX - paddingBytes;
  return isPadded ? bytes + paddingBytes : bytes;
}

Allocator &allocatorOf(void *context) { return *static_cast<Allocator *>(context); }

void *allocatePadded(void *context, size_t bytes) {
  return allocatorOf(context).allocate(allocatorOf(context).context, paddedSize(bytes));
}

void *allocateZerosPadded(void *context, size_t count, size_t bytes) {
  size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all))
    return nullptr;
  return allocatorOf(context).allocateZeros(allocatorOf(context).context, paddedSize(all), 1);
}

void *reallocatePadded(void *context, void *memory, size_t bytes) {
  return allocatorOf(context).reallocate(allocatorOf(context).context, memory, paddedSize(bytes));
}

void releasePadded(void *context, void *memory, size_t bytes) {
  allocatorOf(context).release(allocatorOf(context).context, memory, paddedSize(bytes));
}

/// A function from NumPy's C API table.
template <typename Function> Function *numpyApiFunction(size_t place) {
  nb::object numpy = nb::module_::import_("numpy");
  const char *core = nb::hasattr(numpy, "_core") ? "_core" : "core"; // NumPy 2, NumPy 1
  nb::object table = numpy.attr(core).attr("multiarray").attr("_ARRAY_API");
  void *functions = PyCapsule_GetPointer(table.ptr(), nullptr);
  if (!functions)
    throw nb::python_error();
  return reinterpret_cast<Function *>(static_cast<void **>(functions)[place]);
}

/// Wraps NumPy's allocator in one that adds padding. Never freed, because arrays keep the handler that allocated them.
nb::object makePaddingHandler(nb::object before) {
  auto *known = static_cast<Handler *>(PyCapsule_GetPointer(before.ptr(), handlerName));
  if (!known)
    throw nb::python_error();
  auto *handler = new Handler{};
  std::strcpy(handler->name, "heddle_padding");
  handler->version = 1;
  handler->allocator = {new Allocator(known->allocator), allocatePadded, allocateZerosPadded,
                        reallocatePadded, releasePadded};
  before.release();
  nb::object capsule = nb::steal(PyCapsule_New(handler, handlerName, nullptr));
  if (!capsule.is_valid())
    throw nb::python_error();
  return capsule;
}

void installPaddingAllocator() {
  SerializedScope scope;
  auto *getHandler = numpyApiFunction<PyObject *()>(getHandlerPlace);
  auto *setHandler = numpyApiFunction<PyObject *(PyObject *)>(setHandlerPlace);
  nb::object before = nb::steal(getHandler());
  if (!before.is_valid())
    throw nb::python_error();
  static PyObject *made = nullptr;
  if (!made)
    made = makePaddingHandler(std::move(before)).release().ptr();
  nb::object replaced = nb::steal(setHandler(made));
  if (!replaced.is_valid())
    throw nb::python_error();
}

} // namespace

void bindNumPyMemory(nb::module_ &m) { m.def("pad_numpy_arrays", installPaddingAllocator); }

} // namespace heddle
