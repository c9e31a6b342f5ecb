// Conversions to and from 16-bit floats, called by LLVM's code generator on processors without these instructions.
// A 16-bit float is passed in the low bits of a float register.
#pragma once

namespace heddle::cpu {

float extendHalf(float half);
float halfOfFloat(float x);
float halfOfDouble(double x);
float bfloatOfFloat(float x);
float bfloatOfDouble(double x);

} // namespace heddle::cpu
