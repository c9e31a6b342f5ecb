#pragma once

// Scopes: 0 block, 1 device, 2 system. T is the C++ type, B the operand type of the operation.
#define __HEDDLE_ATOMIC_OP(name, B, operation)                                                     \
  __HEDDLE_OP(B, __heddle_##name, "simt.atomic." operation ".p0", B *, B, int)
__HEDDLE_ATOMIC_OP(atomic_add, unsigned, "add.i32")
__HEDDLE_ATOMIC_OP(atomic_add, unsigned long, "add.i64")
__HEDDLE_ATOMIC_OP(atomic_add, float, "add.f32")
__HEDDLE_ATOMIC_OP(atomic_add, double, "add.f64")
__HEDDLE_ATOMIC_OP(atomic_exch, unsigned, "exch.i32")
__HEDDLE_ATOMIC_OP(atomic_exch, unsigned long, "exch.i64")
__HEDDLE_ATOMIC_OP(atomic_min, unsigned, "min.i32")
__HEDDLE_ATOMIC_OP(atomic_min, unsigned long, "min.i64")
__HEDDLE_ATOMIC_OP(atomic_max, unsigned, "max.i32")
__HEDDLE_ATOMIC_OP(atomic_max, unsigned long, "max.i64")
__HEDDLE_ATOMIC_OP(atomic_umin, unsigned, "umin.i32")
__HEDDLE_ATOMIC_OP(atomic_umin, unsigned long, "umin.i64")
__HEDDLE_ATOMIC_OP(atomic_umax, unsigned, "umax.i32")
__HEDDLE_ATOMIC_OP(atomic_umax, unsigned long, "umax.i64")
__HEDDLE_ATOMIC_OP(atomic_and, unsigned, "and.i32")
__HEDDLE_ATOMIC_OP(atomic_and, unsigned long, "and.i64")
__HEDDLE_ATOMIC_OP(atomic_or, unsigned, "or.i32")
__HEDDLE_ATOMIC_OP(atomic_or, unsigned long, "or.i64")
__HEDDLE_ATOMIC_OP(atomic_xor, unsigned, "xor.i32")
__HEDDLE_ATOMIC_OP(atomic_xor, unsigned long, "xor.i64")
__HEDDLE_ATOMIC_OP(atomic_inc, unsigned, "inc.i32")
__HEDDLE_ATOMIC_OP(atomic_dec, unsigned, "dec.i32")
#undef __HEDDLE_ATOMIC_OP
__HEDDLE_OP(unsigned char, __heddle_atomic_cas, "simt.atomic.cas.i8.p0", unsigned char *,
            unsigned char, unsigned char, int)
__HEDDLE_OP(unsigned short, __heddle_atomic_cas, "simt.atomic.cas.i16.p0", unsigned short *,
            unsigned short, unsigned short, int)
__HEDDLE_OP(unsigned, __heddle_atomic_cas, "simt.atomic.cas.i32.p0", unsigned *, unsigned, unsigned,
            int)
__HEDDLE_OP(unsigned long, __heddle_atomic_cas, "simt.atomic.cas.i64.p0", unsigned long *,
            unsigned long, unsigned long, int)

#define __HEDDLE_ATOMIC_SCOPE(name, suffix, scope, operation, T, B)                                \
  __HEDDLE_FN T name##suffix(T *p, T v) {                                                          \
    return __builtin_bit_cast(                                                                     \
        T, __heddle_atomic_##operation((B *)p, __builtin_bit_cast(B, v), scope));                  \
  }
#define __HEDDLE_ATOMIC(name, operation, T, B)                                                     \
  __HEDDLE_ATOMIC_SCOPE(name, , 1, operation, T, B)                                                \
  __HEDDLE_ATOMIC_SCOPE(name, _block, 0, operation, T, B)                                          \
  __HEDDLE_ATOMIC_SCOPE(name, _system, 2, operation, T, B)
#define __HEDDLE_ATOMIC_INTEGERS(name, operation, unsigned_operation)                              \
  __HEDDLE_ATOMIC(name, operation, int, unsigned)                                                  \
  __HEDDLE_ATOMIC(name, unsigned_operation, unsigned, unsigned)                                    \
  __HEDDLE_ATOMIC(name, operation, long long, unsigned long)                                       \
  __HEDDLE_ATOMIC(name, unsigned_operation, unsigned long long, unsigned long)                     \
  __HEDDLE_ATOMIC(name, operation, long, unsigned long)                                            \
  __HEDDLE_ATOMIC(name, unsigned_operation, unsigned long, unsigned long)

__HEDDLE_ATOMIC_INTEGERS(atomicAdd, add, add)
__HEDDLE_ATOMIC(atomicAdd, add, float, float)
// A definition in the program takes precedence, for programs that also support devices without this function.
__HEDDLE_YIELDING_FN double atomicAdd(double *p, double v) { return __heddle_atomic_add(p, v, 1); }
__HEDDLE_YIELDING_FN double atomicAdd_block(double *p, double v) {
  return __heddle_atomic_add(p, v, 0);
}
__HEDDLE_YIELDING_FN double atomicAdd_system(double *p, double v) {
  return __heddle_atomic_add(p, v, 2);
}
__HEDDLE_ATOMIC_INTEGERS(atomicExch, exch, exch)
__HEDDLE_ATOMIC(atomicExch, exch, float, unsigned)
__HEDDLE_ATOMIC(atomicExch, exch, double, unsigned long)
__HEDDLE_ATOMIC_INTEGERS(atomicMin, min, umin)
__HEDDLE_ATOMIC_INTEGERS(atomicMax, max, umax)
__HEDDLE_ATOMIC_INTEGERS(atomicAnd, and, and)
__HEDDLE_ATOMIC_INTEGERS(atomicOr, or, or)
__HEDDLE_ATOMIC_INTEGERS(atomicXor, xor, xor)
__HEDDLE_ATOMIC(atomicInc, inc, unsigned, unsigned)
__HEDDLE_ATOMIC(atomicDec, dec, unsigned, unsigned)
#undef __HEDDLE_ATOMIC_INTEGERS
#undef __HEDDLE_ATOMIC
#undef __HEDDLE_ATOMIC_SCOPE

// Vectors: each component is updated separately, as on a GPU.
#define __HEDDLE_ATOMIC_VECTORS(name)                                                              \
  __HEDDLE_FN float2 name(float2 *p, float2 v) { return {name(&p->x, v.x), name(&p->y, v.y)}; }    \
  __HEDDLE_FN float4 name(float4 *p, float4 v) {                                                   \
    return {name(&p->x, v.x), name(&p->y, v.y), name(&p->z, v.z), name(&p->w, v.w)};               \
  }
__HEDDLE_ATOMIC_VECTORS(atomicAdd)
__HEDDLE_ATOMIC_VECTORS(atomicAdd_block)
__HEDDLE_ATOMIC_VECTORS(atomicAdd_system)
#undef __HEDDLE_ATOMIC_VECTORS

#define __HEDDLE_SUB(suffix, T, U)                                                                 \
  __HEDDLE_FN T atomicSub##suffix(T *p, T v) { return atomicAdd##suffix(p, (T)(0 - (U)v)); }
#define __HEDDLE_CAS_SCOPE(suffix, scope, T, B)                                                    \
  __HEDDLE_FN T atomicCAS##suffix(T *p, T expected, T v) {                                         \
    return __builtin_bit_cast(T, __heddle_atomic_cas((B *)p, __builtin_bit_cast(B, expected),      \
                                                     __builtin_bit_cast(B, v), scope));            \
  }
#define __HEDDLE_CAS(T, B)                                                                         \
  __HEDDLE_CAS_SCOPE(, 1, T, B)                                                                    \
  __HEDDLE_CAS_SCOPE(_block, 0, T, B)                                                              \
  __HEDDLE_CAS_SCOPE(_system, 2, T, B)                                                             \
  __HEDDLE_SUB(, T, B)                                                                             \
  __HEDDLE_SUB(_block, T, B)                                                                       \
  __HEDDLE_SUB(_system, T, B)
__HEDDLE_CAS(int, unsigned)
__HEDDLE_CAS(unsigned, unsigned)
__HEDDLE_CAS(long, unsigned long)
__HEDDLE_CAS(unsigned long, unsigned long)
__HEDDLE_CAS(long long, unsigned long)
__HEDDLE_CAS(unsigned long long, unsigned long)
__HEDDLE_CAS_SCOPE(, 1, unsigned short, unsigned short)
__HEDDLE_CAS_SCOPE(_block, 0, unsigned short, unsigned short)
__HEDDLE_CAS_SCOPE(_system, 2, unsigned short, unsigned short)
#undef __HEDDLE_CAS
#undef __HEDDLE_CAS_SCOPE
#undef __HEDDLE_SUB
