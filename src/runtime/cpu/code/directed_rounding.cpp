#include "runtime/cpu/code/directed_rounding.h"

#include <cfenv>
#include <cmath>

namespace heddle::cpu {

namespace {

/// Computes `operation` in a rounding mode of <cfenv>. The operands are volatile, because the compiler knows nothing of
/// rounding modes and must not move the computation out of the mode's scope.
template <class T, class Operation, class... Operands>
T computeInMode(int mode, Operation operation, Operands... operands) {
  int before = std::fegetround();
  std::fesetround(mode);
  volatile T result = operation(const_cast<const volatile Operands &>(operands)...);
  std::fesetround(before);
  return result;
}

} // namespace

#define HEDDLE_DEFINE(direction, mode)                                                             \
  template <class T> T add##direction(T x, T y) {                                                  \
    return computeInMode<T>(mode, [](T a, T b) { return a + b; }, x, y);                           \
  }                                                                                                \
  template <class T> T mul##direction(T x, T y) {                                                  \
    return computeInMode<T>(mode, [](T a, T b) { return a * b; }, x, y);                           \
  }                                                                                                \
  template <class T> T div##direction(T x, T y) {                                                  \
    return computeInMode<T>(mode, [](T a, T b) { return a / b; }, x, y);                           \
  }                                                                                                \
  template <class T> T sqrt##direction(T x) {                                                      \
    return computeInMode<T>(mode, [](T a) { return std::sqrt(a); }, x);                            \
  }                                                                                                \
  template <class T> T fma##direction(T x, T y, T z) {                                             \
    return computeInMode<T>(mode, [](T a, T b, T c) { return std::fma(a, b, c); }, x, y, z);       \
  }                                                                                                \
  template float add##direction(float, float);                                                     \
  template float mul##direction(float, float);                                                     \
  template float div##direction(float, float);                                                     \
  template float sqrt##direction(float);                                                           \
  template float fma##direction(float, float, float);                                              \
  template double add##direction(double, double);                                                  \
  template double mul##direction(double, double);                                                  \
  template double div##direction(double, double);                                                  \
  template double sqrt##direction(double);                                                         \
  template double fma##direction(double, double, double);

HEDDLE_DEFINE(Down, FE_DOWNWARD)
HEDDLE_DEFINE(Up, FE_UPWARD)
HEDDLE_DEFINE(ToZero, FE_TOWARDZERO)

} // namespace heddle::cpu
