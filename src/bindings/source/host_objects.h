// Constants for Python objects that exist at compile time only: modules, functions, types.
#pragma once

#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

#include <string>

namespace heddle {

/// A constant that refers to the object.
python::Constant hostObjectConstant(python::ConstantKind kind, nanobind::handle object,
                                    std::string description, std::string hintForCalling = "");

/// A jitclass instance or a numba.typed container. Its contents may change, so they are not constants.
python::Constant unsupportedSharedContainerConstant(nanobind::handle object);

/// A library function that kernels do not support but host functions may.
python::Constant hostLibraryFunction(const std::string &name, nanobind::handle object,
                                     std::string description, std::string instead);

/// A function with several implementations in Python; the argument types select one of `choices`.
python::Constant implementationsConstant(python::ConstantKind kind, const std::string &name,
                                         nanobind::handle choices);

/// For tp_traverse: visits the Python objects that only `constant` refers to.
int visitReferences(const python::Constant &constant, visitproc visit, void *arg);

/// True if the object's class is `types.name`. (The stable ABI has no checks for functions and methods.)
bool isInstanceOfTypesClass(nanobind::handle object, const char *name);

/// `str(object)`.
std::string pythonStrOf(nanobind::handle object);
/// The object's `__name__`, else the name of its class.
std::string nameOfObject(nanobind::handle object);

void bindHostObjects(nanobind::module_ &m);

} // namespace heddle
