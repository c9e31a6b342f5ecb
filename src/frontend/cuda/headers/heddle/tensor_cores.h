// GPU instructions for matrices that a warp holds together (wmma, PTX ISA 9.0, 9.7.15.4).
#pragma once
#include "heddle/shared_addresses.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda {
namespace wmma {

struct row_major;
struct matrix_a;

namespace precision {
struct tf32;
}

// The text of an instruction, composed at compile time.
struct __heddle_text {
  char chars[256] = {};
  unsigned long length = 0;

  constexpr const char *data() const { return chars; }
  constexpr unsigned long size() const { return length; }
  constexpr __heddle_text &operator<<(const char *text) {
    while (*text)
      chars[length++] = *text++;
    return *this;
  }
  constexpr __heddle_text &operator<<(int number) { // less than 100
    if (number >= 10)
      chars[length++] = '0' + number / 10;
    chars[length++] = '0' + number % 10;
    return *this;
  }
  // The operands {%first, ...} of a fragment.
  constexpr __heddle_text &list(int first, int count) {
    for (int i = 0; i < count; ++i)
      *this << (i == 0 ? "{%" : ", %") << first + i;
    return *this << "}";
  }
};

// PTX names of the element types.
template <class T> struct __heddle_ptx_type;
#define __HEDDLE_PTX_TYPE(type, text)                                                              \
  template <> struct __heddle_ptx_type<type> {                                                     \
    static constexpr const char *name() { return text; }                                           \
  };
__HEDDLE_PTX_TYPE(__half, ".f16")
__HEDDLE_PTX_TYPE(__nv_bfloat16, ".bf16")
__HEDDLE_PTX_TYPE(signed char, ".s8")
__HEDDLE_PTX_TYPE(unsigned char, ".u8")
__HEDDLE_PTX_TYPE(precision::tf32, ".tf32")
__HEDDLE_PTX_TYPE(float, ".f32")
__HEDDLE_PTX_TYPE(int, ".s32")
__HEDDLE_PTX_TYPE(double, ".f64")
#undef __HEDDLE_PTX_TYPE

// Names of state spaces in opcodes.
struct __heddle_shared_space {
  static constexpr const char *name() { return ".shared"; }
};
struct __heddle_global_space {
  static constexpr const char *name() { return ".global"; }
};
struct __heddle_any_space {
  static constexpr const char *name() { return ""; }
};

// The registers that hold the elements of a fragment in a lane.
template <class Kept, int size> struct __heddle_registers {
  enum { count = sizeof(Kept) * size / sizeof(unsigned) };
  unsigned of[count];
};
template <int size> struct __heddle_registers<double, size> {
  enum { count = size };
  double of[count];
};
template <class Kept, int size>
__HEDDLE_FN __heddle_registers<Kept, size> __heddle_to_registers(const Kept (&x)[size]) {
  __heddle_registers<Kept, size> r;
  __builtin_memcpy(&r, &x, sizeof r);
  return r;
}
template <class Kept, int size>
__HEDDLE_FN void __heddle_from_registers(Kept (&x)[size], const __heddle_registers<Kept, size> &r) {
  __builtin_memcpy(&x, &r, sizeof r);
}

// The instructions for the shape m x n x k.
template <int m, int n, int k> struct __heddle_tensor_cores {
  // True if the device has the instructions. On the CPU device, frontend/ptx translates them.
  static constexpr bool exist() {
    return __HEDDLE_GPU__ == 0 || __HEDDLE_GPU__ >= (k == 16 ? 750 : 800);
  }

#define __HEDDLE_1(constraint, v) constraint(v.of[0])
#define __HEDDLE_2(constraint, v) __HEDDLE_1(constraint, v), constraint(v.of[1])
#define __HEDDLE_4(constraint, v)                                                                  \
  __HEDDLE_2(constraint, v), constraint(v.of[2]), constraint(v.of[3])
#define __HEDDLE_8(constraint, v)                                                                  \
  __HEDDLE_4(constraint, v), constraint(v.of[4]), constraint(v.of[5]), constraint(v.of[6]),        \
      constraint(v.of[7])

  // `use`: a, b or c; `T`: the type of the matrix's elements; `space`: empty if unknown.
  template <class T>
  static constexpr __heddle_text loadText(const char *use, bool rows, const char *space,
                                          int registers) {
    __heddle_text text;
    text << "wmma.load." << use << ".sync.aligned" << (rows ? ".row" : ".col");
    addShape(text) << space << __heddle_ptx_type<T>::name() << " ";
    return text.list(0, registers) << ", [%" << registers << "], %" << registers + 1 << ";";
  }
#define __HEDDLE_LOAD(number, constraint)                                                          \
  if constexpr (r.count == number && __is_same(Kept, double) == (constraint[1] == 'd'))            \
    asm volatile((loadText<T>(Use::letter(), rows, Space::name(), number))                         \
                 : __HEDDLE_##number(constraint, r)                                                \
                 : "l"(address), "r"(ldm)                                                          \
                 : "memory");
  template <class Use, class T, bool rows, class Space, class Kept, int size, class Address>
  static __HEDDLE_FN void load(Kept (&x)[size], Address address, unsigned ldm) {
    __heddle_registers<Kept, size> r;
    __HEDDLE_LOAD(1, "=r")
    __HEDDLE_LOAD(2, "=r")
    __HEDDLE_LOAD(4, "=r")
    __HEDDLE_LOAD(8, "=r")
    __HEDDLE_LOAD(1, "=d")
    __HEDDLE_LOAD(2, "=d")
    __heddle_from_registers(x, r);
  }
#undef __HEDDLE_LOAD
  template <class Use, class T, bool rows, class Kept, int size>
  static __HEDDLE_FN void load(Kept (&x)[size], const void *p, unsigned ldm) {
    if (__HEDDLE_GPU__ == 0) {
      __syncwarp(); // the lanes of a GPU arrive together
      load<Use, T, rows, __heddle_any_space>(x, p, ldm);
    } else if (__heddle_is_known_in_shared(p))
      load<Use, T, rows, __heddle_shared_space>(x, (size_t)__heddle_shared_address(p), ldm);
    else if (__heddle_is_known_in_global(p))
      load<Use, T, rows, __heddle_global_space>(x, (size_t)p, ldm);
    else
      load<Use, T, rows, __heddle_any_space>(x, (size_t)p, ldm);
  }

  template <class T>
  static constexpr __heddle_text storeText(bool rows, const char *space, int registers) {
    __heddle_text text;
    text << "wmma.store.d.sync.aligned" << (rows ? ".row" : ".col");
    addShape(text) << space << __heddle_ptx_type<T>::name() << " [%0], ";
    return text.list(1, registers) << ", %" << registers + 1 << ";";
  }
#define __HEDDLE_STORE(number, constraint)                                                         \
  if constexpr (r.count == number && __is_same(T, double) == (constraint[0] == 'd'))               \
    asm volatile((storeText<T>(rows, Space::name(), number))::"l"(address),                        \
                 __HEDDLE_##number(constraint, r), "r"(ldm)                                        \
                 : "memory");
  template <bool rows, class Space, class T, int size, class Address>
  static __HEDDLE_FN void store(Address address, const T (&x)[size], unsigned ldm) {
    __heddle_registers<T, size> r = __heddle_to_registers(x);
    __HEDDLE_STORE(4, "r")
    __HEDDLE_STORE(8, "r")
    __HEDDLE_STORE(2, "d")
  }
#undef __HEDDLE_STORE
  template <bool rows, class T, int size>
  static __HEDDLE_FN void store(void *p, const T (&x)[size], unsigned ldm) {
    if (__HEDDLE_GPU__ == 0) {
      __syncwarp();
      store<rows, __heddle_any_space>(p, x, ldm);
      __syncwarp();
    } else if (__heddle_is_known_in_shared(p))
      store<rows, __heddle_shared_space>((size_t)__heddle_shared_address(p), x, ldm);
    else if (__heddle_is_known_in_global(p))
      store<rows, __heddle_global_space>((size_t)p, x, ldm);
    else
      store<rows, __heddle_any_space>((size_t)p, x, ldm);
  }

  template <class T, class D, class C>
  static constexpr __heddle_text multiplyText(bool rowsOfA, bool rowsOfB, bool saturates, int ofD,
                                              int ofA, int ofB, int ofC) {
    __heddle_text text;
    text << "wmma.mma.sync.aligned" << (rowsOfA ? ".row" : ".col") << (rowsOfB ? ".row" : ".col");
    addShape(text) << __heddle_ptx_type<D>::name();
    if (!__is_same(T, __half))
      text << __heddle_ptx_type<T>::name() << __heddle_ptx_type<T>::name();
    text << __heddle_ptx_type<C>::name() << (saturates ? ".satfinite " : " ");
    text.list(0, ofD) << ", ";
    text.list(ofD, ofA) << ", ";
    text.list(ofD + ofA, ofB) << ", ";
    return text.list(ofD + ofA + ofB, ofC) << ";";
  }
#define __HEDDLE_MULTIPLY(ofD, ofA, ofB, ofC, constraint)                                          \
  if constexpr (d.count == ofD && a.count == ofA && b.count == ofB && c.count == ofC &&            \
                __is_same(D, double) == (constraint[0] == 'd'))                                    \
    asm((multiplyText<T, D, C>(rowsOfA, rowsOfB, saturates, ofD, ofA, ofB, ofC))                   \
        : __HEDDLE_##ofD("=" constraint, d)                                                        \
        : __HEDDLE_##ofA(constraint, a), __HEDDLE_##ofB(constraint, b),                            \
          __HEDDLE_##ofC(constraint, c));
  // d = a * b + c, where the elements of a and b have type T.
  template <class T, bool rowsOfA, bool rowsOfB, bool saturates, class D, int sizeD, class A,
            int sizeA, int sizeB, class C, int sizeC>
  static __HEDDLE_FN void multiply(D (&dx)[sizeD], const A (&ax)[sizeA], const A (&bx)[sizeB],
                                   const C (&cx)[sizeC]) {
    auto a = __heddle_to_registers(ax);
    auto b = __heddle_to_registers(bx);
    auto c = __heddle_to_registers(cx);
    __heddle_registers<D, sizeD> d;
    __HEDDLE_MULTIPLY(8, 8, 8, 8, "r")
    __HEDDLE_MULTIPLY(4, 8, 8, 4, "r")
    __HEDDLE_MULTIPLY(4, 8, 8, 8, "r")
    __HEDDLE_MULTIPLY(8, 8, 8, 4, "r")
    __HEDDLE_MULTIPLY(8, 4, 4, 8, "r")
    __HEDDLE_MULTIPLY(8, 8, 2, 8, "r")
    __HEDDLE_MULTIPLY(8, 2, 8, 8, "r")
    __HEDDLE_MULTIPLY(8, 2, 2, 8, "r")
    __HEDDLE_MULTIPLY(8, 4, 1, 8, "r")
    __HEDDLE_MULTIPLY(8, 1, 4, 8, "r")
    __HEDDLE_MULTIPLY(2, 1, 1, 2, "d")
    __heddle_from_registers(dx, d);
  }
#undef __HEDDLE_MULTIPLY
#undef __HEDDLE_8
#undef __HEDDLE_4
#undef __HEDDLE_2
#undef __HEDDLE_1

private:
  static constexpr __heddle_text &addShape(__heddle_text &text) {
    return text << ".m" << m << "n" << n << "k" << k;
  }
};

} // namespace wmma
} // namespace nvcuda
