// Run-time checks in compiled code.
#pragma once

namespace heddle::python {

/// Errors that compiled code detects and raises an exception for. Unchecked errors continue with an arbitrary value.
struct Checks {
  bool bounds = false; ///< an index out of the bounds of its array
  /// Not a check: error messages include shapes, which the device finds in the launch arguments.
  bool shapes = false;
  bool divisors = false;  ///< a division by zero
  bool values = false;    ///< None where a value is required, a step of zero, incompatible shapes
  bool variables = false; ///< not a check: emits variable locations for debuggers
};

inline constexpr Checks noChecks{};
inline constexpr Checks allChecks{
    .bounds = true, .divisors = true, .values = true, .variables = true};

/// The checks of a kernel. Fast math divides by zero like NumPy. With `forCpu`, `bounds` enables index checks in any
/// kernel.
constexpr Checks kernelChecks(bool debug, bool fastMath, bool bounds, bool forCpu) {
  Checks checks = debug ? allChecks : noChecks;
  checks.bounds = checks.bounds || (bounds && forCpu);
  checks.shapes = forCpu;
  checks.divisors = checks.divisors && !fastMath;
  return checks;
}

} // namespace heddle::python
