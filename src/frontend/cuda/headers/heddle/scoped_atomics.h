// __nv_atomic_*: operations with a memory order and a scope. Fences order them, because SIMT operations are relaxed.
#pragma once

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5

#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

template <unsigned long> struct __bits_of_size {};
template <> struct __bits_of_size<1> {
  typedef unsigned char type;
};
template <> struct __bits_of_size<2> {
  typedef unsigned short type;
};
template <> struct __bits_of_size<4> {
  typedef unsigned type;
};
template <> struct __bits_of_size<8> {
  typedef unsigned long type;
};
template <class T> using __bits_of = typename __bits_of_size<sizeof(T)>::type;
template <class T> struct __value_of_pointee {
  typedef T type;
};
template <class T> struct __value_of_pointee<volatile T> {
  typedef T type;
};
template <class T> using __value_of = typename __value_of_pointee<T>::type;

// The scope of simt.atomic.*.
__HEDDLE_FN int __place_of_scope(int scope) {
  return scope <= __NV_THREAD_SCOPE_BLOCK ? 0 : scope == __NV_THREAD_SCOPE_SYSTEM ? 2 : 1;
}

__HEDDLE_FN void __nv_atomic_thread_fence(int order, int scope = __NV_THREAD_SCOPE_SYSTEM) {
  if (order != __NV_ATOMIC_RELAXED && scope != __NV_THREAD_SCOPE_THREAD)
    __heddle_fence(__place_of_scope(scope));
}

// Runs operation(bits at p, scope of simt.atomic.*) between two fences.
template <class T, class Operation>
__HEDDLE_FN __value_of<T> __run_in_order(T *p, int order, int scope, Operation operation) {
  __nv_atomic_thread_fence(order, scope);
  auto bits = operation((__bits_of<T> *)p, __place_of_scope(scope));
  __nv_atomic_thread_fence(order, scope);
  return __builtin_bit_cast(__value_of<T>, bits);
}

template <class T>
__HEDDLE_FN T __nv_atomic_load_n(const volatile T *p, int order,
                                 int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __run_in_order((T *)p, order, scope,
                        [](auto *at, int) { return __atomic_load_n(at, __ATOMIC_RELAXED); });
}
template <class T>
__HEDDLE_FN void __nv_atomic_load(const volatile T *p, T *result, int order,
                                  int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_load_n(p, order, scope);
}
template <class T>
__HEDDLE_FN void __nv_atomic_store_n(T *p, __value_of<T> v, int order,
                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __run_in_order(p, order, scope, [=](auto *at, int) {
    __bits_of<T> bits = __builtin_bit_cast(__bits_of<T>, v);
    __atomic_store_n(at, bits, __ATOMIC_RELAXED);
    return bits;
  });
}
template <class T>
__HEDDLE_FN void __nv_atomic_store(T *p, __value_of<T> *v, int order,
                                   int scope = __NV_THREAD_SCOPE_SYSTEM) {
  __nv_atomic_store_n(p, *v, order, scope);
}

template <class T>
__HEDDLE_FN __value_of<T> __nv_atomic_exchange_n(T *p, __value_of<T> v, int order,
                                                 int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __run_in_order(p, order, scope, [=](auto *at, int place) {
    return __heddle_atomic_exch(at, __builtin_bit_cast(__bits_of<T>, v), place);
  });
}
template <class T>
__HEDDLE_FN void __nv_atomic_exchange(T *p, __value_of<T> *v, __value_of<T> *result, int order,
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {
  *result = __nv_atomic_exchange_n(p, *v, order, scope);
}
template <class T>
__HEDDLE_FN bool __nv_atomic_compare_exchange_n(T *p, __value_of<T> *expected, __value_of<T> v,
                                                bool, int order, int,
                                                int scope = __NV_THREAD_SCOPE_SYSTEM) {
  auto wanted = __builtin_bit_cast(__bits_of<T>, *expected);
  *expected = __run_in_order(p, order, scope, [=](auto *at, int place) {
    return __heddle_atomic_cas(at, wanted, __builtin_bit_cast(__bits_of<T>, v), place);
  });
  return __builtin_bit_cast(__bits_of<T>, *expected) == wanted;
}
template <class T>
__HEDDLE_FN bool __nv_atomic_compare_exchange(T *p, __value_of<T> *expected, __value_of<T> *v,
                                              bool weak, int order, int order_of_failure,
                                              int scope = __NV_THREAD_SCOPE_SYSTEM) {
  return __nv_atomic_compare_exchange_n(p, expected, *v, weak, order, order_of_failure, scope);
}

// Defines __nv_atomic_fetch_name, which returns the old value, and __nv_atomic_name.
#define __HEDDLE_SCOPED_ATOMIC(name, ...)                                                          \
  template <class T>                                                                               \
  __HEDDLE_FN __value_of<T> __nv_atomic_fetch_##name(T *p, __value_of<T> v, int order,             \
                                                     int scope = __NV_THREAD_SCOPE_SYSTEM) {       \
    typedef __value_of<T> Value;                                                                   \
    return __run_in_order(p, order, scope, [=](auto *at, int place) { __VA_ARGS__ });              \
  }                                                                                                \
  template <class T>                                                                               \
  __HEDDLE_FN void __nv_atomic_##name(T *p, __value_of<T> v, int order,                            \
                                      int scope = __NV_THREAD_SCOPE_SYSTEM) {                      \
    __nv_atomic_fetch_##name(p, v, order, scope);                                                  \
  }
#define __HEDDLE_SCOPED_INTEGER_ATOMIC(name, signed_operation, unsigned_operation)                 \
  __HEDDLE_SCOPED_ATOMIC(                                                                          \
      name, static_assert(__is_integral(Value), "__nv_atomic_" #name " is for integers");          \
      return (Value) - 1 < (Value)0                                                                \
                 ? __heddle_atomic_##signed_operation(at, (__bits_of<T>)v, place)                  \
                 : __heddle_atomic_##unsigned_operation(at, (__bits_of<T>)v, place);)
__HEDDLE_SCOPED_ATOMIC(add, if constexpr (__is_floating_point(Value)) return __heddle_atomic_add(
                                (Value *)at, v, place);
                       else return __heddle_atomic_add(at, (__bits_of<T>)v, place);)
__HEDDLE_SCOPED_ATOMIC(sub, if constexpr (__is_floating_point(Value)) return __heddle_atomic_add(
                                (Value *)at, -v, place);
                       else return __heddle_atomic_add(at, -(__bits_of<T>)v, place);)
__HEDDLE_SCOPED_INTEGER_ATOMIC(and, and, and)
__HEDDLE_SCOPED_INTEGER_ATOMIC(or, or, or)
__HEDDLE_SCOPED_INTEGER_ATOMIC(xor, xor, xor)
__HEDDLE_SCOPED_INTEGER_ATOMIC(min, min, umin)
__HEDDLE_SCOPED_INTEGER_ATOMIC(max, max, umax)
#undef __HEDDLE_SCOPED_INTEGER_ATOMIC
#undef __HEDDLE_SCOPED_ATOMIC
