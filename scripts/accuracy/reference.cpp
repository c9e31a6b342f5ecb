// The references that measure.py compares with, and the comparison, as a shared library:
//
//     g++ -O2 -std=c++17 -shared -fPIC -ffp-contract=off -pthread reference.cpp -o libreference.so -lquadmath
//
// float32: glibc's functions of double or, for functions that glibc does not have, formulas in long double. Their error is
// below 2^-25 of a unit in the last place of a float: it decides nothing but which of two floats is the nearer one where
// the exact value is in the middle between them. float64: libquadmath's functions, which have 113 bits.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <quadmath.h>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using Real = long double;
using Quad = __float128;

// The functions that the libraries lack, for Real and Quad.

Real expOf(Real x) { return expl(x); }
Quad expOf(Quad x) { return expq(x); }
Real erfcOf(Real x) { return erfcl(x); }
Quad erfcOf(Quad x) { return erfcq(x); }
Real erfOf(Real x) { return erfl(x); }
Quad erfOf(Quad x) { return erfq(x); }
Real logOf(Real x) { return logl(x); }
Quad logOf(Quad x) { return logq(x); }
Real log1pOf(Real x) { return log1pl(x); }
Quad log1pOf(Quad x) { return log1pq(x); }
Real sqrtOf(Real x) { return sqrtl(x); }
Quad sqrtOf(Quad x) { return sqrtq(x); }
Real absOf(Real x) { return fabsl(x); }
Quad absOf(Quad x) { return fabsq(x); }
Real sinOf(Real x) { return sinl(x); }
Quad sinOf(Quad x) { return sinq(x); }
Real cosOf(Real x) { return cosl(x); }
Quad cosOf(Quad x) { return cosq(x); }
Real remainderOf(Real x, Real y) { return remainderl(x, y); }
Quad remainderOf(Quad x, Quad y) { return remainderq(x, y); }
Real powOf(Real x, Real y) { return powl(x, y); }
Quad powOf(Quad x, Quad y) { return powq(x, y); }

const Quad pi = M_PIq;
template <class R> R nan() { return R(__builtin_nan("")); }
template <class R> R infinity() { return R(__builtin_inf()); }

template <class R> R sinpi(R x) {
  R r = remainderOf(x, R(2)); // exact, in [-1, 1]
  if (r == 0 || absOf(r) == 1)
    return 0;
  if (absOf(r) > R(0.75))
    return sinOf(R(pi) * ((r > 0 ? 1 : -1) - r));
  if (absOf(r) > R(0.25))
    return (r > 0 ? 1 : -1) * cosOf(R(pi) * (absOf(r) - R(0.5)));
  return sinOf(R(pi) * r);
}
template <class R> R cospi(R x) {
  R r = absOf(remainderOf(x, R(2)));
  if (!(r <= 1))
    return nan<R>();
  if (r < R(0.25))
    return cosOf(R(pi) * r);
  if (r > R(0.75))
    return -cosOf(R(pi) * (1 - r));
  return sinOf(R(pi) * (R(0.5) - r));
}
/// The asymptotic series of erfcx, for large x; its terms fall until the n-th is about exp(-x^2).
template <class R> R erfcxFar(R x) {
  R sum = 1, term = 1, half = 1 / (2 * x * x);
  for (int n = 1; n < 40; ++n) {
    term *= -(2 * n - 1) * half;
    sum += term;
  }
  return sum / (x * sqrtOf(R(pi)));
}
template <class R> R erfcx(R x) {
  if (x > 30)
    return x > R(1e2000Q) ? R(0) : erfcxFar(x);
  return expOf(x * x) * erfcOf(x); // x * x is exact: x has no more than half of the digits
}
template <class R> R normcdf(R x) { return erfcOf(-x / sqrtOf(R(2))) / 2; }

/// A step of Newton's method that is smaller than this, relatively, was the last: each one doubles the digits.
template <class R> constexpr R nearlyExact = R(1e-18Q);
template <> constexpr Real nearlyExact<Real> = 1e-10L;

/// erfinv and erfcinv to a few digits.
template <class R> R roughInverse(R logOfProduct) { // log((1 - x) (1 + x))
  R a = R(0.147Q), b = 2 / (R(pi) * a) + logOfProduct / 2;
  R inner = b * b - logOfProduct / a;
  R square = sqrtOf(inner) - b;
  return sqrtOf(square > 0 ? square : R(0));
}
template <class R> R erfcinvSmall(R y) { // y in (0, 1]: solves log erfc(z) = log y
  R z = roughInverse(logOf(y * (2 - y)));
  for (R step = z; absOf(step) > z * nearlyExact<R>;) {
    R there = erfcOf(z);
    step = logOf(there / y) * sqrtOf(R(pi)) / 2 * there * expOf(z * z);
    z += step;
  }
  return z;
}
template <class R> R erfinv(R x) {
  R size = absOf(x);
  if (!(size <= 1))
    return nan<R>();
  if (size == 1)
    return x * infinity<R>();
  if (size > R(0.5))
    return (x > 0 ? 1 : -1) * erfcinvSmall(1 - size); // exact
  R square = x * x;
  R z = x * sqrtOf(R(pi)) / 2 * (1 + R(pi) * square / 12);
  if (size < R(1e-18Q))
    return z;
  for (R step = z; absOf(step) > absOf(z) * nearlyExact<R>;) {
    step = (x - erfOf(z)) * sqrtOf(R(pi)) / 2 * expOf(z * z);
    z += step;
  }
  return z;
}
template <class R> R erfcinv(R y) {
  if (!(y >= 0 && y <= 2))
    return nan<R>();
  if (y == 0 || y == 2)
    return y == 0 ? infinity<R>() : -infinity<R>();
  if (y > R(0.5) && y < R(1.5))
    return erfinv(1 - y); // exact
  return y < 1 ? erfcinvSmall(y) : -erfcinvSmall(2 - y);
}
template <class R> R normcdfinv(R p) {
  if (!(p >= 0 && p <= 1))
    return nan<R>();
  return -sqrtOf(R(2)) * erfcinv(2 * p);
}
/// Modified Bessel functions by their power series, all of whose terms are positive.
template <class R> R besselI(int order, R x) {
  R half = x / 2, square = half * half, term = order ? half : R(1), sum = term;
  if (absOf(x) > 720)
    return (x < 0 && order ? -1 : 1) * infinity<R>();
  for (int k = 1; k < 2000; ++k) {
    term *= square / (R(k) * (k + order));
    sum += term;
    if (absOf(term) < absOf(sum) * R(1e-36Q))
      break;
  }
  return sum;
}
template <class R> R besselI0(R x) { return besselI(0, x); }
template <class R> R besselI1(R x) { return besselI(1, x); }
template <class R> R rsqrt(R x) { return 1 / sqrtOf(x); }
Real rcbrt(Real x) { return 1 / cbrtl(x); }
Quad rcbrt(Quad x) { return 1 / cbrtq(x); }
Quad exp10Quad(Quad x) { return absOf(x) > 400 ? powOf(10, x) : expOf(x * M_LN10q); }
Quad exp2Quad(Quad x) { return powOf(2, x); }
Real rhypot(Real x, Real y) { return 1 / hypotl(x, y); }
Quad rhypot(Quad x, Quad y) { return 1 / hypotq(x, y); }

/// Where an error counts in units in the last place; elsewhere CUDA bounds it absolutely.
enum Domain { Everywhere, NearZero, NotNearPoles };

struct Unary {
  const char *name;
  double (*single)(float);
  Quad (*quad)(double);
  Domain domain;
};

#define BY_DOUBLE(f) [](float x) -> double { return f(double(x)); }
#define BY_LONG(f) [](float x) -> double { return double(f(Real(x))); }
#define BY_QUAD(f) [](double x) -> Quad { return f(Quad(x)); }

const Unary unary[] = {
    {"sin", BY_DOUBLE(::sin), BY_QUAD(sinq), Everywhere},
    {"cos", BY_DOUBLE(::cos), BY_QUAD(cosq), Everywhere},
    {"tan", BY_DOUBLE(::tan), BY_QUAD(tanq), Everywhere},
    {"sinpi", BY_LONG(sinpi<Real>), BY_QUAD(sinpi<Quad>), Everywhere},
    {"cospi", BY_LONG(cospi<Real>), BY_QUAD(cospi<Quad>), Everywhere},
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
    {"exp2", BY_DOUBLE(::exp2), BY_QUAD(exp2Quad), Everywhere},
    {"exp10", BY_DOUBLE(::exp10), BY_QUAD(exp10Quad), Everywhere},
    {"expm1", BY_DOUBLE(::expm1), BY_QUAD(expm1q), Everywhere},
    {"log", BY_DOUBLE(::log), BY_QUAD(logq), Everywhere},
    {"log2", BY_DOUBLE(::log2), BY_QUAD(log2q), Everywhere},
    {"log10", BY_DOUBLE(::log10), BY_QUAD(log10q), Everywhere},
    {"log1p", BY_DOUBLE(::log1p), BY_QUAD(log1pq), Everywhere},
    {"erf", BY_DOUBLE(::erf), BY_QUAD(erfq), Everywhere},
    {"erfc", BY_DOUBLE(::erfc), BY_QUAD(erfcq), Everywhere},
    {"erfcx", BY_LONG(erfcx<Real>), BY_QUAD(erfcx<Quad>), Everywhere},
    {"erfinv", BY_LONG(erfinv<Real>), BY_QUAD(erfinv<Quad>), Everywhere},
    {"erfcinv", BY_LONG(erfcinv<Real>), BY_QUAD(erfcinv<Quad>), Everywhere},
    {"normcdf", BY_LONG(normcdf<Real>), BY_QUAD(normcdf<Quad>), Everywhere},
    {"normcdfinv", BY_LONG(normcdfinv<Real>), BY_QUAD(normcdfinv<Quad>), Everywhere},
    {"tgamma", BY_DOUBLE(::tgamma), BY_QUAD(tgammaq), Everywhere},
    {"lgamma", BY_LONG(::lgammal), BY_QUAD(lgammaq), NotNearPoles},
    {"cbrt", BY_DOUBLE(::cbrt), BY_QUAD(cbrtq), Everywhere},
    {"rcbrt", BY_LONG(rcbrt), BY_QUAD(rcbrt), Everywhere},
    {"sqrt", BY_DOUBLE(::sqrt), BY_QUAD(sqrtq), Everywhere},
    {"rsqrt", BY_LONG(rsqrt<Real>), BY_QUAD(rsqrt<Quad>), Everywhere},
    {"j0", BY_DOUBLE(::j0), BY_QUAD(j0q), NearZero},
    {"j1", BY_DOUBLE(::j1), BY_QUAD(j1q), NearZero},
    {"y0", BY_DOUBLE(::y0), BY_QUAD(y0q), NearZero},
    {"y1", BY_DOUBLE(::y1), BY_QUAD(y1q), NearZero},
    {"cyl_bessel_i0", BY_LONG(besselI0<Real>), BY_QUAD(besselI0<Quad>), Everywhere},
    {"cyl_bessel_i1", BY_LONG(besselI1<Real>), BY_QUAD(besselI1<Quad>), Everywhere},
    {"fabs", BY_LONG(::fabsl), BY_QUAD(fabsq), Everywhere},
    {"ceil", BY_LONG(::ceill), BY_QUAD(ceilq), Everywhere},
    {"floor", BY_LONG(::floorl), BY_QUAD(floorq), Everywhere},
    {"trunc", BY_LONG(::truncl), BY_QUAD(truncq), Everywhere},
    {"rint", BY_LONG(::rintl), BY_QUAD(rintq), Everywhere},
    {"round", BY_LONG(::roundl), BY_QUAD(roundq), Everywhere},
    {"logb", BY_LONG(::logbl), [](double x) -> Quad { return ::logb(x); }, Everywhere},
};

struct Binary {
  const char *name;
  Real (*single)(Real, Real);
  Quad (*quad)(Quad, Quad);
};
const Binary binary[] = {
    {"pow", powl, powq},        {"atan2", atan2l, atan2q}, {"hypot", hypotl, hypotq},
    {"rhypot", rhypot, rhypot}, {"fmod", fmodl, fmodq},    {"remainder", remainderl, remainderq},
    {"fdim", fdiml, fdimq},     {"fmax", fmaxl, fmaxq},    {"fmin", fminl, fminq},
};

// The comparison.

// The distance of `found` from the exact value in units in the last place of the exact value. An infinity counts as the
// power of two that would be the next float.

double errorOf(double found, Quad exact) {
  const Quad limit = scalbnq(1, 1024);
  exact = std::clamp(exact, -limit, limit);
  Quad value = std::clamp(Quad(found), -limit, limit);
  if (value == exact)
    return 0;
  int exponent = exact == 0 ? -1022 : std::max(ilogbq(exact), -1022);
  return double(scalbnq(fabsq(value - exact), 52 - exponent));
}
double errorOf(float found, double exact) {
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
  uint64_t wrong = 0; ///< a NaN in the place of a number, or a number in that of a NaN
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
    } else if (double error = errorOf(value, exact); error > worst) {
      worst = error;
      at = x;
      at2 = y;
      found = value;
    }
  }
  void join(const Result &other) {
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

bool countsInUlps(Domain domain, double x) {
  if (domain == NearZero)
    return std::fabs(x) <= 8;
  if (domain == NotNearPoles)
    return x <= -10.001 || x >= -2.264;
  return true;
}

using Results = std::vector<Result>;

/// The results of `devices` devices over n inputs.
void inThreads(uint64_t n, unsigned devices, Result *results,
               const std::function<void(uint64_t, uint64_t, Results &)> &part) {
  unsigned count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Results> parts(count, Results(devices));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < count; ++t)
    threads.emplace_back([&, t] { part(n * t / count, n * (t + 1) / count, parts[t]); });
  for (std::thread &thread : threads)
    thread.join();
  for (const Results &each : parts)
    for (unsigned d = 0; d < devices; ++d)
      results[d].join(each[d]);
}

template <class Table> auto find(const Table &table, const char *name) {
  return std::find_if(std::begin(table), std::end(table),
                      [&](const auto &row) { return !std::strcmp(row.name, name); });
}

template <class T> auto exactOf(const Unary &f, T x) {
  if constexpr (std::is_same_v<T, float>)
    return f.single(x);
  else
    return f.quad(x);
}
template <class T> auto exactOf(const Binary &f, T x, T y) {
  if constexpr (std::is_same_v<T, float>)
    return double(f.single(x, y));
  else
    return f.quad(x, y);
}

template <class T> struct Inputs {
  const T *x, *y;
  uint64_t n;
};

/// `found`: the values of each device. Adds to its result. Whether there is such a function.
template <class T>
bool compare(const char *name, Inputs<T> in, T *const *found, unsigned devices, Result *results) {
  auto one = find(unary, name);
  auto two = find(binary, name);
  if (in.y ? two == std::end(binary) : one == std::end(unary))
    return false;
  inThreads(in.n, devices, results, [&](uint64_t begin, uint64_t end, Results &mine) {
    for (uint64_t i = begin; i < end; ++i) {
      T x = in.x[i], y = in.y ? in.y[i] : T(0);
      auto exact = in.y ? exactOf(*two, x, y) : exactOf(*one, x);
      bool inUlps = in.y || countsInUlps(one->domain, x);
      for (unsigned d = 0; d < devices; ++d)
        mine[d].add(found[d][i], exact, inUlps, x, y);
    }
  });
  return true;
}

} // namespace

/// Compares the values found[d][i] of n inputs with a function of one argument, or of two if `y` is not null.
extern "C" bool compareFloats(const char *name, const float *x, const float *y, uint64_t n,
                              float *const *found, unsigned devices, Result *results) {
  return compare<float>(name, {x, y, n}, found, devices, results);
}
extern "C" bool compareDoubles(const char *name, const double *x, const double *y, uint64_t n,
                               double *const *found, unsigned devices, Result *results) {
  return compare<double>(name, {x, y, n}, found, devices, results);
}

/// The same for the floats with the bits first, first + step and so on.
extern "C" bool compareEveryFloat(const char *name, uint32_t first, uint32_t step, uint64_t n,
                                  float *const *found, unsigned devices, Result *results) {
  auto f = find(unary, name);
  if (f == std::end(unary))
    return false;
  inThreads(n, devices, results, [&](uint64_t begin, uint64_t end, Results &mine) {
    for (uint64_t i = begin; i < end; ++i) {
      uint32_t bits = first + uint32_t(i) * step;
      float x;
      std::memcpy(&x, &bits, 4);
      double exact = f->single(x);
      bool inUlps = countsInUlps(f->domain, x);
      for (unsigned d = 0; d < devices; ++d)
        mine[d].add(found[d][i], exact, inUlps, x, 0.0f);
    }
  });
  return true;
}
