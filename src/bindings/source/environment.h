// Python objects that a kernel's source names, as constants of the front end.
#pragma once

#include "frontend/python/types/constant.h"

#include <nanobind/nanobind.h>

namespace heddle {

/// What a Python object is to the compiler.
python::Constant constantOf(nanobind::handle object);

/// Bytes are a read-only array of uint8.
python::Constant bytesConstant(nanobind::handle bytes);

/// As of tp_traverse: visits what `constant`, which nothing else shares, refers to.
int visitReferences(const python::Constant &constant, visitproc visit, void *arg);

/// Whether the object is a function of ctypes or cffi, or tells the address of one (numba's WrapperAddressProtocol).
bool isFunctionOfC(nanobind::handle object);

/// Functions that have implementations for kernels written in Python (heddle.extending), and those.
nanobind::dict &overloads();
void bindOverloads(nanobind::module_ &m);

/// The free names of a Python function: its closure, its globals, the builtins.
class FunctionEnvironment : public python::Environment {
public:
  /// `compiled`: the object that is compiled of `function` and lives longer than this.
  FunctionEnvironment(nanobind::object function, nanobind::handle compiled)
      : function_(std::move(function)), compiled_(compiled) {}
  std::optional<python::Constant> lookup(const std::string &name) override;
  std::vector<std::string> names() override;
  bool isException(const std::string &raised, const std::string &caught) override;
  std::optional<python::Constant> hostImplementation(const std::string &name) override;
  std::optional<python::Constant> extension(python::Type type, const std::string &name,
                                            python::Target target) override;
  nanobind::handle function() const { return function_; }

private:
  std::optional<python::Constant> ofName(const std::string &name);

  nanobind::object function_;
  nanobind::handle compiled_;
};

} // namespace heddle
