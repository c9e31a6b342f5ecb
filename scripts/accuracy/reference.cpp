// A shared library with the exact values for measure.py and the comparison with them:
//
//     g++ -O2 -std=gnu++17 -shared -fPIC -ffp-contract=off reference.cpp -o libreference.so -lquadmath
//
// float32: glibc's double functions and, for functions that glibc lacks, formulas in double. float64: libquadmath's
// functions, which have 113 bits, and the same formulas. largestGap() measures the error of the former by the latter.
#include "formulas.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

namespace {

/// The arguments for which CUDA bounds the error in units in the last place; for others it bounds the absolute error.
enum Domain { Everywhere, NearZero, NotNearPoles };

struct Unary {
  const char *name;
  double (*single)(float);
  Quad (*quad)(double);
  Domain domain;
};

#define BY_DOUBLE(f) [](float x) -> double { return f(double(x)); }
#define BY_QUAD(f) [](double x) -> Quad { return f(Quad(x)); }

const Unary unary[] = {
    {"sin", BY_DOUBLE(::sin), BY_QUAD(sinq), Everywhere},
    {"cos", BY_DOUBLE(::cos), BY_QUAD(cosq), Everywhere},
    {"tan", BY_DOUBLE(::tan), BY_QUAD(tanq), Everywhere},
    {"sinpi", BY_DOUBLE(sinpi<double>), BY_QUAD(sinpi<Quad>), Everywhere},
    {"cospi", BY_DOUBLE(cospi<double>), BY_QUAD(cospi<Quad>), Everywhere},
    {"asin", BY_DOUBLE(::asin), BY_QUAD(asinq), Everywhere},
    {"acos", BY_DOUBLE(::acos), BY_QUAD(acosq), Everywhere},
    {"atan", BY_DOUBLE(::atan), BY_QUAD(atanq), Everywhere},
    {"sinh", BY_DOUBLE(::sinh), BY_QUAD(sinhq), Everywhere},
    {"cosh", BY_DOUBLE(::cosh), BY_QUAD(coshq), Everywhere},
    {"tanh", BY_DOUBLE(::tanh), BY_QUAD(tanhq), Everywhere},
    {"asinh", BY_DOUBLE(::asinh), BY_QUAD(asinhq), Everywhere},
    {"acosh", BY_DOUBLE(::acosh), BY_QUAD(acoshq), Everywhere},
    {"atanh", BY_DOUBLE(::atanh), BY_QUAD(atanhq), Everywhere},
    {"exp", BY_DOUBLE(::exp), BY_QUAD(expq), Everywhere},
    {"exp2", BY_DOUBLE(::exp2), BY_QUAD(exp2q), Everywhere},
    {"exp10", BY_DOUBLE(::exp10), BY_QUAD(exp10Quad), Everywhere},
    {"expm1", BY_DOUBLE(::expm1), BY_QUAD(expm1q), Everywhere},
    {"log", BY_DOUBLE(::log), BY_QUAD(logq), Everywhere},
    {"log2", BY_DOUBLE(::log2), BY_QUAD(log2q), Everywhere},
    {"log10", BY_DOUBLE(::log10), BY_QUAD(log10q), Everywhere},
    {"log1p", BY_DOUBLE(::log1p), BY_QUAD(log1pq), Everywhere},
    {"erf", BY_DOUBLE(::erf), BY_QUAD(erfq), Everywhere},
    {"erfc", BY_DOUBLE(::erfc), BY_QUAD(erfcq), Everywhere},
    {"erfcx", BY_DOUBLE(erfcx<double>), BY_QUAD(erfcx<Quad>), Everywhere},
    {"erfinv", BY_DOUBLE(erfinv<double>), BY_QUAD(erfinv<Quad>), Everywhere},
    {"erfcinv", BY_DOUBLE(erfcinv<double>), BY_QUAD(erfcinv<Quad>), Everywhere},
    {"normcdf", BY_DOUBLE(normcdf), BY_QUAD(normcdf), Everywhere},
    {"normcdfinv", BY_DOUBLE(normcdfinv<double>), BY_QUAD(normcdfinv<Quad>), Everywhere},
    {"tgamma", BY_DOUBLE(::tgamma), BY_QUAD(tgammaq), Everywhere},
    {"lgamma", BY_DOUBLE(lgammaOf), BY_QUAD(lgammaq), NotNearPoles},
    {"cbrt", BY_DOUBLE(::cbrt), BY_QUAD(cbrtq), Everywhere},
    {"rcbrt", BY_DOUBLE(rcbrt<double>), BY_QUAD(rcbrt<Quad>), Everywhere},
    {"sqrt", BY_DOUBLE(::sqrt), BY_QUAD(sqrtq), Everywhere},
    {"rsqrt", BY_DOUBLE(rsqrt<double>), BY_QUAD(rsqrt<Quad>), Everywhere},
    {"j0", evaluateBessel<::j0, j0q>, BY_QUAD(j0q), NearZero},
    {"j1", evaluateBessel<::j1, j1q>, BY_QUAD(j1q), NearZero},
    {"y0", evaluateBessel<::y0, y0q>, BY_QUAD(y0q), NearZero},
    {"y1", evaluateBessel<::y1, y1q>, BY_QUAD(y1q), NearZero},
    {"cyl_bessel_i0", BY_DOUBLE((besselI<double, 0>)), BY_QUAD((besselI<Quad, 0>)), Everywhere},
    {"cyl_bessel_i1", BY_DOUBLE((besselI<double, 1>)), BY_QUAD((besselI<Quad, 1>)), Everywhere},
    {"fabs", BY_DOUBLE(::fabs), BY_QUAD(fabsq), Everywhere},
    {"ceil", BY_DOUBLE(::ceil), BY_QUAD(ceilq), Everywhere},
    {"floor", BY_DOUBLE(::floor), BY_QUAD(floorq), Everywhere},
    {"trunc", BY_DOUBLE(::trunc), BY_QUAD(truncq), Everywhere},
    {"rint", BY_DOUBLE(::rint), BY_QUAD(rintq), Everywhere},
    {"round", BY_DOUBLE(::round), BY_QUAD(roundq), Everywhere},
    {"logb", BY_DOUBLE(::logb), [](double x) -> Quad { return ::logb(x); }, Everywhere},
};

struct Binary {
  const char *name;
  double (*single)(double, double);
  Quad (*quad)(Quad, Quad);
};
const Binary binary[] = {
    {"pow", ::pow, powq},       {"atan2", ::atan2, atan2q},
    {"hypot", ::hypot, hypotq}, {"rhypot", rhypot<double>, rhypot<Quad>},
    {"fmod", ::fmod, fmodq},    {"remainder", ::remainder, remainderq},
    {"fdim", ::fdim, fdimq},    {"fmax", ::fmax, fmaxq},
    {"fmin", ::fmin, fminq},
};

// The comparison.

// The distance of `found` from the exact value, in units in the last place of the exact value. An infinity counts as
// the power of two that would be the next float.

double computeUlpError(double found, Quad exact) {
  const Quad limit = scalbnq(1, 1024);
  exact = std::clamp(exact, -limit, limit);
  Quad value = std::clamp(Quad(found), -limit, limit);
  if (value == exact)
    return 0;
  int exponent = exact == 0 ? -1022 : std::max(ilogbq(exact), -1022);
  return double(scalbnq(fabsq(value - exact), 52 - exponent));
}
double computeUlpError(float found, double exact) {
  const double limit = 0x1p128;
  exact = std::clamp(exact, -limit, limit);
  double value = std::clamp(double(found), -limit, limit);
  if (value == exact)
    return 0;
  uint64_t bits;
  std::memcpy(&bits, &exact, 8);
  uint64_t exponent = std::max<uint64_t>(bits >> 52 & 0x7ff, 1023 - 126);
  bits = (2 * 1023 + 23 - exponent) << 52; // 2 to the power 23 - exponent
  double unit;
  std::memcpy(&unit, &bits, 8);
  return std::fabs(value - exact) * unit;
}

struct Result {
  double worst = 0, at = 0, at2 = 0, found = 0;
  double absolute = 0, absoluteAt = 0; ///< outside of the domain of units in the last place
  uint64_t wrong = 0;                  ///< how often exactly one of the two values is NaN
  double wrongAt = 0, wrongAt2 = 0;
  uint64_t count = 0;

  template <class T, class Exact> void add(T value, Exact exact, bool inUlps, T x, T y) {
    ++count;
    if (value != value || exact != exact) {
      if ((value != value) != (exact != exact) && !wrong++) {
        wrongAt = x;
        wrongAt2 = y;
      }
      return;
    }
    if (!inUlps) {
      double distance =
          value == T(exact) ? 0 : double(exact > value ? exact - value : value - exact);
      if (distance > absolute) {
        absolute = distance;
        absoluteAt = x;
      }
    } else if (double error = computeUlpError(value, exact); error > worst) {
      worst = error;
      at = x;
      at2 = y;
      found = value;
    }
  }
  void merge(const Result &other) {
    if (other.worst > worst) {
      worst = other.worst;
      at = other.at;
      at2 = other.at2;
      found = other.found;
    }
    if (other.absolute > absolute) {
      absolute = other.absolute;
      absoluteAt = other.absoluteAt;
    }
    if (!wrong) {
      wrongAt = other.wrongAt;
      wrongAt2 = other.wrongAt2;
    }
    wrong += other.wrong;
    count += other.count;
  }
};

bool isBoundedInUlps(Domain domain, double x) {
  if (domain == NearZero)
    return std::fabs(x) <= 8;
  if (domain == NotNearPoles)
    return x <= -10.001 || x >= -2.264;
  return true;
}

template <class Table> auto findRow(const Table &table, const char *name) {
  return std::find_if(std::begin(table), std::end(table),
                      [&](const auto &row) { return !std::strcmp(row.name, name); });
}

template <class T> auto computeExact(const Unary &f, T x) {
  if constexpr (std::is_same_v<T, float>)
    return f.single(x);
  else
    return f.quad(x);
}
template <class T> auto computeExact(const Binary &f, T x, T y) {
  if constexpr (std::is_same_v<T, float>)
    return f.single(x, y);
  else
    return f.quad(x, y);
}

template <class T> struct Inputs {
  const T *x, *y;
  uint64_t n;
};

/// Adds the errors of each device's values, `found`, to its result. Returns whether there is such a function.
template <class T>
bool compare(const char *name, Inputs<T> in, T *const *found, unsigned devices, Result *results) {
  auto one = findRow(unary, name);
  auto two = findRow(binary, name);
  if (in.y ? two == std::end(binary) : one == std::end(unary))
    return false;
  for (uint64_t i = 0; i < in.n; ++i) {
    T x = in.x[i], y = in.y ? in.y[i] : T(0);
    auto exact = in.y ? computeExact(*two, x, y) : computeExact(*one, x);
    bool inUlps = in.y || isBoundedInUlps(one->domain, x);
    for (unsigned d = 0; d < devices; ++d)
      results[d].add(found[d][i], exact, inUlps, x, y);
  }
  return true;
}

} // namespace

/// Compares the values found[d][i] for n inputs with a function of one argument, or of two if `y` is not null.
extern "C" bool compareFloats(const char *name, const float *x, const float *y, uint64_t n,
                              float *const *found, unsigned devices, Result *results) {
  return compare<float>(name, {x, y, n}, found, devices, results);
}
extern "C" bool compareDoubles(const char *name, const double *x, const double *y, uint64_t n,
                               double *const *found, unsigned devices, Result *results) {
  return compare<double>(name, {x, y, n}, found, devices, results);
}

/// Compares the values for the n floats whose bits are first, first + step and so on.
extern "C" bool compareStridedFloats(const char *name, uint32_t first, uint32_t step, uint64_t n,
                                     float *const *found, unsigned devices, Result *results) {
  auto f = findRow(unary, name);
  if (f == std::end(unary))
    return false;
  for (uint64_t i = 0; i < n; ++i) {
    uint32_t bits = first + uint32_t(i) * step;
    float x;
    std::memcpy(&x, &bits, 4);
    double exact = f->single(x);
    bool inUlps = isBoundedInUlps(f->domain, x);
    for (unsigned d = 0; d < devices; ++d)
      results[d].add(found[d][i], exact, inUlps, x, 0.0f);
  }
  return true;
}

extern "C" void mergeResults(Result *results, const Result *others, unsigned devices) {
  for (unsigned d = 0; d < devices; ++d)
    results[d].merge(others[d]);
}

/// The largest distance between the double and the Quad reference of n floats, in units in the last place of float;
/// infinite if one of them is NaN.
extern "C" double largestGap(const char *name, const float *x, const float *y, uint64_t n) {
  auto one = findRow(unary, name);
  auto two = findRow(binary, name);
  double largest = 0;
  for (uint64_t i = 0; i < n; ++i) {
    if (!y && !isBoundedInUlps(one->domain, x[i]))
      continue;
    double single = y ? two->single(x[i], y[i]) : one->single(x[i]);
    Quad quad = y ? two->quad(x[i], y[i]) : one->quad(x[i]);
    if (single != single || quad != quad) {
      if ((single != single) != (quad != quad))
        return std::numeric_limits<double>::infinity();
      continue;
    }
    const double limit = 0x1p128;
    single = std::clamp(single, -limit, limit);
    quad = std::clamp(quad, Quad(-limit), Quad(limit));
    int exponent = std::max(quad == 0 ? -126 : ilogbq(quad), -126);
    largest = std::max(largest, double(scalbnq(fabsq(quad - single), 23 - exponent)));
  }
  return largest;
}
