// Tests barriers and warp operations in the SIMT IR interpreter against values derived by hand from CUDA's rules.
#include "simt_interpreter_fixture.h"

#include <gtest/gtest.h>

namespace heddle::interpreter {
namespace {

// Barriers

/// Thread 3 returns before a barrier whose predicate is true for odd threads.
std::string withReturned(const std::string &call) {
  return R"(
      %odd = trunc i32 %i to i1
      %last = icmp eq i32 %i, 3
      br i1 %last, label %end, label %wait
    wait:
      %r = call i32 )" +
         call + R"(
      store i32 %r, ptr addrspace(1) %p
      br label %end
    end:
      ret void)";
}

TEST_F(SimtInterpreter, BarriersCountThreadsThatHaveNotReturned) {
  EXPECT_EQ(run(withReturned("@simt.barrier.count(i32 0, i1 %odd)")), (Values{1, 1, 1, -1}));
  buffers.clear();
  EXPECT_EQ(run(withReturned("@simt.barrier.and(i32 0, i1 %odd)")), (Values{0, 0, 0, -1}));
  buffers.clear();
  EXPECT_EQ(run(withReturned("@simt.barrier.and(i32 0, i1 true)")), (Values{1, 1, 1, -1}));
  buffers.clear();
  EXPECT_EQ(run(withReturned("@simt.barrier.or(i32 0, i1 %odd)")), (Values{1, 1, 1, -1}));
}

/// Threads below `bound` wait at one barrier, the others at another one.
std::string atTwoBarriers(int bound, const std::string &first, const std::string &second) {
  return "%below = icmp slt i32 %i, " + std::to_string(bound) + R"(
      br i1 %below, label %a, label %b
    a:
      )" +
         first + "\n br label %end\n b:\n " + second + R"(
      br label %end
    end:
      store i32 1, ptr addrspace(1) %p
      ret void)";
}

TEST_F(SimtInterpreter, WholeWarpsMeetAtDifferentBarriers) {
  launch.block = {64, 1, 1};
  EXPECT_EQ(
      run(atTwoBarriers(32, "call void @simt.barrier(i32 0)", "call void @simt.barrier(i32 1)")),
      Values(64, 1));
}

TEST_F(SimtInterpreter, WarpsMeetAtNamedBarriers) {
  launch.block = {64, 1, 1};
  EXPECT_EQ(run(atTwoBarriers(32, "call void @simt.named.barrier.arrive(i32 0, i32 3, i32 64)",
                              "call void @simt.named.barrier(i32 1, i32 3, i32 64)")),
            Values(64, 1));
  buffers.clear();
  EXPECT_EQ(run(atTwoBarriers(32, "call void @simt.named.barrier(i32 0, i32 1, i32 32)",
                              "call void @simt.named.barrier(i32 1, i32 2, i32 32)")),
            Values(64, 1));
}

TEST_F(SimtInterpreter, ANamedBarrierIsForAsManyThreadsAsItSays) {
  launch.block = {64, 1, 1};
  EXPECT_EQ(failureOf(atTwoBarriers(32, "call void @simt.named.barrier(i32 0, i32 1, i32 64)",
                                    "call void @simt.named.barrier(i32 1, i32 2, i32 64)")),
            FailureKind::Deadlock);
  EXPECT_EQ(failureOf(atTwoBarriers(32, "call void @simt.named.barrier(i32 0, i32 1, i32 64)",
                                    "call void @simt.named.barrier(i32 1, i32 1, i32 96)")),
            FailureKind::Divergence);
  EXPECT_EQ(failureOf(atTwoBarriers(32, "call void @simt.named.barrier(i32 0, i32 16, i32 64)",
                                    "call void @simt.named.barrier(i32 1, i32 16, i32 64)")),
            FailureKind::Undefined);
}

TEST_F(SimtInterpreter, ABlockBarrierIsNamedBarrier0) {
  launch.block = {64, 1, 1};
  EXPECT_EQ(run(atTwoBarriers(32, "call void @simt.named.barrier.arrive(i32 0, i32 0, i32 64)",
                              "call void @simt.barrier(i32 1)")),
            Values(64, 1));
}

TEST_F(SimtInterpreter, LanesOfAWarpDoNotMeetAtDifferentBarriers) {
  launch.block = {64, 1, 1};
  EXPECT_EQ(failureOf(atTwoBarriers(31, "call void @simt.barrier(i32 0)",
                                    "call void @simt.barrier(i32 1)")),
            FailureKind::Divergence);
}

TEST_F(SimtInterpreter, BarriersOfDifferentKindsDoNotMeet) {
  launch.block = {64, 1, 1};
  EXPECT_EQ(failureOf(atTwoBarriers(32, "call void @simt.barrier(i32 0)",
                                    "%c = call i32 @simt.barrier.count(i32 1, i1 true)")),
            FailureKind::Divergence);
}

TEST_F(SimtInterpreter, AThreadThatNeverArrivesIsADeadlock) {
  EXPECT_EQ(failureOf(atTwoBarriers(2, "call void @simt.barrier(i32 0)",
                                    "call void @simt.warp.barrier(i32 1, i32 -1)")),
            FailureKind::Deadlock);
}

TEST_F(SimtInterpreter, TheGridsBarrierWaitsForAllBlocks) {
  launch.grid = {4, 1, 1};
  launch.block = {1, 1, 1};
  buffers = {Buffer(4)};
  EXPECT_EQ(run(R"(
      %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %out, i32 1, i32 1)
      call void @simt.grid.barrier(i32 0)
      %n = load i32, ptr addrspace(1) %out
      %all = icmp eq i32 %n, 4
      br i1 %all, label %end, label %wrong
    wrong:
      call void @simt.trap(i32 2)
      unreachable
    end:
      ret void)",
                "declare i32 @simt.atomic.add.i32.p1(ptr addrspace(1), i32, i32)\n"),
            Values{4});
}

TEST_F(SimtInterpreter, AThreadMaySpinOnAnother) {
  buffers = {Buffer(16)};
  EXPECT_EQ(run(R"(
      %first = icmp eq i32 %i, 0
      br i1 %first, label %set, label %wait
    wait:
      call void @simt.yield()
      %flag = load volatile i32, ptr addrspace(1) %out
      %ready = icmp eq i32 %flag, 1
      br i1 %ready, label %done, label %wait
    set:
      store i32 1, ptr addrspace(1) %out
      ret void
    done:
      store i32 %flag, ptr addrspace(1) %p
      ret void)"),
            Values(4, 1));
}

TEST_F(SimtInterpreter, AnEndlessLoopIsStopped) {
  launch.maxSteps = 10'000;
  EXPECT_EQ(failureOf("br label %loop\n loop:\n br label %loop\n"), FailureKind::Endless);
}

// Warp operations of lanes 0 to 3

TEST_F(SimtInterpreter, VotesIncludeExistingLanes) {
  EXPECT_EQ(warp("@simt.warp.ballot(i32 0, i32 -1, i1 %odd)"), Values(4, 0b1010));
  buffers.clear();
  EXPECT_EQ(vote("@simt.warp.all(i32 0, i32 -1, i1 %odd)"), Values(4, 0));
  EXPECT_EQ(vote("@simt.warp.all(i32 0, i32 -1, i1 true)"), Values(4, 1));
  EXPECT_EQ(vote("@simt.warp.any(i32 0, i32 -1, i1 %odd)"), Values(4, 1));
  EXPECT_EQ(vote("@simt.warp.any(i32 0, i32 -1, i1 false)"), Values(4, 0));
  EXPECT_EQ(vote("@simt.warp.equal(i32 0, i32 -1, i1 %odd)"), Values(4, 0));
  EXPECT_EQ(vote("@simt.warp.equal(i32 0, i32 -1, i1 false)"), Values(4, 1));
}

TEST_F(SimtInterpreter, MatchesFindEqualValues) {
  const std::string declaration =
      "declare i32 @simt.warp.match.any.i32(i32, i32, i32) convergent\n"
      "declare i32 @simt.warp.match.all.i32(i32, i32, i32) convergent\n";
  auto match = [&](const std::string &kind, const std::string &value) {
    return warp("@simt.warp.match." + kind + ".i32(i32 0, i32 -1, i32 " + value + ")", declaration);
  };
  EXPECT_EQ(match("any", "%i"), (Values{1, 2, 4, 8}));
  EXPECT_EQ(match("any", "7"), Values(4, 0xf));
  EXPECT_EQ(match("all", "7"), Values(4, 0xf));
  EXPECT_EQ(match("all", "%i"), Values(4, 0));
}

TEST_F(SimtInterpreter, ReductionsCombineTheLanes) {
  auto reduce = [&](const std::string &kind, const std::string &value) {
    std::string name = "@simt.warp.reduce." + kind + ".i32";
    return warp(name + "(i32 0, i32 -1, i32 " + value + ")",
                "declare i32 " + name + "(i32, i32, i32) convergent\n")[2];
  };
  EXPECT_EQ(reduce("add", "%square"), 14);
  EXPECT_EQ(reduce("min", "%square"), 0);
  EXPECT_EQ(reduce("max", "%square"), 9);
  EXPECT_EQ(reduce("umax", "-3"), -3);
  EXPECT_EQ(reduce("umin", "%square"), 0);
  EXPECT_EQ(reduce("and", "%i"), 0);
  EXPECT_EQ(reduce("or", "%i"), 3);
  EXPECT_EQ(reduce("xor", "%square"), 0 ^ 1 ^ 4 ^ 9);
}

TEST_F(SimtInterpreter, ShufflesReadOtherLanes) {
  EXPECT_EQ(shuffle("index", 2, 32), (Values{2, 2, 2, 2}));
  EXPECT_EQ(shuffle("up", 1, 32), (Values{0, 0, 1, 2}));
  EXPECT_EQ(shuffle("xor", 1, 32), (Values{1, 0, 3, 2}));
  EXPECT_EQ(outcome.undefinedReads, 0u);
  EXPECT_EQ(shuffle("down", 1, 32), (Values{1, 2, 3, 0}));
  EXPECT_EQ(outcome.undefinedReads, 1u);
}

TEST_F(SimtInterpreter, ShufflesStayInSegmentsOfTheirWidth) {
  EXPECT_EQ(shuffle("index", 1, 2), (Values{1, 1, 3, 3}));
  EXPECT_EQ(shuffle("index", 2, 2), (Values{0, 0, 2, 2}));
  EXPECT_EQ(shuffle("up", 1, 2), (Values{0, 0, 2, 2}));
  EXPECT_EQ(shuffle("down", 1, 2), (Values{1, 1, 3, 3}));
  EXPECT_EQ(shuffle("xor", 2, 2), (Values{0, 1, 0, 1}));
}

TEST_F(SimtInterpreter, LanesOfDifferentMasksAreIndependent) {
  EXPECT_EQ(run(R"(
      %odd = trunc i32 %i to i1
      %mask = select i1 %odd, i32 10, i32 5
      %r = call i32 @simt.warp.ballot(i32 0, i32 %mask, i1 true)
      store i32 %r, ptr addrspace(1) %p
      ret void)"),
            (Values{5, 10, 5, 10}));
}

TEST_F(SimtInterpreter, LanesMayCallOneOperationAtDifferentSites) {
  EXPECT_EQ(run(atTwoBarriers(2, "%x = call i32 @simt.warp.ballot(i32 0, i32 -1, i1 true)",
                              "%y = call i32 @simt.warp.ballot(i32 1, i32 -1, i1 true)")),
            Values(4, 1));
}

TEST_F(SimtInterpreter, NobodyWaitsForALaneThatReturned) {
  EXPECT_EQ(run(withReturned("@simt.warp.ballot(i32 0, i32 -1, i1 true)")), (Values{7, 7, 7, -1}));
}

TEST_F(SimtInterpreter, ALaneOutsideItsMaskIsAnError) {
  EXPECT_EQ(failureOf("call void @simt.warp.barrier(i32 0, i32 7)\n ret void"), FailureKind::Mask);
  EXPECT_EQ(outcome.error->thread, (Extents{3, 0, 0}));
}

TEST_F(SimtInterpreter, LanesAtDifferentOperationsAreInADeadlock) {
  EXPECT_EQ(failureOf(atTwoBarriers(2, "%x = call i32 @simt.warp.ballot(i32 0, i32 -1, i1 true)",
                                    "call void @simt.warp.barrier(i32 1, i32 -1)")),
            FailureKind::Deadlock);
}

TEST_F(SimtInterpreter, TheActiveLanesAreThoseOfABranch) {
  EXPECT_EQ(run(R"(
      %odd = trunc i32 %i to i1
      br i1 %odd, label %a, label %b
    a:
      %x = call i32 @simt.warp.active(i32 0)
      br label %end
    b:
      %y = call i32 @simt.warp.active(i32 1)
      br label %end
    end:
      %r = phi i32 [ %x, %a ], [ %y, %b ]
      store i32 %r, ptr addrspace(1) %p
      ret void)"),
            (Values{5, 10, 5, 10}));
}

} // namespace
} // namespace heddle::interpreter
