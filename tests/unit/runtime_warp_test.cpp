// Tests the CPU device's warp bookkeeping without kernels: which lanes wait, and their results.
#include "runtime/cpu/blocks/warp.h"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::cpu {
namespace {

using simt::Op;

constexpr LaneMask all = 0xffffffff;

WarpArrival arrival(Op operation, LaneMask mask, int64_t value = 0, uint32_t lane = 0,
                    uint32_t width = 32) {
  return {operation, 32, mask, lane, width, 0, uint64_t(value)};
}

/// A warp in which lanes 0 to `count` - 1 have arrived, each with its lane number as the value.
Warp arrived(Op operation, LaneMask mask, unsigned count, uint32_t lane = 0, uint32_t width = 32) {
  Warp warp;
  for (unsigned i = 0; i < count; ++i)
    warp.arriveAndCheckMask(i, arrival(operation, mask, i, lane, width), 0);
  return warp;
}

TEST(RuntimeWarp, LanesContinueWhenTheirMaskIsComplete) {
  Warp warp = arrived(Op::WarpBarrier, 0x7, 2);
  warp.arriveAndCheckMask(2, {}, 5);
  EXPECT_EQ(warp.completeOperations(), 0u);
  EXPECT_EQ(warp.lanesThatDidNotArrive(0), 0x4u);
  warp.arriveAndCheckMask(2, arrival(Op::WarpBarrier, 0x7), 1);
  EXPECT_EQ(warp.completeOperations(), 0x7u);
  EXPECT_EQ(warp.atOperation(), 0u);
}

TEST(RuntimeWarp, NobodyWaitsForALaneThatHasReturned) {
  Warp warp = arrived(Op::WarpBallot, all, 2);
  warp.arriveAndCheckMask(2, {}, 5);
  EXPECT_EQ(warp.completeOperations(), 0u);
  warp.leave(2);
  EXPECT_EQ(warp.completeOperations(), 0x3u);
  EXPECT_EQ(warp.result(0), 0x2u);
}

TEST(RuntimeWarp, LanesWithDifferentMasksAreIndependent) {
  Warp warp;
  for (unsigned lane = 0; lane < 4; ++lane)
    warp.arriveAndCheckMask(lane, arrival(Op::WarpAdd, lane % 2 ? 0xa : 0x5, 10 + lane), 0);
  EXPECT_EQ(warp.completeOperations(), 0xfu);
  EXPECT_EQ(warp.result(0), 22u);
  EXPECT_EQ(warp.result(3), 24u);
}

TEST(RuntimeWarp, ACompleteSetContinuesWhileAnotherWaits) {
  Warp warp;
  warp.arriveAndCheckMask(0, arrival(Op::WarpAny, 0x3), 0);
  warp.arriveAndCheckMask(1, arrival(Op::WarpAll, 0x2, 1), 0);
  EXPECT_EQ(warp.completeOperations(), 0x2u);
  EXPECT_EQ(warp.atOperation(), 0x1u);
  EXPECT_EQ(warp.result(1), 1u);
}

TEST(RuntimeWarp, ALaneOutsideItsMaskIsReported) {
  Warp warp;
  EXPECT_FALSE(warp.arriveAndCheckMask(3, arrival(Op::WarpBallot, 0x7), 0));
  EXPECT_TRUE(warp.arriveAndCheckMask(2, arrival(Op::WarpBallot, 0x7), 0));
  EXPECT_TRUE(warp.arriveAndCheckMask(3, {}, 0));
}

TEST(RuntimeWarp, OperationsOfDifferentSizesAreIndependent) {
  Warp warp = arrived(Op::ShuffleUp, 0x3, 1);
  WarpArrival wide = arrival(Op::ShuffleUp, 0x3);
  wide.bits = 64;
  warp.arriveAndCheckMask(1, wide, 0);
  EXPECT_EQ(warp.completeOperations(), 0u);
}

TEST(RuntimeWarp, ActiveMaskContinuesFirstIfNoOtherLaneCan) {
  Warp warp;
  warp.arriveAndCheckMask(0, arrival(Op::WarpActive, 0), 9);
  warp.arriveAndCheckMask(1, arrival(Op::WarpActive, 0), 4);
  warp.arriveAndCheckMask(2, arrival(Op::WarpActive, 0), 4);
  warp.arriveAndCheckMask(3, arrival(Op::WarpBarrier, 0x8), 7);
  EXPECT_EQ(warp.completeOperations(), 0x8u);
  warp.leave(3);
  EXPECT_EQ(warp.completeOperations(), 0x6u);
  EXPECT_EQ(warp.result(2), 0x6u);
  EXPECT_EQ(warp.atOperation(), 0x1u);
}

/// The source lanes of lanes 0, 5, 9 and 31.
std::vector<uint64_t> sources(Op operation, uint32_t lane, uint32_t width) {
  Warp warp = arrived(operation, all, 32, lane, width);
  EXPECT_EQ(warp.completeOperations(), all);
  return {warp.result(0), warp.result(5), warp.result(9), warp.result(31)};
}

TEST(RuntimeWarp, AShuffleStaysInItsSegment) {
  using Lanes = std::vector<uint64_t>;
  EXPECT_EQ(sources(Op::ShuffleIndex, 13, 32), (Lanes{13, 13, 13, 13}));
  EXPECT_EQ(sources(Op::ShuffleIndex, 13, 8), (Lanes{5, 5, 13, 29}));
  EXPECT_EQ(sources(Op::ShuffleUp, 3, 32), (Lanes{0, 2, 6, 28}));
  EXPECT_EQ(sources(Op::ShuffleUp, 3, 8), (Lanes{0, 2, 9, 28}));
  EXPECT_EQ(sources(Op::ShuffleDown, 3, 8), (Lanes{3, 5, 12, 31}));
  EXPECT_EQ(sources(Op::ShuffleXor, 8, 32), (Lanes{8, 13, 1, 23}));
  EXPECT_EQ(sources(Op::ShuffleXor, 8, 8), (Lanes{0, 5, 1, 23}));
  EXPECT_EQ(sources(Op::ShuffleUp, 35, 32), (Lanes{0, 2, 6, 28}));
}

TEST(RuntimeWarp, AShuffleFromAnInactiveLaneGivesZero) {
  Warp warp = arrived(Op::ShuffleDown, all, 3, 1);
  EXPECT_EQ(warp.completeOperations(), 0x7u);
  EXPECT_EQ(warp.result(1), 2u);
  EXPECT_EQ(warp.result(2), 0u);
}

TEST(RuntimeWarp, MatchesFindEqualValues) {
  Warp warp;
  for (unsigned lane = 0; lane < 6; ++lane)
    warp.arriveAndCheckMask(lane, arrival(Op::WarpMatchAny, 0x3f, lane % 3), 0);
  EXPECT_EQ(warp.completeOperations(), 0x3fu);
  EXPECT_EQ(warp.result(4), 0x12u);
  Warp same = arrived(Op::WarpMatchAll, all, 1);
  same.completeOperations();
  EXPECT_EQ(same.result(0), 0x1u);
  Warp different = arrived(Op::WarpMatchAll, all, 2);
  different.completeOperations();
  EXPECT_EQ(different.result(0), 0u);
}

uint64_t reduced(Op operation) {
  Warp warp;
  int64_t values[] = {3, -1, 6};
  for (unsigned lane = 0; lane < 3; ++lane)
    warp.arriveAndCheckMask(lane, arrival(operation, all, values[lane]), 0);
  warp.completeOperations();
  return warp.result(2);
}

TEST(RuntimeWarp, ReductionsCombineTheValues) {
  EXPECT_EQ(reduced(Op::WarpAdd), 8u);
  EXPECT_EQ(int64_t(reduced(Op::WarpMin)), -1);
  EXPECT_EQ(reduced(Op::WarpMax), 6u);
  EXPECT_EQ(reduced(Op::WarpUMin), 3u);
  EXPECT_EQ(int64_t(reduced(Op::WarpUMax)), -1);
  EXPECT_EQ(reduced(Op::WarpAnd), 2u);
  EXPECT_EQ(int64_t(reduced(Op::WarpOr)), -1);
  EXPECT_EQ(int64_t(reduced(Op::WarpXor)), 3 ^ -1 ^ 6);
}

TEST(RuntimeWarp, VotesIncludeOnlyParticipatingLanes) {
  auto vote = [](Op operation, uint32_t yes) {
    Warp warp;
    for (unsigned lane : {1, 2, 7})
      warp.arriveAndCheckMask(lane, arrival(operation, 0x86, yes >> lane & 1), 0);
    warp.completeOperations();
    return warp.result(7);
  };
  EXPECT_EQ(vote(Op::WarpBallot, 0xfd), 0x84u);
  EXPECT_EQ(vote(Op::WarpAll, 0x86), 1u);
  EXPECT_EQ(vote(Op::WarpAll, 0x82), 0u);
  EXPECT_EQ(vote(Op::WarpAny, 0x02), 1u);
  EXPECT_EQ(vote(Op::WarpEqual, 0x00), 1u);
  EXPECT_EQ(vote(Op::WarpEqual, 0x04), 0u);
}

} // namespace
} // namespace heddle::cpu
