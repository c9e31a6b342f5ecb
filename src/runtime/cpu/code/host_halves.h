// Conversions to and from 16-bit floats. LLVM's code generator calls them on processors without conversion
// instructions.
// A 16-bit float is passed in the low bits of a float register.
#pragma once

namespace heddle::cpu {

float halfToFloat(float half);
float floatToHalf(float x);
float doubleToHalf(double x);
float floatToBfloat(float x);
float doubleToBfloat(double x);

} // namespace heddle::cpu
