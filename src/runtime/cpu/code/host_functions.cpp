#include "runtime/cpu/code/host_functions.h"

#include "runtime/cpu/code/directed_rounding.h"
#include "runtime/cpu/code/host_halves.h"
#include "runtime/cpu/code/special_functions.h"

#include <cmath>

// Declares each function under a private name and without its type. One table can then hold all functions, and no
// header declaration or overload conflicts.
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

/// Within 1 ulp, as in CUDA; glibc's cbrt errs by up to 4 ulp.
double cubeRoot(double x) {
  double y = std::cbrt(x);
  if (!std::isfinite(y) || y == 0)
    return y;
  if (std::abs(x) < 1e-250) // the residual below would be subnormal
    return std::ldexp(cubeRoot(std::ldexp(x, 300)), -100);
  // One Newton step, with the residual y^3 - x in twice the precision.
  double square = y * y;
  double lost = std::fma(y, y, -square);
  double residual = std::fma(lost, y, std::fma(square, y, -x));
  return y - residual / (3 * square);
}

/// glibc's cosh squares a root where exp alone would overflow, and errs by 1.8 ulp.
double hyperbolicCosine(double x) {
  double size = std::abs(x);
  if (!(size > 709 && size < 711))
    return std::cosh(x);
  // 64 log 2 in two parts; subtracting the high part is exact.
  constexpr double high = 0x1.62e42fefa0000p+5, low = 0x1.cf79abc9e3b3ap-34;
  double power = std::exp(size - high);
  return std::fma(power, -low, power) * 0x1p63;
}

/// glibc's tgammaf errs by more than 5 ulp near negative integers.
float floatGamma(float x) { return float(std::tgamma(double(x))); }

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
