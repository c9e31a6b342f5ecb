// Python objects that a kernel's source names, as constants of the front end.
#pragma once

#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// What a Python object is to the compiler.
python::Constant constantOf(nanobind::handle object);

/// Whether the object is a function of ctypes or cffi.
bool isFunctionOfC(nanobind::handle object);

/// Functions that have implementations for kernels written in Python (heddle.extending), and those.
nanobind::dict &overloads();
void bindOverloads(nanobind::module_ &m);

/// The free names of a Python function: its closure, its globals, the builtins.
class FunctionEnvironment : public python::Environment {
public:
  explicit FunctionEnvironment(nanobind::object function) : function_(std::move(function)) {}
  std::optional<python::Constant> lookup(const std::string &name) override;
  std::vector<std::string> names() override;
  bool isException(const std::string &raised, const std::string &caught) override;
  std::optional<python::Constant> onHost(const std::string &name) override;
  std::optional<python::Constant> extension(python::Type type, const std::string &name,
                                            python::Target target) override;
  nanobind::handle function() const { return function_; }

private:
  nanobind::object function_;
};

} // namespace heddle
