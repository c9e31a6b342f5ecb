// Generators returned by host functions, as Python iterators.
#pragma once

#include "bindings/host/host_function.h"
#include "bindings/host/host_values.h"

namespace heddle {

/// A generator, together with the objects that its frame refers to: the call's arguments and the code that resumes it.
class HostGenerator {
public:
  /// Takes over a reference to `generator`, the result of a call of `variant`, and everything that `arguments` and
  /// `others` keep. `positional` and `named` (may be null) are the Python arguments of that call.
  HostGenerator(HostFunction &function, const HostVariant &variant, host::Owner &generator,
                nanobind::handle positional, nanobind::handle named, ArgumentList &arguments,
                HostValues &others);
  HostGenerator(const HostGenerator &) = delete;
  ~HostGenerator();

  /// The next value; null at the end.
  nanobind::object next();

private:
  HostFunction &function_;
  const HostVariant &variant_;
  host::Owner &generator_;
  python::Type yielded_;
  size_t parts_, owners_;  ///< slots of a yielded value and of its owners
  nanobind::object keeps_; ///< the function and the arguments
  ArgumentList arguments_;
  HostValues others_;
  bool isRunning_ = false;
};

void bindGenerators(nanobind::module_ &m);

} // namespace heddle
