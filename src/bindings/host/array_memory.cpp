#include "bindings/host/array_memory.h"

#include "bindings/arrays/byte_span.h"
#include "bindings/interpreter/get_or_make.h"
#include "bindings/interpreter/python_class.h"
#include "bindings/types/dtypes.h"

#include <algorithm>

namespace nb = nanobind;

namespace heddle {

using python::Type;

namespace {

/// A buffer for NumPy over memory with another owner.
struct ArrayMemory {
  PyObject_HEAD PyObject *owner; ///< the Python owner, or null
  host::Owner *made;             ///< the owner if a compiled function allocated the memory, or null
  char *low;
  Py_ssize_t bytes;
  int readOnly;
};

PyTypeObject *memoryType = nullptr;

int getArrayMemoryBuffer(PyObject *self, Py_buffer *view, int flags) {
  auto *memory = reinterpret_cast<ArrayMemory *>(self);
  return PyBuffer_FillInfo(view, self, memory->low, memory->bytes, memory->readOnly, flags);
}

void destroyArrayMemory(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  auto *memory = reinterpret_cast<ArrayMemory *>(self);
  Py_XDECREF(memory->owner);
  if (memory->made)
    memory->made->release();
  PyObject_Free(self);
  Py_DECREF(type);
}

PyType_Slot memorySlots[] = {
    {Py_tp_doc, const_cast<char *>("Memory of an array that a compiled function returned.")},
    {Py_tp_dealloc, reinterpret_cast<void *>(destroyArrayMemory)},
    {Py_bf_getbuffer, reinterpret_cast<void *>(getArrayMemoryBuffer)},
    {0, nullptr},
};

PyType_Spec memorySpec = {
    .name = "heddle._heddle.ArrayMemory",
    .basicsize = sizeof(ArrayMemory),
    .itemsize = 0,
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = memorySlots,
};

nb::object tupleOf(llvm::ArrayRef<int64_t> numbers) {
  nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(numbers.size())));
  for (size_t i = 0; i < numbers.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), PyLong_FromLongLong(numbers[i]));
  return tuple;
}

nb::object makeArray(const ReturnedArray &array, nb::handle owner, host::Owner *made) {
  static std::atomic<nb::object *> found{nullptr};
  nb::object *ndarray = &getOrMake(
      found, [] { return new nb::object(nb::module_::import_("numpy").attr("ndarray")); });
  ByteSpan span = byteSpanOf(array.shape, array.strides, array.type->element->bytes());
  auto *memory = PyObject_New(ArrayMemory, memoryType);
  if (!memory)
    throw nb::python_error();
  memory->owner = Py_XNewRef(owner.ptr());
  memory->made = made;
  memory->low = array.data + span.low;
  memory->bytes = span.high - span.low;
  memory->readOnly = array.type->readOnly;
  nb::object holder = nb::steal(reinterpret_cast<PyObject *>(memory));
  return (*ndarray)(tupleOf(array.shape), cachedDtype(array.type->element), holder, -span.low,
                    tupleOf(array.strides));
}

} // namespace

nb::object makeArrayView(const ReturnedArray &array, nb::handle owner) {
  return makeArray(array, owner, nullptr);
}

nb::object makeOwnedArray(const ReturnedArray &array, host::Owner &owner) {
  return makeArray(array, {}, &owner);
}

nb::object copyArray(const ReturnedArray &array) {
  return nb::object(makeArrayView(array, {}).attr("copy")());
}

void bindArrayMemory(nb::module_ &m) {
  memoryType =
      reinterpret_cast<PyTypeObject *>(addClass(m, memorySpec).release().ptr()); // never freed
}

} // namespace heddle
