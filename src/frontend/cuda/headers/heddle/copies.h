// Asynchronous copies. The calling threads perform them immediately, so it suffices to wait for these threads.
#pragma once

namespace cuda {

// A byte count that is a multiple of `alignment`. The addresses must also be multiples.
template <size_t alignment> struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  __HEDDLE_FN explicit constexpr aligned_size_t(size_t bytes) : value(bytes) {}
  __HEDDLE_FN constexpr operator size_t() const { return value; }
};

} // namespace cuda

// Copies every `count`-th piece, starting at piece `rank`.
template <class Piece>
__HEDDLE_FN void __heddle_copy_pieces(char *to, const char *from, size_t bytes, size_t rank,
                                      size_t count) {
  for (size_t i = rank * sizeof(Piece); i + sizeof(Piece) <= bytes; i += count * sizeof(Piece))
    *(Piece *)(to + i) = *(const Piece *)(from + i);
}
template <class _T>
__HEDDLE_FN void __heddle_copy(_T *to, const _T *from, size_t bytes, size_t rank, size_t count) {
  if constexpr (__is_trivially_copyable(_T) && sizeof(_T) <= 16)
    __heddle_copy_pieces<_T>((char *)to, (const char *)from, bytes, rank, count);
  else
    __heddle_copy_pieces<char>((char *)to, (const char *)from, bytes, rank, count);
}
__HEDDLE_FN void __heddle_copy(void *to, const void *from, size_t bytes, size_t rank,
                               size_t count) {
  bool words = ((size_t)to | (size_t)from | bytes) % 4 == 0;
  if (words)
    __heddle_copy_pieces<unsigned>((char *)to, (const char *)from, bytes, rank, count);
  else
    __heddle_copy_pieces<char>((char *)to, (const char *)from, bytes, rank, count);
}
