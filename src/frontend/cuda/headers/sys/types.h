// Integer types of glibc.
#pragma once
#include <cstdint>

typedef uint8_t u_int8_t;
typedef uint16_t u_int16_t;
typedef uint32_t u_int32_t;
typedef uint64_t u_int64_t;
typedef unsigned long ulong;
typedef long ssize_t;
