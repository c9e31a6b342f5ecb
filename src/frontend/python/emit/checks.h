// What compiled code looks for before it goes on.
#pragma once

namespace heddle::python {

/// The mistakes that code ends with an exception for. Without a check it goes on with some value.
struct Checks {
  bool bounds = false; ///< an index outside of its array
  bool shapes =
      false; ///< not a check: errors name shapes, which the device finds in the launch's arguments
  bool divisors = false;  ///< a division by zero
  bool values = false;    ///< None where a value must be, a step of zero, shapes that do not fit
  bool variables = false; ///< not a check: where variables are is told to debuggers
};

inline constexpr Checks noChecks{};
inline constexpr Checks allChecks{
    .bounds = true, .divisors = true, .values = true, .variables = true};

/// Those of a kernel. Fast arithmetic divides by zero as NumPy does. `forCpu`: on the CPU device, where `bounds` adds
/// the checks of indices to any kernel.
constexpr Checks checksOfKernels(bool debug, bool fastMath, bool bounds, bool forCpu) {
  Checks checks = debug ? allChecks : noChecks;
  checks.bounds = checks.bounds || (bounds && forCpu);
  checks.shapes = forCpu;
  checks.divisors = checks.divisors && !fastMath;
  return checks;
}

} // namespace heddle::python
