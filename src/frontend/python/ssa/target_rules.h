// Rules for Python code that depend on the compilation target.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::python {

/// Compilation targets, as the bits of a set.
enum class Target : uint8_t {
  Kernel = 1, ///< run by every thread of a launch
  Host = 2,   ///< called by a Python program on the host
};

/// A set of targets.
struct Targets {
  uint8_t bits;

  constexpr Targets(Target only) : bits(uint8_t(only)) {}
  constexpr explicit Targets(uint8_t bits) : bits(bits) {}
  constexpr bool include(Target target) const { return bits & uint8_t(target); }
};
constexpr Targets operator|(Target a, Target b) { return Targets(uint8_t(a) | uint8_t(b)); }

/// The effect of `raise`.
enum class Raise : uint8_t {
  EndsThread, ///< the message, a compile-time constant, is reported at synchronization
  Throws,     ///< raises an exception that the caller can catch
};

/// All differences between targets. Inference, emission and library rows query these rules instead of comparing
/// targets.
struct TargetRules {
  Target target;         ///< selects the library rows
  std::string noun;      ///< the term for a compiled function in messages
  std::string plural;    ///< of `noun`
  std::string decorator; ///< the decorator of functions that such code can call
  bool makesArrays;      ///< functions can allocate memory
  bool sharesLoops;      ///< several threads can share a prange loop
  bool returnsValue;     ///< a function called from outside may return a value
  /// Out-of-range float-to-integer conversions saturate, as on a GPU.
  bool saturates;
  Raise raise;
};

inline const TargetRules kernelRules{.target = Target::Kernel,
                                     .noun = "kernel",
                                     .plural = "kernels",
                                     .decorator = "@cuda.jit(device=True)",
                                     .makesArrays = false,
                                     .sharesLoops = false,
                                     .returnsValue = false,
                                     .saturates = true,
                                     .raise = Raise::EndsThread};
inline const TargetRules hostRules{.target = Target::Host,
                                   .noun = "jitted function",
                                   .plural = "jitted functions",
                                   .decorator = "@njit",
                                   .makesArrays = true,
                                   .sharesLoops = true,
                                   .returnsValue = true,
                                   .saturates = false,
                                   .raise = Raise::Throws};

} // namespace heddle::python
