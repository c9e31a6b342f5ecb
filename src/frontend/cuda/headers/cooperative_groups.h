// Cooperative groups: the block, the grid, and parts of a warp.
#ifndef __HEDDLE_COOPERATIVE_GROUPS_H
#define __HEDDLE_COOPERATIVE_GROUPS_H

namespace cooperative_groups {

#define __HEDDLE_GROUP __device__ __forceinline__

// All threads of a block.
class thread_block {
public:
  struct arrival_token {};

  static __HEDDLE_GROUP void sync() { __heddle_barrier(0); }
  // As in CUDA, a thread arrives when it waits.
  static __HEDDLE_GROUP arrival_token barrier_arrive() { return {}; }
  static __HEDDLE_GROUP void barrier_wait(arrival_token &&) { sync(); }
  static __HEDDLE_GROUP unsigned thread_rank() {
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  }
  static __HEDDLE_GROUP unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static __HEDDLE_GROUP unsigned size() { return num_threads(); }
  static __HEDDLE_GROUP dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __HEDDLE_GROUP dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static __HEDDLE_GROUP dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  static __HEDDLE_GROUP dim3 group_dim() { return dim_threads(); }
};
__HEDDLE_FN thread_block this_thread_block() { return {}; }

// Scratch memory for tiles of more than 32 threads. Unused, because Heddle's tiles allocate their memory.
template <unsigned most = 1024> struct block_tile_memory {
  char unused;
};
template <unsigned most> __HEDDLE_FN thread_block this_thread_block(block_tile_memory<most> &) {
  return {};
}

// All threads of a launch.
class grid_group {
public:
  struct arrival_token {};

  static __HEDDLE_GROUP bool is_valid() { return true; }
  static __HEDDLE_GROUP void sync() { __heddle_grid_barrier(0); }
  // A thread arrives when it waits.
  static __HEDDLE_GROUP arrival_token barrier_arrive() { return {}; }
  static __HEDDLE_GROUP void barrier_wait(arrival_token &&) { sync(); }
  static __HEDDLE_GROUP unsigned long long block_rank() {
    return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  static __HEDDLE_GROUP unsigned long long num_blocks() {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
  }
  static __HEDDLE_GROUP unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static __HEDDLE_GROUP unsigned long long num_threads() {
    return num_blocks() * thread_block::num_threads();
  }
  static __HEDDLE_GROUP unsigned long long size() { return num_threads(); }
  static __HEDDLE_GROUP dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __HEDDLE_GROUP dim3 dim_blocks() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static __HEDDLE_GROUP dim3 group_dim() { return dim_blocks(); }
};
__HEDDLE_FN grid_group this_grid() { return {}; }

// Shuffles a value of any size word by word.
template <class T, class Shuffle> __HEDDLE_FN T __shuffled(const T &v, Shuffle shuffle) {
  static_assert(__is_trivially_copyable(T), "only a trivially copyable value can be shuffled");
  unsigned words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &v, sizeof(T));
  for (unsigned &word : words)
    word = shuffle(word);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

// The lane whose bit in `mask` has `rank` set bits below it.
__HEDDLE_FN unsigned __lane_of_rank(unsigned mask, unsigned rank) {
  for (; rank; --rank)
    mask &= mask - 1;
  return mask ? (unsigned)__builtin_ctz(mask) : 0;
}
// The bits of `votes` at the set bits of `mask`, moved together to the low bits (a bit gather).
__HEDDLE_FN unsigned __votes_by_rank(unsigned votes, unsigned mask) {
  unsigned result = 0;
  for (unsigned place = 1; mask; mask &= mask - 1, place *= 2)
    result |= votes & mask & (0 - mask) ? place : 0;
  return result;
}

// Any set of lanes of a warp, ranked by lane number.
class coalesced_group {
public:
  __HEDDLE_GROUP explicit coalesced_group(unsigned mask, unsigned metaRank = 0,
                                          unsigned metaSize = 1)
      : mask_(mask), metaRank_(metaRank), metaSize_(metaSize) {}

  __HEDDLE_GROUP void sync() const { __syncwarp(mask_); }
  __HEDDLE_GROUP unsigned thread_rank() const {
    return (unsigned)__builtin_popcount(mask_ & __lanemask_lt());
  }
  __HEDDLE_GROUP unsigned num_threads() const { return (unsigned)__builtin_popcount(mask_); }
  __HEDDLE_GROUP unsigned size() const { return num_threads(); }
  __HEDDLE_GROUP unsigned meta_group_rank() const { return metaRank_; }
  __HEDDLE_GROUP unsigned meta_group_size() const { return metaSize_; }

  template <class T> __HEDDLE_GROUP T shfl(T v, unsigned rank) const {
    unsigned mask = mask_, lane = __lane_of_rank(mask, rank % num_threads());
    return __shuffled(v, [=](unsigned word) { return __shfl_sync(mask, word, (int)lane); });
  }
  template <class T> __HEDDLE_GROUP T shfl_up(T v, unsigned delta) const {
    unsigned rank = thread_rank();
    return shfl(v, delta <= rank ? rank - delta : rank);
  }
  template <class T> __HEDDLE_GROUP T shfl_down(T v, unsigned delta) const {
    unsigned rank = thread_rank(), other = rank + delta;
    return shfl(v, other < num_threads() ? other : rank);
  }
  __HEDDLE_GROUP int any(int p) const { return __any_sync(mask_, p); }
  __HEDDLE_GROUP int all(int p) const { return __all_sync(mask_, p); }
  __HEDDLE_GROUP unsigned ballot(int p) const {
    return __votes_by_rank(__ballot_sync(mask_, p), mask_);
  }
  template <class T> __HEDDLE_GROUP unsigned match_any(T v) const {
    return __votes_by_rank(__match_any_sync(mask_, v), mask_);
  }
  template <class T> __HEDDLE_GROUP unsigned match_all(T v, int &same) const {
    return __votes_by_rank(__match_all_sync(mask_, v, &same), mask_);
  }
  __HEDDLE_GROUP unsigned __mask() const { return mask_; }

private:
  unsigned mask_, metaRank_, metaSize_;
};
__HEDDLE_FN coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A tile of `n` consecutive lanes of a warp. `n` is a power of two.
template <unsigned n> class __lanes_tile {
public:
  __HEDDLE_GROUP __lanes_tile(unsigned metaRank, unsigned metaSize)
      : metaRank_(metaRank), metaSize_(metaSize) {}

  __HEDDLE_GROUP void sync() const { __syncwarp(__mask()); }
  static __HEDDLE_GROUP unsigned thread_rank() { return __heddle_laneid() & (n - 1); }
  static __HEDDLE_GROUP constexpr unsigned num_threads() { return n; }
  static __HEDDLE_GROUP constexpr unsigned size() { return n; }
  __HEDDLE_GROUP unsigned meta_group_rank() const { return metaRank_; }
  __HEDDLE_GROUP unsigned meta_group_size() const { return metaSize_; }

  template <class T> __HEDDLE_GROUP T shfl(T v, int rank) const {
    return __shuffled(v, [=](unsigned word) { return __shfl_sync(__mask(), word, rank, n); });
  }
  template <class T> __HEDDLE_GROUP T shfl_up(T v, unsigned delta) const {
    return __shuffled(v, [=](unsigned word) { return __shfl_up_sync(__mask(), word, delta, n); });
  }
  template <class T> __HEDDLE_GROUP T shfl_down(T v, unsigned delta) const {
    return __shuffled(v, [=](unsigned word) { return __shfl_down_sync(__mask(), word, delta, n); });
  }
  template <class T> __HEDDLE_GROUP T shfl_xor(T v, unsigned lanes) const {
    return __shuffled(
        v, [=](unsigned word) { return __shfl_xor_sync(__mask(), word, (int)lanes, n); });
  }
  __HEDDLE_GROUP int any(int p) const { return __any_sync(__mask(), p); }
  __HEDDLE_GROUP int all(int p) const { return __all_sync(__mask(), p); }
  __HEDDLE_GROUP unsigned ballot(int p) const { return __ballot_sync(__mask(), p) >> __first(); }
  template <class T> __HEDDLE_GROUP unsigned match_any(T v) const {
    return __match_any_sync(__mask(), v) >> __first();
  }
  template <class T> __HEDDLE_GROUP unsigned match_all(T v, int &same) const {
    return __match_all_sync(__mask(), v, &same) >> __first();
  }
  static __HEDDLE_GROUP unsigned __mask() { return (0xffffffffu >> (32 - n)) << __first(); }

private:
  static __HEDDLE_GROUP unsigned __first() { return __heddle_laneid() & ~(n - 1); }
  unsigned metaRank_, metaSize_;
};

#include "heddle/large_tiles.h"

template <unsigned n, bool larger> struct __tile_of {
  typedef __lanes_tile<n> type;
};
template <unsigned n> struct __tile_of<n, true> {
  typedef __warps_tile<n> type;
};

// A tile of `n` consecutive threads of a block.
template <unsigned n, class Parent = void> class thread_block_tile;
template <unsigned n> class thread_block_tile<n, void> : public __tile_of<n, (n > 32)>::type {
  static_assert(n >= 1 && n <= 512 && (n & (n - 1)) == 0,
                "a tile has 1, 2, 4, 8, 16, 32, 64, 128, 256 or 512 threads");

public:
  __HEDDLE_GROUP thread_block_tile(unsigned metaRank, unsigned metaSize)
      : __tile_of<n, (n > 32)>::type(metaRank, metaSize) {}
};

// A tile whose type names its parent group.
template <unsigned n, class Parent> class thread_block_tile : public thread_block_tile<n, void> {
public:
  using thread_block_tile<n, void>::thread_block_tile;
};

template <unsigned n, class Parent>
__HEDDLE_FN thread_block_tile<n, Parent> tiled_partition(const Parent &parent) {
  return thread_block_tile<n, Parent>(parent.thread_rank() / n, (parent.size() + n - 1) / n);
}
// Tiles of a size known at run time: consecutive ranks of the group.
__HEDDLE_FN coalesced_group tiled_partition(const coalesced_group &parent, unsigned n) {
  unsigned tile = parent.thread_rank() / n, mask = 0;
  for (unsigned rest = parent.__mask(), rank = 0; rest; rest &= rest - 1, ++rank)
    mask |= rank / n == tile ? rest & (0 - rest) : 0;
  return coalesced_group(mask, tile, (parent.size() + n - 1) / n);
}
__HEDDLE_FN coalesced_group tiled_partition(const thread_block &parent, unsigned n) {
  unsigned lane = __heddle_laneid(), mask = (n >= 32 ? 0xffffffffu : (1u << n) - 1)
                                            << (n >= 32 ? 0 : lane / n * n);
  unsigned lanes = parent.size() - (parent.thread_rank() - lane);
  return coalesced_group(lanes >= 32 ? mask : mask & ((1u << lanes) - 1), parent.thread_rank() / n,
                         (parent.size() + n - 1) / n);
}

// Groups of the members with the same predicate, or with the same label.
template <class Group> __HEDDLE_FN coalesced_group binary_partition(const Group &g, bool p) {
  unsigned mask = g.__mask(), yes = __ballot_sync(mask, p);
  return coalesced_group(p ? yes : mask & ~yes, p, 2);
}
template <class Group, class Label>
__HEDDLE_FN coalesced_group labeled_partition(const Group &g, Label label) {
  unsigned mask = g.__mask(), mine = __match_any_sync(mask, label);
  // Each group's first member stands for it when the groups are counted.
  unsigned first = mine & (0 - mine);
  unsigned leaders = __ballot_sync(mask, first == 1u << __heddle_laneid());
  return coalesced_group(mine, (unsigned)__builtin_popcount(leaders & (first - 1)),
                         (unsigned)__builtin_popcount(leaders));
}

// A block, or any group inside a warp.
class thread_group {
public:
  __HEDDLE_GROUP thread_group(thread_block) : isBlock_(true), mask_(0) {}
  __HEDDLE_GROUP thread_group(const coalesced_group &g) : isBlock_(false), mask_(g.__mask()) {}
  template <unsigned n>
  __HEDDLE_GROUP thread_group(const thread_block_tile<n> &g) : isBlock_(false), mask_(g.__mask()) {
    static_assert(n <= 32, "a thread_group is a block or a part of a warp");
  }

  __HEDDLE_GROUP void sync() const {
    if (isBlock_)
      thread_block::sync();
    else
      __syncwarp(mask_);
  }
  __HEDDLE_GROUP unsigned thread_rank() const {
    return isBlock_ ? thread_block::thread_rank() : coalesced_group(mask_).thread_rank();
  }
  __HEDDLE_GROUP unsigned num_threads() const {
    return isBlock_ ? thread_block::num_threads() : coalesced_group(mask_).num_threads();
  }
  __HEDDLE_GROUP unsigned size() const { return num_threads(); }

private:
  friend __device__ coalesced_group tiled_partition(const thread_group &parent, unsigned n);

  bool isBlock_;
  unsigned mask_;
};
__HEDDLE_FN coalesced_group tiled_partition(const thread_group &parent, unsigned n) {
  return parent.isBlock_ ? tiled_partition(thread_block(), n)
                         : tiled_partition(coalesced_group(parent.mask_), n);
}

template <class Group> __HEDDLE_FN void sync(const Group &g) { g.sync(); }
template <class Group> __HEDDLE_FN auto thread_rank(const Group &g) -> decltype(g.thread_rank()) {
  return g.thread_rank();
}
template <class Group> __HEDDLE_FN auto group_size(const Group &g) -> decltype(g.size()) {
  return g.size();
}
template <class Group, class F, class... Arguments>
__HEDDLE_FN void invoke_one(const Group &g, F &&f, Arguments &&...arguments) {
  if (g.thread_rank() == 0)
    f(static_cast<Arguments &&>(arguments)...);
}
// Like invoke_one, but every member gets the result.
template <class Group, class F, class... Arguments>
__HEDDLE_FN auto invoke_one_broadcast(const Group &g, F &&f, Arguments &&...arguments)
    -> decltype(f(static_cast<Arguments &&>(arguments)...)) {
  typedef decltype(f(static_cast<Arguments &&>(arguments)...)) Result;
  Result result{};
  if (g.thread_rank() == 0)
    result = f(static_cast<Arguments &&>(arguments)...);
  return g.shfl(result, 0);
}

#undef __HEDDLE_GROUP

} // namespace cooperative_groups

#endif
