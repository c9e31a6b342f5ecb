// The order of operations in streams, and the memory that they access, for checks of races between streams.
#include "runtime/cpu/check/streams/operation_accesses.h"
#include "runtime/cpu/check/streams/stream_order.h"

#include <gtest/gtest.h>

namespace heddle::cpu {
namespace {

class StreamOrderTest : public testing::Test {
protected:
  std::shared_ptr<const StreamOperation> append(OrderedStream &stream) {
    return order.appendOperation(stream, {});
  }
  void expectOrder(const StreamOperation &first, const StreamOperation &second, bool isOrdered) {
    EXPECT_EQ(first.isOrderedWith(second), isOrdered);
    EXPECT_EQ(second.isOrderedWith(first), isOrdered);
  }

  StreamOrder order;
  std::shared_ptr<OrderedStream> main = order.addStream(/*isBlocking=*/true),
                                 a = order.addStream(true), b = order.addStream(true),
                                 free = order.addStream(/*isBlocking=*/false);
};

TEST_F(StreamOrderTest, OperationsOfAStreamAreInOrder) {
  auto first = append(*a), second = append(*a);
  expectOrder(*first, *second, true);
}

TEST_F(StreamOrderTest, OperationsOfTwoStreamsAreUnordered) {
  auto first = append(*a), second = append(*b);
  expectOrder(*first, *second, false);
}

TEST_F(StreamOrderTest, TheDefaultStreamOrdersBlockingStreams) {
  auto first = append(*a), loose = append(*free), between = append(*main), last = append(*b),
       other = append(*free);
  expectOrder(*first, *last, true);
  expectOrder(*loose, *between, false);
  expectOrder(*between, *other, false);
}

TEST_F(StreamOrderTest, AnEventOrdersTheWorkBeforeIt) {
  StreamClock event;
  auto before = append(*a);
  order.recordEvent(*a, event);
  auto after = append(*a);
  order.recordWait(*free, event);
  auto last = append(*free);
  expectOrder(*before, *last, true);
  expectOrder(*after, *last, false);
}

TEST_F(StreamOrderTest, TheHostOrdersTheWorkForWhichItWaited) {
  auto first = append(*a), other = append(*b);
  order.recordHostWaited(order.clockOfEnqueuedWork(*a));
  auto last = append(*free);
  expectOrder(*first, *last, true);
  expectOrder(*other, *last, false);
  order.recordHostWaited(order.clockOfAllEnqueuedWork());
  expectOrder(*other, *append(*free), true);
}

TEST_F(StreamOrderTest, TheDefaultStreamWaitsForClosedStreams) {
  auto first = append(*a);
  order.removeStream(a);
  expectOrder(*first, *append(*b), false);
  expectOrder(*first, *append(*main), true);
}

TEST_F(StreamOrderTest, BranchesOfAGraphAreUnordered) {
  std::vector<GraphNode> nodes(4);
  nodes[1].after = {0};
  nodes[2].branch = 7;
  nodes[2].after = {0};
  nodes[3].after = {1, 2};
  auto before = append(*a);
  auto graph = order.appendGraph(*a, nodes);
  auto after = append(*a);
  expectOrder(*graph[1], *graph[2], false);
  expectOrder(*graph[0], *graph[2], true);
  expectOrder(*graph[2], *graph[3], true);
  expectOrder(*before, *graph[2], true);
  expectOrder(*graph[2], *after, true);
  auto again = order.appendGraph(*a, nodes);
  expectOrder(*graph[2], *again[1], true);
}

TEST_F(StreamOrderTest, AnOperationIsAloneUntilThereAreSeveralStreams) {
  StreamOrder few;
  auto first = few.addStream(true), second = few.addStream(true);
  EXPECT_TRUE(few.appendOperation(*second, {})->hasOnlyOneStreamInUse);
  auto third = few.addStream(true);
  EXPECT_FALSE(few.appendOperation(*second, {})->hasOnlyOneStreamInUse);
  few.removeStream(third);
  EXPECT_TRUE(few.appendOperation(*second, {})->hasOnlyOneStreamInUse);
  third = few.addStream(true);
  few.appendOperation(*third, {});
  few.removeStream(third);
  EXPECT_FALSE(few.appendOperation(*second, {})->hasOnlyOneStreamInUse);
}

std::vector<std::pair<uint64_t, uint64_t>> boundsOf(const std::vector<AccessedRange> &ranges) {
  std::vector<std::pair<uint64_t, uint64_t>> bounds;
  for (const AccessedRange &range : ranges)
    bounds.emplace_back(range.low, range.high);
  return bounds;
}

TEST(OperationAccesses, FreedMemoryIsCutOutOfRanges) {
  std::vector<AccessedRange> ranges = {{100, 200}, {300, 400}, {500, 600}};
  removeRange(ranges, 150, 160);
  removeRange(ranges, 290, 320);
  removeRange(ranges, 500, 600);
  using Bounds = std::vector<std::pair<uint64_t, uint64_t>>;
  EXPECT_EQ(boundsOf(ranges), (Bounds{{100, 150}, {160, 200}, {320, 400}}));
}

void addAccess(ShadowMemory &memory, uint64_t address, uint64_t bytes, uint16_t thread) {
  memory.forEach(address, bytes, [&](Cell &cell) {
    cell.write.site = 0;
    cell.write.thread = thread;
  });
}

TEST(ShadowMemory, MovedCellsJoinThoseOfTheirPage) {
  constexpr uint64_t page = ShadowMemory::pageBytes;
  ShadowMemory memory;
  addAccess(memory, 9 * page + 8, 4, 1);
  addAccess(memory, 5 * page + 16, 1, 2);
  addAccess(memory, 7 * page + 32, 8, 3);
  memory.moveCells(5 * page, 2 * page, page);
  memory.moveCells(9 * page + 8, 2 * page + 8, 4);
  memory.moveCells(7 * page, 12 * page, page);
  std::vector<std::pair<uint64_t, uint16_t>> found;
  memory.forEachAccessed(0, 20 * page, [&](uint64_t address, uint64_t, const Cell &cell) {
    found.emplace_back(address, cell.write.thread);
  });
  std::vector<std::pair<uint64_t, uint16_t>> expected;
  for (uint64_t byte = 8; byte < 12; ++byte)
    expected.emplace_back(2 * page + byte, 1);
  expected.emplace_back(2 * page + 16, 2);
  expected.emplace_back(12 * page + 32, 3);
  expected.emplace_back(12 * page + 36, 3);
  EXPECT_EQ(found, expected);
}

} // namespace
} // namespace heddle::cpu
