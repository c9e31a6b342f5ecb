// Python objects that a kernel's source names, as constants of the front end.
#pragma once

#include "frontend/python/constant.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// What a Python object is to the compiler.
python::Constant constantOf(nanobind::handle object);

/// The free names of a Python function: its closure, its globals, the builtins.
class FunctionEnvironment : public python::Environment {
public:
  explicit FunctionEnvironment(nanobind::object function) : function_(std::move(function)) {}
  std::optional<python::Constant> lookup(const std::string &name) override;
  std::vector<std::string> names() override;

private:
  nanobind::object function_;
};

} // namespace heddle
