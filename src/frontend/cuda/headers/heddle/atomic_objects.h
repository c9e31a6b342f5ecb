// Atomic objects of 1, 2, 4 and 8 bytes: cuda::atomic, cuda::atomic_ref, and their cuda::std equivalents.
#pragma once
#include "heddle/both.h"
#include "heddle/cuda_std.h"
#include <type_traits>

namespace std {
enum memory_order {
  memory_order_relaxed,
  memory_order_consume,
  memory_order_acquire,
  memory_order_release,
  memory_order_acq_rel,
  memory_order_seq_cst
};
} // namespace std

// The other operations on 8 and 16 bits are loops around a compare-and-swap.
template <class Bits, class Update>
__HEDDLE_FN Bits __update_by_swaps(Bits *p, int place, Update update) {
  Bits old = __atomic_load_n(p, __ATOMIC_RELAXED);
  for (;;) {
    Bits seen = __heddle_atomic_cas(p, old, update(old), place);
    if (seen == old)
      return old;
    old = seen;
  }
}
#define __HEDDLE_SMALL_ATOMIC(name, Bits, update)                                                  \
  __HEDDLE_FN Bits __heddle_atomic_##name(Bits *p, Bits v, int place) {                            \
    return __update_by_swaps(p, place, [=](Bits now) { return (Bits)(update); });                  \
  }
#define __HEDDLE_SMALL_ATOMICS(Bits, Signed)                                                       \
  __HEDDLE_SMALL_ATOMIC(exch, Bits, v)                                                             \
  __HEDDLE_SMALL_ATOMIC(add, Bits, now + v)                                                        \
  __HEDDLE_SMALL_ATOMIC(and, Bits, now &v)                                                         \
  __HEDDLE_SMALL_ATOMIC(or, Bits, now | v)                                                         \
  __HEDDLE_SMALL_ATOMIC(xor, Bits, now ^ v)                                                        \
  __HEDDLE_SMALL_ATOMIC(umin, Bits, now < v ? now : v)                                             \
  __HEDDLE_SMALL_ATOMIC(umax, Bits, now < v ? v : now)                                             \
  __HEDDLE_SMALL_ATOMIC(min, Bits, (Signed)now < (Signed)v ? now : v)                              \
  __HEDDLE_SMALL_ATOMIC(max, Bits, (Signed)now < (Signed)v ? v : now)
__HEDDLE_SMALL_ATOMICS(unsigned char, signed char)
__HEDDLE_SMALL_ATOMICS(unsigned short, short)
#undef __HEDDLE_SMALL_ATOMICS
#undef __HEDDLE_SMALL_ATOMIC

namespace cuda {

using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

// The scope of simt.atomic.*.
__HEDDLE_FN constexpr int __place_of(thread_scope scope) {
  return scope == thread_scope_system ? 2 : scope == thread_scope_device ? 1 : 0;
}

__HEDDLE_FN void atomic_thread_fence(memory_order order, thread_scope scope = thread_scope_system) {
  if (order != memory_order_relaxed && scope != thread_scope_thread)
    __heddle_fence(__place_of(scope));
}

#define __HEDDLE_MEMBER __device__ __forceinline__

// The operations of atomic objects; `Object` provides the address. Fences order them, because SIMT operations are
// relaxed.
template <class Object, class _T, thread_scope scope> class __atomic_functions {
  static_assert(sizeof(_T) == 1 || sizeof(_T) == 2 || sizeof(_T) == 4 || sizeof(_T) == 8,
                "an atomic object has 1, 2, 4 or 8 bytes");
  static_assert(__is_trivially_copyable(_T), "an atomic object is trivially copyable");
  typedef __bits_of<_T> Bits;
  static constexpr int place = __place_of(scope);

public:
  typedef _T value_type;
  static constexpr bool is_always_lock_free = true;
  __HEDDLE_MEMBER bool is_lock_free() const { return true; }

  __HEDDLE_MEMBER _T load(memory_order order = memory_order_seq_cst) const {
    return ordered(order, [](Bits *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); });
  }
  __HEDDLE_MEMBER void store(_T v, memory_order order = memory_order_seq_cst) const {
    ordered(order, [=](Bits *p) {
      __atomic_store_n(p, bits(v), __ATOMIC_RELAXED);
      return bits(v);
    });
  }
  __HEDDLE_MEMBER _T exchange(_T v, memory_order order = memory_order_seq_cst) const {
    return ordered(order, [=](Bits *p) { return __heddle_atomic_exch(p, bits(v), place); });
  }
  __HEDDLE_MEMBER bool compare_exchange_strong(_T &expected, _T v,
                                               memory_order order = memory_order_seq_cst,
                                               memory_order = memory_order_seq_cst) const {
    Bits wanted = bits(expected);
    expected =
        ordered(order, [=](Bits *p) { return __heddle_atomic_cas(p, wanted, bits(v), place); });
    return bits(expected) == wanted;
  }
  __HEDDLE_MEMBER bool compare_exchange_weak(_T &expected, _T v,
                                             memory_order order = memory_order_seq_cst,
                                             memory_order = memory_order_seq_cst) const {
    return compare_exchange_strong(expected, v, order);
  }

  __HEDDLE_MEMBER _T fetch_add(_T v, memory_order order = memory_order_seq_cst) const {
    if constexpr (::std::is_floating_point<_T>::value)
      return ordered(order, [=](Bits *p) { return bits(__heddle_atomic_add((_T *)p, v, place)); });
    else
      return ordered(order, [=](Bits *p) { return __heddle_atomic_add(p, bits(v), place); });
  }
  __HEDDLE_MEMBER _T fetch_sub(_T v, memory_order order = memory_order_seq_cst) const {
    return fetch_add((_T)(0 - v), order);
  }
#define __HEDDLE_FETCH(name, signed_operation, unsigned_operation)                                 \
  __HEDDLE_MEMBER _T fetch_##name(_T v, memory_order order = memory_order_seq_cst) const {         \
    static_assert(::std::is_integral<_T>::value, "fetch_" #name " is for integers");               \
    return ordered(order, [=](Bits *p) {                                                           \
      return ::std::is_signed<_T>::value                                                           \
                 ? __heddle_atomic_##signed_operation(p, bits(v), place)                           \
                 : __heddle_atomic_##unsigned_operation(p, bits(v), place);                        \
    });                                                                                            \
  }
  __HEDDLE_FETCH(and, and, and)
  __HEDDLE_FETCH(or, or, or)
  __HEDDLE_FETCH(xor, xor, xor)
  __HEDDLE_FETCH(min, min, umin)
  __HEDDLE_FETCH(max, max, umax)
#undef __HEDDLE_FETCH

  __HEDDLE_MEMBER operator _T() const { return load(); }
  __HEDDLE_MEMBER _T operator++() const { return fetch_add(1) + 1; }
  __HEDDLE_MEMBER _T operator++(int) const { return fetch_add(1); }
  __HEDDLE_MEMBER _T operator--() const { return fetch_sub(1) - 1; }
  __HEDDLE_MEMBER _T operator--(int) const { return fetch_sub(1); }
  __HEDDLE_MEMBER _T operator+=(_T v) const { return fetch_add(v) + v; }
  __HEDDLE_MEMBER _T operator-=(_T v) const { return fetch_sub(v) - v; }
  __HEDDLE_MEMBER _T operator&=(_T v) const { return fetch_and(v) & v; }
  __HEDDLE_MEMBER _T operator|=(_T v) const { return fetch_or(v) | v; }
  __HEDDLE_MEMBER _T operator^=(_T v) const { return fetch_xor(v) ^ v; }

  // Returns when the value differs from `old`.
  __HEDDLE_MEMBER void wait(_T old, memory_order order = memory_order_seq_cst) const {
    while (bits(load(order)) == bits(old))
      __nanosleep(20);
  }
  __HEDDLE_MEMBER void notify_one() const {}
  __HEDDLE_MEMBER void notify_all() const {}

private:
  static __HEDDLE_MEMBER Bits bits(_T v) { return __builtin_bit_cast(Bits, v); }
  template <class Operation> __HEDDLE_MEMBER _T ordered(memory_order order, Operation run) const {
    atomic_thread_fence(order, scope);
    Bits result = run((Bits *)static_cast<const Object *>(this)->__address());
    atomic_thread_fence(order, scope);
    return __builtin_bit_cast(_T, result);
  }
};

template <class _T, thread_scope scope = thread_scope_system>
class atomic : public __atomic_functions<atomic<_T, scope>, _T, scope> {
public:
  atomic() = default;
  __HEDDLE_LIB atomic(_T v) : value_(v) {}
  atomic(const atomic &) = delete;
  atomic &operator=(const atomic &) = delete;
  __HEDDLE_MEMBER _T operator=(_T v) {
    this->store(v);
    return v;
  }
  __HEDDLE_MEMBER _T *__address() const { return &value_; }

private:
  alignas(sizeof(_T)) mutable _T value_;
};

template <class _T, thread_scope scope = thread_scope_system>
class atomic_ref : public __atomic_functions<atomic_ref<_T, scope>, _T, scope> {
public:
  static constexpr size_t required_alignment = sizeof(_T);
  __HEDDLE_MEMBER explicit atomic_ref(_T &v) : place_(&v) {}
  __HEDDLE_MEMBER _T operator=(_T v) const {
    this->store(v);
    return v;
  }
  __HEDDLE_MEMBER _T *__address() const { return place_; }

private:
  _T *place_;
};

#undef __HEDDLE_MEMBER

} // namespace cuda
