// Constants for functions of Python, NumPy and C that kernels may not be able to call.
#include "bindings/source/constants.h"
#include "bindings/source/host_objects.h"
#include "bindings/types/python_classes.h"
#include "bindings/values/numpy_classes.h"
#include "frontend/python/rows/hints.h"
#include "frontend/python/rows/row.h"

#include <set>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace heddle {

using namespace python;

namespace {

/// Formats "the builtins that kernels have are abs, bool, ..." from the compiler's table.
std::string listKernelBuiltins() {
  std::string list;
  for (const LibraryRow *row : libraryRows())
    if (row->module() == "builtins" && row->targets.include(Target::Kernel))
      list += (list.empty() ? "" : ", ") + std::string(row->displayName());
  return "the builtins that kernels have are " + list;
}

/// The hint for a builtin function that kernels lack.
std::string hintForBuiltin(const std::string &name) {
  if (name == "sorted")
    return hintForSort();
  if (name == "map")
    return "write a loop";
  if (name == "filter")
    return "write a loop with an if";
  return listKernelBuiltins();
}

/// The object that a method is bound to; None for other objects.
nb::object boundObjectOf(nb::handle object) { return nb::getattr(object, "__self__", nb::none()); }

/// True if the NumPy function returns a new array that is not computed from others.
bool createsNewArray(const std::string &name) {
  static const std::set<std::string> names{"zeros", "ones",       "empty",      "full",
                                           "array", "arange",     "linspace",   "eye",
                                           "copy",  "zeros_like", "empty_like", "ones_like"};
  return names.count(name) != 0;
}

} // namespace

bool isInstanceOfTypesClass(nb::handle object, const char *name) {
  return object.type().is(nb::module_::import_("types").attr(name));
}

/// The ctypes or cffi function as heddle.compiler.c_functions.functions_of_c declares it.
Constant cFunctionConstant(nb::handle object) {
  nb::object declared = nb::module_::import_("heddle.compiler.c_functions.functions_of_c")
                            .attr("declare_c_function")(object);
  if (nb::isinstance<nb::tuple>(declared)) // the reason why there is none
    return hostObjectConstant(ConstantKind::Other, object, pythonStrOf(declared[0]),
                              pythonStrOf(declared[1]));
  return hostObjectConstant(ConstantKind::Function, declared,
                            "function '" + nameOfObject(declared) + "'");
}

namespace {

/// The hint for a function of numpy.random or random.
std::string hintForRandom(llvm::StringRef name) {
  bool isNormal = name.contains("norm") || name.contains("gauss") || name == "randn";
  return std::string("write xoroshiro128p_") + (isNormal ? "normal" : "uniform") +
         "_float64(states, i), from heddle.cuda.random; create_xoroshiro128p_states makes the "
         "states";
}

/// The hint for a NumPy function, or a ufunc of another library, that only host code can call.
std::string hintForNumPyFunction(const std::string &full, const std::string &name) {
  if (full.starts_with("numpy.random."))
    return hintForRandom(name);
  if (createsNewArray(name))
    return "pass the array as an argument; cuda.local.array and cuda.shared.array make arrays of a "
           "thread and of a block";
  if (const LibraryRow *row = findLibraryRow("math." + name))
    return "write " + std::string(row->displayName()) + row->signature;
  return "loop over the elements; math has functions of single numbers";
}

} // namespace

Constant functionConstant(nb::handle object) {
  std::string name = nameOfObject(object);
  std::string module =
      nb::hasattr(object, "__module__") ? pythonStrOf(object.attr("__module__")) : "";
  if (isInstanceOf(object, NumPyClasses::get().ufunc))
    module = "numpy";
  if (module == "cffi.api" ||
      isInstanceOfImportedClass(boundObjectOf(object), "_cffi_backend", "FFI"))
    module = "ffi";
  if (module == "_operator" || module == "_heapq" || module == "_functools")
    module.erase(0, 1);
  if (module == "numpy.random.mtrand")
    module = "numpy.random";
  // numpy.random functions are methods of one global generator, which NumPy 1 does not reveal. Exclude other
  // generators.
  if (isInstanceOfImportedClass(boundObjectOf(object), "numpy.random.mtrand", "RandomState"))
    module = boundObjectOf(object).is(nb::module_::import_("numpy.random.mtrand").attr("_rand"))
                 ? "numpy.random"
                 : "";
  if (nb::hasattr(object, "__self__") &&
      pythonStrOf(object.attr("__self__").type().attr("__module__")) == "random")
    module = "random"; // its functions are methods of a global generator
  std::string full = module + "." + name;
  if (const LibraryRow *row = findLibraryRow(full); row && row->targets.include(Target::Kernel))
    return Constant::ofIntrinsic(full);
  if (module == "numpy" || module.starts_with("numpy."))
    return hostLibraryFunction(full, object, "NumPy's '" + name + "', which runs on the host only",
                               hintForNumPyFunction(full, name));
  if (module == "random")
    return hostLibraryFunction(full, object, full + ", which runs on the host only",
                               hintForRandom(name));
  if (module == "heapq" || full == "functools.reduce")
    return hostLibraryFunction(full, object, full + ", which runs on the host only",
                               "call it before the launch and pass an array to the kernel");
  if (module == "builtins")
    return hostLibraryFunction(full, object, "the builtin '" + name + "'", hintForBuiltin(name));
  if (module == "math" || module == "cmath")
    return hostLibraryFunction(full, object, full,
                               "write it as a function decorated with @cuda.jit(device=True)");
  if (module == "heddle.cuda.devices" && name == "synchronize")
    return hostObjectConstant(ConstantKind::Other, object,
                              "cuda.synchronize, which runs on the host only",
                              "cuda.syncthreads() waits for the threads of the block");
  if (module == "heddle.cuda" || module.starts_with("heddle.cuda."))
    return hostObjectConstant(ConstantKind::Other, object,
                              "cuda." + name + ", which runs on the host only",
                              "call it before the launch and pass the result to the kernel");
  if (module == "time")
    return hostObjectConstant(
        ConstantKind::Other, object, "time." + name + ", which runs on the host only",
        name == "sleep"
            ? "write cuda.nanosleep(ns)"
            : "measure on the host: record a cuda.event() before and after the launch, and "
              "read cuda.event_elapsed_time(begin, end)");
  if (name == "set_trace")
    return hostObjectConstant(
        ConstantKind::Other, object, "function 'set_trace' of a debugger",
        "with HEDDLE_DISABLE_JIT=1 kernels run as plain Python, in which it stops");
  if (isInstanceOfTypesClass(object, "MethodType"))
    return hostObjectConstant(ConstantKind::Other, object,
                              "method '" + name + "' of " + classNameOf(object.attr("__self__")),
                              "write it as a function decorated with @cuda.jit(device=True)");
  if (PyType_Check(object.ptr()) && module.starts_with("heddle.types"))
    return hostObjectConstant(
        ConstantKind::Other, object, "class '" + name + "'",
        "make the type outside of the function, as a global variable: row_type = " + name +
            "(...)");
  if (!isInstanceOfTypesClass(object, "FunctionType"))
    return hostObjectConstant(
        ConstantKind::Other, object,
        PyType_Check(object.ptr()) ? "class '" + name + "'"
                                   : "'" + name + "', which runs on the host only",
        "kernels call functions of math, numpy and heddle.cuda, and functions "
        "decorated with @cuda.jit(device=True)");
  return hostObjectConstant(
      ConstantKind::Other, object, "function '" + name + "', which is not compiled",
      name == "<lambda>" ? "compile it, as in f = cuda.jit(device=True)(lambda x: x + 1)"
                         : "decorate it with @cuda.jit(device=True)");
}

bool isCFunction(nb::handle object) {
  return isInstanceOfImportedClass(object, "_ctypes", "CFuncPtr") ||
         isInstanceOfImportedClass(object, "_cffi_backend", "_CDataBase") ||
         isInstanceOfImportedClass(boundObjectOf(object), "_cffi_backend",
                                   "Lib") || // from a module compiled by cffi
         (!PyType_Check(object.ptr()) && nb::hasattr(object.type(), "__wrapper_address__"));
}

} // namespace heddle
