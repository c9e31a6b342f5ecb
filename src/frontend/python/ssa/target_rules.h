// What Python code may do by what it is compiled for.
#pragma once

#include <cstdint>
#include <string>

namespace heddle::python {

/// What code is compiled for. The values are the bits of a set.
enum class Target : uint8_t {
  Kernel = 1, ///< run by every thread of a launch
  Host = 2,   ///< called by a Python program, on the host
};

/// A set of targets.
struct Targets {
  uint8_t bits;

  constexpr Targets(Target only) : bits(uint8_t(only)) {}
  constexpr explicit Targets(uint8_t bits) : bits(bits) {}
  constexpr bool include(Target target) const { return bits & uint8_t(target); }
};
constexpr Targets operator|(Target a, Target b) { return Targets(uint8_t(a) | uint8_t(b)); }

/// What `raise` does.
enum class Raise : uint8_t {
  EndsThread, ///< its message, which is fixed while compiling, reaches who waits for the launch
  Throws,     ///< an exception that the caller can catch
};

/// What tells one target from another, as one value: inference, emission and the rows of the library ask it, and not
/// which target it is.
struct TargetRules {
  Target target;         ///< which rows of the library there are
  std::string noun;      ///< what messages call a function that is compiled for it
  std::string plural;    ///< of the noun
  std::string decorator; ///< what a program writes above a function to be called by one
  bool makesArrays;      ///< whether functions allocate memory
  bool sharesLoops;      ///< whether several threads run the rounds of a loop over prange
  bool returnsValue;     ///< whether the function that is called from outside may return one
  bool
      saturates; ///< whether a float beyond an integer's range becomes the nearest that it holds, as on a GPU
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
