// Generators that functions of the host return, as Python iterators.
#pragma once

#include "bindings/host/host_function.h"
#include "bindings/host/host_values.h"

namespace heddle {

/// A generator, and what its frame refers to: the call's arguments, the code that resumes it.
class HostGenerator {
public:
  /// Takes over a reference to `generator`, what `variant` of `function` has returned for `positional` and `named`, which
  /// may be null; and what `arguments` and `others` keep.
  HostGenerator(HostFunction &function, const HostVariant &variant, host::Owner &generator,
                nanobind::handle positional, nanobind::handle named, ArgumentList &arguments,
                HostValues &others);
  HostGenerator(const HostGenerator &) = delete;
  ~HostGenerator();

  /// Null where there is none.
  nanobind::object next();

private:
  HostFunction &function_;
  const HostVariant &variant_;
  host::Owner &generator_;
  python::Type yielded_;
  size_t parts_, owners_;  ///< slots of a yielded value
  nanobind::object keeps_; ///< the function and the arguments
  ArgumentList arguments_;
  HostValues others_;
  bool isRunning_ = false;
};

void bindGenerators(nanobind::module_ &m);

} // namespace heddle
