// Conversions to and from floats of 16 bits, which LLVM's code generator calls on processors without instructions for
// them. A float of 16 bits travels in the register of a float, in its low bits.
#pragma once

namespace heddle::cpu {

float extendHalf(float half);
float halfOfFloat(float x);
float halfOfDouble(double x);
float bfloatOfFloat(float x);
float bfloatOfDouble(double x);

} // namespace heddle::cpu
