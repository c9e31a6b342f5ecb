// Asynchronous copies. The calling threads perform them immediately if the hardware cannot copy in the background.
#pragma once
#include "heddle/background_copies.h"

namespace cuda {

// A byte count that is a multiple of `alignment`. The addresses must also be multiples.
template <size_t alignment> struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  __HEDDLE_FN explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __HEDDLE_FN constexpr operator size_t() const { return value; }
};

} // namespace cuda

// An alignment that divides both the addresses of objects of type T and the size.
template <class _T, class Size> struct __heddle_alignment_of {
  enum { value = alignof(_T) };
};
template <class Size> struct __heddle_alignment_of<void, Size> {
  enum { value = 1 };
};
template <class _T, size_t alignment>
struct __heddle_alignment_of<_T, cuda::aligned_size_t<alignment>> {
  enum { least = __heddle_alignment_of<_T, size_t>::value };
  enum { value = alignment > least ? alignment : least };
};

// Copies every `count`-th piece, starting at piece `rank`.
template <class Piece>
__HEDDLE_FN void __heddle_copy_pieces(char *to, const char *from, size_t bytes, size_t rank,
                                      size_t count) {
  for (size_t i = rank * sizeof(Piece); i + sizeof(Piece) <= bytes; i += count * sizeof(Piece))
    *(Piece *)(to + i) = *(const Piece *)(from + i);
}
template <class _T>
__HEDDLE_FN void __heddle_copy_now(_T *to, const _T *from, size_t bytes, size_t rank,
                                   size_t count) {
  if constexpr (__is_trivially_copyable(_T) && sizeof(_T) <= 16)
    __heddle_copy_pieces<_T>((char *)to, (const char *)from, bytes, rank, count);
  else
    __heddle_copy_pieces<char>((char *)to, (const char *)from, bytes, rank, count);
}
__HEDDLE_FN void __heddle_copy_now(void *to, const void *from, size_t bytes, size_t rank,
                                   size_t count) {
  bool words = ((size_t)to | (size_t)from | bytes) % 4 == 0;
  if (words)
    __heddle_copy_pieces<unsigned>((char *)to, (const char *)from, bytes, rank, count);
  else
    __heddle_copy_pieces<char>((char *)to, (const char *)from, bytes, rank, count);
}

// The part of an asynchronous copy of a thread with this `rank` among `count` threads. Returns true if it runs in the
// background.
template <class _T, class Size>
__HEDDLE_FN bool __heddle_copy(_T *to, const _T *from, const Size &bytes, size_t rank,
                               size_t count) {
  if (__heddle_start_copies<__heddle_alignment_of<_T, Size>::value>(to, from, (size_t)bytes, rank,
                                                                    count))
    return true;
  __heddle_copy_now(to, from, (size_t)bytes, rank, count);
  return false;
}
