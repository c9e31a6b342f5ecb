// Run-time checks in compiled code.
#pragma once

namespace heddle::python {

/// Errors for which compiled code raises an exception. Without the check, execution continues with an arbitrary value.
struct Checks {
  bool bounds = false; ///< an index out of the bounds of its array
  /// Not a check: error messages include array shapes, which the device finds in the launch arguments.
  bool shapes = false;
  bool divisors = false;  ///< a division by zero
  bool values = false;    ///< a step of zero, incompatible shapes
  bool nones = false;     ///< None where a value is required
  bool variables = false; ///< not a check: emits variable locations for debuggers
};

inline constexpr Checks noChecks{};
inline constexpr Checks allChecks{
    .bounds = true, .divisors = true, .values = true, .nones = true, .variables = true};

/// The checks of a kernel. With fast math, divisions by zero give NumPy's results. With `forCpu`, None is checked, and
/// `bounds` enables index checks, without `debug`.
constexpr Checks kernelChecks(bool debug, bool fastMath, bool bounds, bool forCpu) {
  Checks checks = debug ? allChecks : noChecks;
  checks.bounds = checks.bounds || (bounds && forCpu);
  checks.shapes = forCpu;
  checks.nones = debug || forCpu;
  checks.divisors = checks.divisors && !fastMath;
  return checks;
}

} // namespace heddle::python
