#include "bindings/interpreter/public_function.h"

#include "bindings/interpreter/python_class.h"
#include "bindings/interpreter/vectorcall_type.h"

namespace nb = nanobind;

namespace heddle {

namespace {

/// Wraps a Python function in C. The frame of a raising function is always in its traceback, so only a caller without a
/// frame can remove it. Calls are as fast as those of the function itself.
struct PublicFunction {
  PyObject_HEAD vectorcallfunc call;
  PyObject *function;
  PyObject *shortcut; ///< name of the method that an instance tries first, or None
  PyObject *dict;
};

PublicFunction &toPublicFunction(PyObject *self) {
  return *reinterpret_cast<PublicFunction *>(self);
}

/// Calls an instance's shortcut. Returns null without an exception if it has none or does not accept the values.
PyObject *callInstanceShortcut(PyObject *name, PyObject *const *values, size_t flaggedCount,
                               PyObject *keywordNames) {
  size_t count = size_t(PyVectorcall_NARGS(flaggedCount));
  if (name == Py_None || count == 0)
    return nullptr;
  PyObject *shortcut = PyObject_GetAttr(values[0], name), *result = nullptr;
  if (shortcut && shortcut != Py_None) {
    result = PyObject_Vectorcall(shortcut, values + 1, count - 1, keywordNames);
    if (!result && PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Clear();
  }
  Py_XDECREF(shortcut);
  return result;
}

PyObject *callPublicFunction(PyObject *self, PyObject *const *values, size_t flaggedCount,
                             PyObject *keywordNames) {
  PyObject *result =
      callInstanceShortcut(toPublicFunction(self).shortcut, values, flaggedCount, keywordNames);
  if (!result && !PyErr_Occurred())
    result =
        PyObject_Vectorcall(toPublicFunction(self).function, values, flaggedCount, keywordNames);
  if (!result)
    removeHeddleFrames();
  return result;
}

PyObject *makePublicFunction(PyTypeObject *type, PyObject *arguments, PyObject *named) {
  PyObject *function, *shortcut = Py_None;
  static const char *names[] = {"function", "shortcut", nullptr};
  if (!PyArg_ParseTupleAndKeywords(arguments, named, "O|O:PublicFunction",
                                   const_cast<char **>(names), &function, &shortcut))
    return nullptr;
  PyObject *made = PyType_GenericAlloc(type, 0);
  if (!made)
    return nullptr;
  toPublicFunction(made).call = callPublicFunction;
  toPublicFunction(made).function = Py_NewRef(function);
  toPublicFunction(made).shortcut = Py_NewRef(shortcut);
  return made;
}

int traversePublicFunction(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(toPublicFunction(self).function);
  Py_VISIT(toPublicFunction(self).shortcut);
  Py_VISIT(toPublicFunction(self).dict);
  return 0;
}

int clearPublicFunction(PyObject *self) {
  Py_CLEAR(toPublicFunction(self).dict);
  return 0;
}

void destroyPublicFunction(PyObject *self) {
  PyObject_GC_UnTrack(self);
  Py_CLEAR(toPublicFunction(self).function);
  Py_CLEAR(toPublicFunction(self).shortcut);
  Py_CLEAR(toPublicFunction(self).dict);
  freeInstance(self);
}

/// The descriptor protocol: as a class attribute, binds to the instance as a method.
PyObject *bindPublicToInstance(PyObject *self, PyObject *instance, PyObject *) {
  if (!instance || instance == Py_None)
    return Py_NewRef(self);
  return translateExceptions([&] {
    static auto *methodType =
        new nb::object(nb::module_::import_("types").attr("MethodType")); // never freed
    return (*methodType)(nb::handle(self), nb::handle(instance)).release().ptr();
  });
}

PyObject *representPublicFunction(PyObject *self) {
  return PyObject_Repr(toPublicFunction(self).function);
}

PyObject *reducePublicFunction(PyObject *self, PyObject *) {
  return PyObject_GetAttrString(toPublicFunction(self).function, "__qualname__");
}

} // namespace

void removeHeddleFrames() noexcept {
  try {
    nb::python_error error;
    try {
      nb::module_::import_("heddle.support.tracebacks").attr("drop_own_frames")(error.value());
    } catch (nb::python_error &other) {
      other.discard_as_unraisable("heddle.support.tracebacks.drop_own_frames");
    }
    nb::object exception = nb::borrow(error.value());
    // Not restore(), which would put back the old traceback.
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())), exception.ptr());
  } catch (...) {
    PyErr_NoMemory();
  }
}

void bindPublicFunction(nb::module_ &m) {
  static PyMemberDef members[] = {
      vectorcallMember(offsetof(PublicFunction, call)),
      {"__dictoffset__", Py_T_PYSSIZET, offsetof(PublicFunction, dict), Py_READONLY, nullptr},
      {}};
  static PyMethodDef methods[] = {{"__reduce__", reducePublicFunction, METH_NOARGS, nullptr}, {}};
  static PyGetSetDef properties[] = {
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr}, {}};
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char *>("A function whose errors do not show its own frames.")},
      {Py_tp_new, reinterpret_cast<void *>(makePublicFunction)},
      {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
      {Py_tp_descr_get, reinterpret_cast<void *>(bindPublicToInstance)},
      {Py_tp_repr, reinterpret_cast<void *>(representPublicFunction)},
      {Py_tp_traverse, reinterpret_cast<void *>(traversePublicFunction)},
      {Py_tp_clear, reinterpret_cast<void *>(clearPublicFunction)},
      {Py_tp_dealloc, reinterpret_cast<void *>(destroyPublicFunction)},
      {Py_tp_members, members},
      {Py_tp_methods, methods},
      {Py_tp_getset, properties},
      {0, nullptr},
  };
  static PyType_Spec spec = {
      .name = "heddle._heddle.PublicFunction",
      .basicsize = sizeof(PublicFunction),
      .itemsize = 0,
      .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
               Py_TPFLAGS_METHOD_DESCRIPTOR,
      .slots = slots,
  };
  addClass(m, spec);
}

} // namespace heddle
