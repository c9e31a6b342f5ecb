#include "frontend/python/types/small_floats.h"

namespace heddle::python {
namespace {

// The names give the bits of exponent and fraction. fn: finite, no infinities; uz: unsigned zero only; b11: the bias.
constexpr SmallFloat formats[] = {
    {"float8_e3m4", 4, 3, 0x6f, 0x70, 0x78},         {"float8_e4m3", 3, 7, 0x77, 0x78, 0x7c},
    {"float8_e4m3fn", 3, 7, 0x7e, 0x7f, 0x7f},       {"float8_e4m3fnuz", 3, 8, 0x7f, 0x80, 0x80},
    {"float8_e4m3b11fnuz", 3, 11, 0x7f, 0x80, 0x80}, {"float8_e5m2", 2, 15, 0x7b, 0x7c, 0x7e},
    {"float8_e5m2fnuz", 2, 16, 0x7f, 0x80, 0x80},    {"float8_e8m0fnu", 0, 127, 0xfe, 0xff, 0xff},
};

} // namespace

Type smallFloatNamed(const std::string &name) {
  for (const SmallFloat &format : formats)
    if (name == format.name) {
      TypeData data;
      data.kind = TypeKind::Float;
      data.bits = 8;
      data.name = name;
      data.small = &format;
      return uniqueType(name, std::move(data));
    }
  return {};
}

} // namespace heddle::python
