// SIMD within a word: four bytes or two halfwords.
#pragma once

// Evaluates `value` for each pair of lanes. `x` and `y` are the signed values of the lanes, `ux` and `uy` the unsigned
// ones. `least` and `most` are the limits of the signed range, and `umost` is the largest unsigned value.
#define __HEDDLE_LANES_OF(name, bits, value)                                                       \
  __HEDDLE_FN unsigned name(unsigned a, unsigned b) {                                              \
    [[maybe_unused]] constexpr int most = (1 << (bits - 1)) - 1, least = -most - 1,                \
                                   umost = (1 << bits) - 1;                                        \
    unsigned result = 0;                                                                           \
    for (int i = 0; i < 32; i += bits) {                                                           \
      [[maybe_unused]] int x = (int)(a << (32 - bits - i)) >> (32 - bits),                         \
                           y = (int)(b << (32 - bits - i)) >> (32 - bits);                         \
      [[maybe_unused]] int ux = x & umost, uy = y & umost;                                         \
      result |= ((unsigned)(value) & umost) << i;                                                  \
    }                                                                                              \
    return result;                                                                                 \
  }
#define __HEDDLE_LANES(name, value)                                                                \
  __HEDDLE_LANES_OF(name##2, 16, value)                                                            \
  __HEDDLE_LANES_OF(name##4, 8, value)
#define __HEDDLE_CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
__HEDDLE_LANES(__vadd, x + y)
__HEDDLE_LANES(__vaddss, __HEDDLE_CLAMP(x + y, least, most))
__HEDDLE_LANES(__vaddus, __HEDDLE_CLAMP(ux + uy, 0, umost))
__HEDDLE_LANES(__vsub, x - y)
__HEDDLE_LANES(__vsubss, __HEDDLE_CLAMP(x - y, least, most))
__HEDDLE_LANES(__vsubus, __HEDDLE_CLAMP(ux - uy, 0, umost))
__HEDDLE_LANES(__vabsdiffs, x < y ? y - x : x - y)
__HEDDLE_LANES(__vabsdiffu, ux < uy ? uy - ux : ux - uy)
// Averages round half away from zero, like the instruction vavrg.
__HEDDLE_LANES(__vavgs, (x + y + (x + y >= 0)) >> 1)
__HEDDLE_LANES(__vavgu, (ux + uy + 1) >> 1)
__HEDDLE_LANES(__vhaddu, (ux + uy) >> 1)
__HEDDLE_LANES(__vmaxs, x < y ? y : x)
__HEDDLE_LANES(__vmaxu, ux < uy ? uy : ux)
__HEDDLE_LANES(__vmins, y < x ? y : x)
__HEDDLE_LANES(__vminu, uy < ux ? uy : ux)
// Comparisons per lane. A lane where the comparison holds is all ones (__vcmp) or 1 (__vset); other lanes are 0.
#define __HEDDLE_LANES_COMPARE(name, condition)                                                    \
  __HEDDLE_LANES(__vcmp##name, (condition) ? -1 : 0)                                               \
  __HEDDLE_LANES(__vset##name, (condition) ? 1 : 0)
__HEDDLE_LANES_COMPARE(eq, x == y)
__HEDDLE_LANES_COMPARE(ne, x != y)
__HEDDLE_LANES_COMPARE(lts, x < y)
__HEDDLE_LANES_COMPARE(les, x <= y)
__HEDDLE_LANES_COMPARE(gts, x > y)
__HEDDLE_LANES_COMPARE(ges, x >= y)
__HEDDLE_LANES_COMPARE(ltu, ux < uy)
__HEDDLE_LANES_COMPARE(leu, ux <= uy)
__HEDDLE_LANES_COMPARE(gtu, ux > uy)
__HEDDLE_LANES_COMPARE(geu, ux >= uy)
#undef __HEDDLE_LANES_COMPARE
#undef __HEDDLE_CLAMP

__HEDDLE_FN unsigned __vneg2(unsigned a) { return __vsub2(0, a); }
__HEDDLE_FN unsigned __vneg4(unsigned a) { return __vsub4(0, a); }
__HEDDLE_FN unsigned __vnegss2(unsigned a) { return __vsubss2(0, a); }
__HEDDLE_FN unsigned __vnegss4(unsigned a) { return __vsubss4(0, a); }
__HEDDLE_FN unsigned __vabs2(unsigned a) { return __vabsdiffs2(a, 0); }
__HEDDLE_FN unsigned __vabs4(unsigned a) { return __vabsdiffs4(a, 0); }
__HEDDLE_FN unsigned __vabsss2(unsigned a) { return __vmaxs2(a, __vnegss2(a)); }
__HEDDLE_FN unsigned __vabsss4(unsigned a) { return __vmaxs4(a, __vnegss4(a)); }
__HEDDLE_FN unsigned __heddle_sum_of_halves(unsigned a) { return (a & 0xffff) + (a >> 16); }
__HEDDLE_FN unsigned __heddle_sum_of_bytes(unsigned a) {
  return (a & 0xff) + (a >> 8 & 0xff) + (a >> 16 & 0xff) + (a >> 24);
}
__HEDDLE_FN unsigned __vsads2(unsigned a, unsigned b) {
  return __heddle_sum_of_halves(__vabsdiffs2(a, b));
}
__HEDDLE_FN unsigned __vsads4(unsigned a, unsigned b) {
  return __heddle_sum_of_bytes(__vabsdiffs4(a, b));
}
__HEDDLE_FN unsigned __vsadu2(unsigned a, unsigned b) {
  return __heddle_sum_of_halves(__vabsdiffu2(a, b));
}
__HEDDLE_FN unsigned __vsadu4(unsigned a, unsigned b) {
  return __heddle_sum_of_bytes(__vabsdiffu4(a, b));
}

// Dot products of two 16-bit integers with the lower or upper two bytes.
__HEDDLE_FN int __dp2a_lo(int a, int b, int c) {
  return c + (short)a * (signed char)b + (a >> 16) * (signed char)(b >> 8);
}
__HEDDLE_FN int __dp2a_hi(int a, int b, int c) { return __dp2a_lo(a, b >> 16, c); }
__HEDDLE_FN unsigned __dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return c + (a & 0xffff) * (b & 0xff) + (a >> 16) * (b >> 8 & 0xff);
}
__HEDDLE_FN unsigned __dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return __dp2a_lo(a, b >> 16, c);
}

// Overload for vector types.
__HEDDLE_FN int __dp2a_lo(short2 a, char4 b, int c) { return c + a.x * b.x + a.y * b.y; }
__HEDDLE_FN int __dp2a_hi(short2 a, char4 b, int c) { return c + a.x * b.z + a.y * b.w; }
__HEDDLE_FN unsigned __dp2a_lo(ushort2 a, uchar4 b, unsigned c) {
  return c + (unsigned)a.x * b.x + (unsigned)a.y * b.y;
}
__HEDDLE_FN unsigned __dp2a_hi(ushort2 a, uchar4 b, unsigned c) {
  return c + (unsigned)a.x * b.z + (unsigned)a.y * b.w;
}
__HEDDLE_FN int __dp4a(char4 a, char4 b, int c) {
  return c + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}
__HEDDLE_FN unsigned __dp4a(uchar4 a, uchar4 b, unsigned c) {
  return c + (unsigned)a.x * b.x + (unsigned)a.y * b.y + (unsigned)a.z * b.z + (unsigned)a.w * b.w;
}

// Dynamic programming steps (CUDA's DPX): the maximum or minimum of three operands, or of a sum and an operand. The
// variants with relu clamp the result at 0.
#define __HEDDLE_STEPS(T, type)                                                                    \
  __HEDDLE_FN T __vimax3_##type(T a, T b, T c) { return max(max(a, b), c); }                       \
  __HEDDLE_FN T __vimin3_##type(T a, T b, T c) { return min(min(a, b), c); }                       \
  __HEDDLE_FN T __viaddmax_##type(T a, T b, T c) {                                                 \
    return max((T)((unsigned)a + (unsigned)b), c);                                                 \
  }                                                                                                \
  __HEDDLE_FN T __viaddmin_##type(T a, T b, T c) {                                                 \
    return min((T)((unsigned)a + (unsigned)b), c);                                                 \
  }                                                                                                \
  __HEDDLE_FN T __vibmax_##type(T a, T b, bool *first) { return (*first = a >= b) ? a : b; }       \
  __HEDDLE_FN T __vibmin_##type(T a, T b, bool *first) { return (*first = a <= b) ? a : b; }
__HEDDLE_STEPS(int, s32)
__HEDDLE_STEPS(unsigned, u32)
#undef __HEDDLE_STEPS
__HEDDLE_FN int __vimax_s32_relu(int a, int b) { return max(max(a, b), 0); }
__HEDDLE_FN int __vimin_s32_relu(int a, int b) { return max(min(a, b), 0); }
__HEDDLE_FN int __vimax3_s32_relu(int a, int b, int c) { return max(__vimax3_s32(a, b, c), 0); }
__HEDDLE_FN int __vimin3_s32_relu(int a, int b, int c) { return max(__vimin3_s32(a, b, c), 0); }
__HEDDLE_FN int __viaddmax_s32_relu(int a, int b, int c) { return max(__viaddmax_s32(a, b, c), 0); }
__HEDDLE_FN int __viaddmin_s32_relu(int a, int b, int c) { return max(__viaddmin_s32(a, b, c), 0); }
// The same for two halfwords. `high` and `low` tell for each whether the first operand is chosen.
#define __HEDDLE_STEPS(s, type)                                                                    \
  __HEDDLE_FN unsigned __vimax3_##type(unsigned a, unsigned b, unsigned c) {                       \
    return __vmax##s##2(__vmax##s##2(a, b), c);                                                    \
  }                                                                                                \
  __HEDDLE_FN unsigned __vimin3_##type(unsigned a, unsigned b, unsigned c) {                       \
    return __vmin##s##2(__vmin##s##2(a, b), c);                                                    \
  }                                                                                                \
  __HEDDLE_FN unsigned __viaddmax_##type(unsigned a, unsigned b, unsigned c) {                     \
    return __vmax##s##2(__vadd2(a, b), c);                                                         \
  }                                                                                                \
  __HEDDLE_FN unsigned __viaddmin_##type(unsigned a, unsigned b, unsigned c) {                     \
    return __vmin##s##2(__vadd2(a, b), c);                                                         \
  }                                                                                                \
  __HEDDLE_FN unsigned __vibmax_##type(unsigned a, unsigned b, bool *high, bool *low) {            \
    unsigned isFirst = __vsetge##s##2(a, b);                                                       \
    *high = isFirst >> 16;                                                                         \
    *low = isFirst & 1;                                                                            \
    return __vmax##s##2(a, b);                                                                     \
  }                                                                                                \
  __HEDDLE_FN unsigned __vibmin_##type(unsigned a, unsigned b, bool *high, bool *low) {            \
    unsigned isFirst = __vsetle##s##2(a, b);                                                       \
    *high = isFirst >> 16;                                                                         \
    *low = isFirst & 1;                                                                            \
    return __vmin##s##2(a, b);                                                                     \
  }
__HEDDLE_STEPS(s, s16x2)
__HEDDLE_STEPS(u, u16x2)
#undef __HEDDLE_STEPS
__HEDDLE_FN unsigned __vimax_s16x2_relu(unsigned a, unsigned b) {
  return __vmaxs2(__vmaxs2(a, b), 0);
}
__HEDDLE_FN unsigned __vimin_s16x2_relu(unsigned a, unsigned b) {
  return __vmaxs2(__vmins2(a, b), 0);
}
#define __HEDDLE_RELU(name)                                                                        \
  __HEDDLE_FN unsigned name##_relu(unsigned a, unsigned b, unsigned c) {                           \
    return __vmaxs2(name(a, b, c), 0);                                                             \
  }
__HEDDLE_RELU(__vimax3_s16x2)
__HEDDLE_RELU(__vimin3_s16x2)
__HEDDLE_RELU(__viaddmax_s16x2)
__HEDDLE_RELU(__viaddmin_s16x2)
#undef __HEDDLE_RELU
#undef __HEDDLE_LANES
#undef __HEDDLE_LANES_OF
