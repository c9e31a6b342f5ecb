// Output to the host: text, errors, time.
#pragma once

// Calls of these two become SIMT operations (PlaceSites). Their strings must be constants.
__device__ void __heddle_print(const char *format, unsigned long *values, int count,
                               unsigned long kinds) __asm__("__heddle_print");
__host__ __device__ void __heddle_failed(const char *kind,
                                         const char *message) __asm__("__heddle_failed");

// A printf argument in 8 bytes: integers are extended, float becomes double.
template <class T> __HEDDLE_BOTH_FN unsigned long __heddle_printed(T v) {
  if constexpr (__is_floating_point(T))
    return __builtin_bit_cast(unsigned long, (double)v);
  else if constexpr (__is_pointer(T) || __heddle_same<T, decltype(nullptr)>)
    return (unsigned long)v;
  else
    return (unsigned long)(long)v;
}
// The kinds of the values, two bits each: 0 integer, 1 float, 2 address.
template <class... Values> constexpr unsigned long __heddle_kinds() {
  unsigned long kinds = 0;
  int place = 0;
  ((kinds |= (__is_floating_point(Values)                                        ? 1ul
              : __is_pointer(Values) || __heddle_same<Values, decltype(nullptr)> ? 2ul
                                                                                 : 0ul)
             << (2 * place++)),
   ...);
  return kinds;
}
template <class... Values> __HEDDLE_BOTH_FN int printf(const char *format, Values... values) {
  static_assert(sizeof...(Values) <= 32, "printf takes at most 32 values");
  unsigned long slots[sizeof...(Values) + 1] = {__heddle_printed(values)...};
  constexpr unsigned long kinds = __heddle_kinds<Values...>();
  __heddle_print(format, slots, (int)sizeof...(Values), kinds);
  return (int)sizeof...(Values);
}

__HEDDLE_FN void __trap() { __heddle_failed("RuntimeError", "__trap() was called"); }
__HEDDLE_FN void __brkpt() {}
__HEDDLE_FN void __prof_trigger(int) {}

// Failed assertions of libraries, such as CUB's with -DDEBUG.
extern "C" __HEDDLE_BOTH_FN void __assert_fail(const char *message, const char *, unsigned,
                                               const char *) {
  __heddle_failed("AssertionError", message);
}
extern "C" __HEDDLE_BOTH_FN void __assertfail(const char *message, const char *, unsigned,
                                              const char *, unsigned long) {
  __heddle_failed("AssertionError", message);
}

__HEDDLE_OP(long, __heddle_clock, "simt.clock")
__HEDDLE_FN long long clock64() { return __heddle_clock(); }
__HEDDLE_FN long long clock() { return __heddle_clock(); }

namespace std {
using ::printf;
}
