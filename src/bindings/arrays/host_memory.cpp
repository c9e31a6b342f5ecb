#include "bindings/arrays/host_memory.h"

#include "bindings/interpreter/python_class.h"

namespace nb = nanobind;

namespace heddle {

namespace {

int getHostMemoryBuffer(PyObject *self, Py_buffer *view, int flags) {
  nb::object address = nb::steal(PyObject_GetAttrString(self, "address"));
  nb::object size = nb::steal(PyObject_GetAttrString(self, "size"));
  if (!address.is_valid() || !size.is_valid())
    return -1;
  void *begin = PyLong_AsVoidPtr(address.ptr());
  Py_ssize_t bytes = PyLong_AsSsize_t(size.ptr());
  if (PyErr_Occurred())
    return -1;
  return PyBuffer_FillInfo(view, self, begin, bytes, /*readonly=*/0, flags);
}

PyType_Slot hostMemorySlots[] = {
    {Py_tp_doc, const_cast<char *>("Memory of the host, as a buffer of bytes.")},
    {Py_bf_getbuffer, reinterpret_cast<void *>(getHostMemoryBuffer)},
    {0, nullptr},
};

PyType_Spec hostMemorySpec = {
    .name = "heddle._heddle.HostMemoryBase",
    .basicsize = sizeof(PyObject),
    .itemsize = 0,
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .slots = hostMemorySlots,
};

} // namespace

void bindHostMemory(nb::module_ &m) { addClass(m, hostMemorySpec); }

} // namespace heddle
