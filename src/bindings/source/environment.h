// Looks up the names that a function's source uses but does not define.
#pragma once

#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// Maps functions to implementations in Python for compiled code (heddle.extending).
nanobind::dict &registeredOverloads();
void bindOverloads(nanobind::module_ &m);

/// Looks up free names of a Python function: in its closure, its globals and the builtins.
class FunctionEnvironment : public python::Environment {
public:
  /// `compiled` is the object compiled from `function`; it must outlive this environment.
  FunctionEnvironment(nanobind::object function, nanobind::handle compiled)
      : function_(std::move(function)), compiled_(compiled) {}
  std::optional<python::Constant> findConstant(const std::string &name) override;
  std::vector<std::string> visibleNames() override;
  bool isExceptionSubclass(const std::string &raised, const std::string &caught) override;
  python::Type findStructuredDtype(const std::string &text) override;
  std::optional<python::Constant> findHostImplementation(const std::string &name) override;
  std::optional<python::Constant> findMemberOrOverload(python::Type type, const std::string &name,
                                                       python::Target target) override;
  nanobind::handle function() const { return function_; }

private:
  std::optional<python::Constant> resolveName(const std::string &name);

  nanobind::object function_;
  nanobind::handle compiled_;
};

} // namespace heddle
