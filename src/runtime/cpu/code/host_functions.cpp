#include "runtime/cpu/code/host_functions.h"

#include "runtime/cpu/code/directed_rounding.h"
#include "runtime/cpu/code/host_halves.h"
#include "runtime/cpu/code/special_functions.h"

#include <cmath>

// Each function is declared under a name of ours and without its type: a table holds all of them, and no header's
// declaration or overload stands in the way.
#define HEDDLE_STRING_OF(x) #x
#define HEDDLE_STRING(x) HEDDLE_STRING_OF(x)
#define HEDDLE_DECLARE(name)                                                                       \
  void heddleHost_##name() __asm__(HEDDLE_STRING(__USER_LABEL_PREFIX__) #name);

extern "C" {
#define HEDDLE_LIBM(name) HEDDLE_DECLARE(name) HEDDLE_DECLARE(name##f)
#define HEDDLE_LIBC(name) HEDDLE_DECLARE(name)
#define HEDDLE_OWN(name, function)
#define HEDDLE_OURS(name, function)
#include "runtime/cpu/code/host_functions.def"
}

namespace heddle::cpu {

namespace {

/// Within one unit in the last place, as CUDA's; glibc's is off by up to four.
double cubeRoot(double x) {
  double y = std::cbrt(x);
  if (!std::isfinite(y) || y == 0)
    return y;
  if (std::abs(x) < 1e-250) // where the residual below would be subnormal
    return std::ldexp(cubeRoot(std::ldexp(x, 300)), -100);
  // Newton's step, with the residual y^3 - x to twice the precision.
  double square = y * y;
  double lost = std::fma(y, y, -square);
  double residual = std::fma(lost, y, std::fma(square, y, -x));
  return y - residual / (3 * square);
}

/// glibc's squares a root where the exponential alone would overflow, and errs by 1.8 units in the last place.
double hyperbolicCosine(double x) {
  double size = std::abs(x);
  if (!(size > 709 && size < 711))
    return std::cosh(x);
  // 64 log 2 in two parts; the first leaves the difference exact.
  constexpr double high = 0x1.62e42fefa0000p+5, low = 0x1.cf79abc9e3b3ap-34;
  double power = std::exp(size - high);
  return std::fma(power, -low, power) * 0x1p63;
}

/// glibc's errs by more than 5 units in the last place near negative integers.
float gammaOfFloat(float x) { return float(std::tgamma(double(x))); }

} // namespace

#define HEDDLE_ROW(name) {#name, reinterpret_cast<void *>(&heddleHost_##name)},

const HostFunction hostFunctions[] = {
#define HEDDLE_LIBM(name) HEDDLE_ROW(name) HEDDLE_ROW(name##f)
#define HEDDLE_LIBC(name) HEDDLE_ROW(name)
#define HEDDLE_OWN(name, function) {#name, reinterpret_cast<void *>(&function)},
#define HEDDLE_OURS(name, function)                                                                \
  {#name, reinterpret_cast<void *>(&function<double>)},                                            \
      {#name "f", reinterpret_cast<void *>(&function<float>)},
#include "runtime/cpu/code/host_functions.def"
    {nullptr, nullptr}};

} // namespace heddle::cpu
