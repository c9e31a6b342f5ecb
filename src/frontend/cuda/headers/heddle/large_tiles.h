// Tiles that span several warps of a block. Included by cooperative_groups.h.

// The warps of a tile wait at a named barrier. There are 15 besides the block's barrier, so the last two of 16 tiles
// share one.
__HEDDLE_FN void __wait_for_tile(unsigned tile, unsigned tiles, unsigned threads) {
  bool shared = tiles == 16 && tile >= 14;
  __barrier_sync_count((tile < 14 ? tile : 14) + 1, shared ? 2 * threads : threads);
}

// A tile of `n` consecutive threads of a block. `n` is a power of two and at least 64.
template <unsigned n> class __warps_tile {
public:
  __HEDDLE_GROUP __warps_tile(unsigned metaRank, unsigned metaSize)
      : metaRank_(metaRank), metaSize_(metaSize) {}

  __HEDDLE_GROUP void sync() const {
    __wait_for_tile(thread_block::thread_rank() / n, thread_block::num_threads() / n, n);
  }
  static __HEDDLE_GROUP unsigned thread_rank() { return thread_block::thread_rank() & (n - 1); }
  static __HEDDLE_GROUP constexpr unsigned num_threads() { return n; }
  static __HEDDLE_GROUP constexpr unsigned size() { return n; }
  __HEDDLE_GROUP unsigned meta_group_rank() const { return metaRank_; }
  __HEDDLE_GROUP unsigned meta_group_size() const { return metaSize_; }

  template <class T> __HEDDLE_GROUP T shfl(T v, unsigned rank) const {
    T *place = __words<T>();
    if (thread_rank() == rank % n)
      *place = v;
    sync();
    T result = *place;
    sync();
    return result;
  }
  __HEDDLE_GROUP int any(int p) const {
    return __of_warps(__any_sync(0xffffffffu, p), [](int x, int y) { return x | y; });
  }
  __HEDDLE_GROUP int all(int p) const {
    return __of_warps(__all_sync(0xffffffffu, p), [](int x, int y) { return x & y; });
  }

  // Combines the values of the tile's warps. Each value is the same in all lanes of its warp.
  template <class T, class Operator> __HEDDLE_GROUP T __of_warps(T v, Operator op) const {
    return __before_warp(v, op, n / 32, v);
  }
  // Combines the values of the first `count` warps; `none` if there are none.
  template <class T, class Operator>
  __HEDDLE_GROUP T __before_warp(T v, Operator op, unsigned count, T none) const {
    T *words = __words<T>();
    if (__heddle_laneid() == 0)
      words[__warp()] = v;
    sync();
    T result = count ? words[0] : none;
    for (unsigned warp = 1; warp < count; ++warp)
      result = op(result, words[warp]);
    sync();
    return result;
  }
  static __HEDDLE_GROUP unsigned __warp() { return thread_rank() / 32; }

private:
  // One word for each warp of the tile.
  template <class T> static __HEDDLE_GROUP T *__words() {
    static_assert(__is_trivially_copyable(T), "only a trivially copyable value can be exchanged");
    __shared__ __align__(alignof(T)) char all[32 * sizeof(T)];
    return (T *)all + thread_block::thread_rank() / n * (n / 32);
  }
  unsigned metaRank_, metaSize_;
};
