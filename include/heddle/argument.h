/// \file
/// Launch arguments: values tagged with their types, for the library to check. Not for direct use by programs.
#pragma once

#include "heddle/memory.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

HEDDLE_BEGIN_NAMESPACE
namespace detail {

enum class Type : std::uint8_t { Bool, Signed, Unsigned, Float, Structure, Void };

template <typename T> constexpr Type typeOf() {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_void_v<Plain>)
    return Type::Void;
  else if constexpr (std::is_same_v<Plain, bool>)
    return Type::Bool;
  else if constexpr (std::is_enum_v<Plain>)
    return typeOf<std::underlying_type_t<Plain>>();
  else if constexpr (std::is_integral_v<Plain>)
    return std::is_signed_v<Plain> ? Type::Signed : Type::Unsigned;
  else if constexpr (std::is_same_v<Plain, float> || std::is_same_v<Plain, double>)
    return Type::Float;
  else
    return Type::Structure;
}

template <typename T> constexpr std::size_t sizeOf() {
  if constexpr (std::is_void_v<T>)
    return 0;
  else
    return sizeof(T);
}

struct Argument {
  bool isPointer = false;
  bool isConst = false;   ///< a pointer to const
  Type type = Type::Void; ///< type of the value, or of the pointer's elements
  std::size_t bytes = 0;  ///< size of `type`
  /// An integer in two's complement, or a pointer's address.
  std::uint64_t bits = 0;
  double number = 0;              ///< the value if `type` is Float
  const void *data = nullptr;     ///< the value if `type` is Structure
  const Memory *memory = nullptr; ///< the allocation that the pointer refers to; null if unknown
};

template <typename T> Argument pointerArgument(T *address) {
  Argument a;
  a.isPointer = true;
  a.isConst = std::is_const_v<T>;
  a.type = typeOf<T>();
  a.bytes = sizeOf<T>();
  a.bits = reinterpret_cast<std::uintptr_t>(address);
  return a;
}

/// `value` must outlive the argument.
template <typename T> Argument argument(const T &value) {
  static_assert(
      std::is_trivially_copyable_v<T> && !std::is_array_v<T>,
      "a launch takes numbers, pointers, buffers, and structures that are trivially copyable");
  if constexpr (std::is_null_pointer_v<T>) {
    return pointerArgument(static_cast<void *>(nullptr));
  } else if constexpr (std::is_pointer_v<T>) {
    return pointerArgument(value);
  } else {
    Argument a;
    a.type = typeOf<T>();
    a.bytes = sizeof(T);
    a.data = &value;
    if constexpr (typeOf<T>() == Type::Float)
      a.number = value;
    else if constexpr (typeOf<T>() != Type::Structure)
      a.bits = static_cast<std::uint64_t>(value);
    return a;
  }
}

inline Argument argument(const Memory &memory) {
  Argument a = pointerArgument(memory.address());
  a.memory = &memory;
  return a;
}

template <typename T> Argument argument(const Buffer<T> &buffer) {
  Argument a = pointerArgument(buffer.data());
  a.memory = &buffer.memory();
  return a;
}

} // namespace detail
HEDDLE_END_NAMESPACE
