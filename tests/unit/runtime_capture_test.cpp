// Capturing streams, non-blocking streams, and waitForEarlierWork().
#include "runtime_kernels.h"

#include "support/diagnostic.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace heddle::test {
namespace {

/// A callback that blocks the stream until it is released.
class Hold {
public:
  explicit Hold(Stream &stream) {
    stream.addCallback([released = released_] {
      while (!*released)
        std::this_thread::yield();
    });
  }
  ~Hold() { release(); }
  void release() { *released_ = true; }

private:
  std::shared_ptr<std::atomic<bool>> released_ = std::make_shared<std::atomic<bool>>(false);
};

TEST(RuntimeCapture, ACapturingStreamRunsNothingBeforeTheGraph) {
  auto stream = cpu().createStream();
  std::vector<uint8_t> a(100);
  stream->beginCapture();
  stream->fill(a.data(), 7, a.size(), nullptr);
  EXPECT_TRUE(stream->isCapturing());
  auto graph = stream->endCapture();
  stream->synchronize();
  EXPECT_EQ(a[99], 0);
  graph->launch(*stream);
  stream->synchronize();
  EXPECT_EQ(a[99], 7);
}

TEST(RuntimeCapture, LaunchesOfAGraphInTwoStreamsDoNotOverlap) {
  auto first = cpu().createStream(StreamKind::NonBlocking),
       second = cpu().createStream(StreamKind::NonBlocking);
  std::vector<uint8_t> a(100);
  first->beginCapture();
  first->fill(a.data(), 7, a.size(), nullptr);
  auto graph = first->endCapture();
  Hold hold(*first);
  graph->launch(*first);
  graph->launch(*second);
  EXPECT_FALSE(second->done());
  EXPECT_EQ(a[99], 0);
  hold.release();
  second->synchronize();
  EXPECT_TRUE(first->done());
  EXPECT_EQ(a[99], 7);
}

TEST(RuntimeCapture, AGraphRunsOncePerLaunch) {
  auto stream = cpu().createStream(), other = cpu().createStream();
  auto module = loadKernel("ptr addrspace(1) %a", R"(
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  ret void)");
  int32_t count = 0;
  uint64_t arguments[] = {slot(&count)};
  stream->beginCapture();
  for (int i = 0; i < 3; ++i)
    stream->launch(module->kernel("k"), {{4}, {2}}, arguments, nullptr);
  auto graph = stream->endCapture();
  graph->launch(*other);
  graph->launch(*other);
  other->synchronize();
  EXPECT_EQ(count, 2 * 3 * 8);
}

TEST(RuntimeCapture, AStreamThatWaitsForACapturedEventJoins) {
  auto first = cpu().createStream(), second = cpu().createStream();
  auto event = cpu().createEvent();
  std::vector<uint8_t> a(100), b(100);
  first->beginCapture();
  first->fill(a.data(), 5, a.size(), nullptr);
  first->record(event);
  second->waitForEvent(event);
  second->copy(b.data(), a.data(), a.size(), nullptr);
  EXPECT_TRUE(second->isCapturing());
  EXPECT_THROW(second->endCapture(), CompileError);
  second->record(event);
  first->waitForEvent(event);
  auto graph = first->endCapture();
  EXPECT_FALSE(second->isCapturing());
  graph->launch(*second);
  second->synchronize();
  EXPECT_EQ(b[99], 5);
}

/// A capture of `first` that `second` has joined.
class Fork {
public:
  Fork() {
    first->beginCapture();
    join(*first, *second);
  }
  void join(Stream &from, Stream &to) {
    from.record(event_);
    to.waitForEvent(event_);
  }
  void work(Stream &stream) { stream.fill(bytes_.data(), 1, bytes_.size(), nullptr); }

  std::shared_ptr<Stream> first = cpu().createStream(), second = cpu().createStream();

private:
  std::shared_ptr<Event> event_ = cpu().createEvent();
  std::vector<uint8_t> bytes_ = std::vector<uint8_t>(10);
};

TEST(RuntimeCapture, WorkThatIsNotJoinedBackEndsTheCaptureWithoutAGraph) {
  Fork fork;
  fork.work(*fork.second);
  EXPECT_THROW(fork.first->endCapture(), CompileError);
  EXPECT_FALSE(fork.first->isCapturing());
  EXPECT_FALSE(fork.second->isCapturing());
  fork.first->beginCapture();
  fork.work(*fork.first);
  EXPECT_NO_THROW(fork.first->endCapture());
}

TEST(RuntimeCapture, WorkAfterTheJoinIsNotJoinedBack) {
  Fork fork;
  fork.work(*fork.second);
  fork.join(*fork.second, *fork.first);
  fork.work(*fork.second);
  EXPECT_THROW(fork.first->endCapture(), CompileError);
}

TEST(RuntimeCapture, AStreamWithoutWorkNeedNotBeJoinedBack) {
  Fork fork;
  fork.work(*fork.first);
  EXPECT_NO_THROW(fork.first->endCapture());
}

TEST(RuntimeCapture, AStreamIsJoinedBackThroughAnother) {
  Fork fork;
  auto third = cpu().createStream();
  fork.work(*fork.second);
  fork.join(*fork.second, *third);
  fork.join(*third, *fork.first);
  EXPECT_NO_THROW(fork.first->endCapture());
}

TEST(RuntimeCapture, WorkOfAStreamThatHasGoneIsNotJoinedBack) {
  Fork fork;
  fork.work(*fork.second);
  fork.second.reset();
  EXPECT_THROW(fork.first->endCapture(), CompileError);
}

TEST(RuntimeCapture, WaitingForACapturingStreamIsAnError) {
  auto stream = cpu().createStream();
  stream->beginCapture();
  EXPECT_THROW(stream->synchronize(), CompileError);
  EXPECT_THROW(stream->waitForEarlierWork(), CompileError);
  EXPECT_THROW(stream->beginCapture(), CompileError);
  EXPECT_THROW(cpu().defaultStream().beginCapture(), CompileError);
  stream->endCapture();
  EXPECT_THROW(stream->endCapture(), CompileError);
}

TEST(RuntimeCapture, ThreadsRecordInOneCapture) {
  auto stream = cpu().createStream();
  std::atomic<int> calls{0};
  stream->beginCapture();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i)
        stream->addCallback([&] { ++calls; });
    });
  for (auto &t : threads)
    t.join();
  auto graph = stream->endCapture();
  EXPECT_EQ(calls, 0);
  graph->launch(*stream);
  stream->synchronize();
  EXPECT_EQ(calls, 200);
}

TEST(RuntimeCapture, ANonBlockingStreamAndTheDefaultStreamDoNotWait) {
  auto stream = cpu().createStream(StreamKind::NonBlocking);
  std::vector<uint8_t> a(100);
  {
    Hold hold(cpu().defaultStream());
    stream->fill(a.data(), 1, a.size(), nullptr);
    stream->waitForEarlierWork();
    EXPECT_EQ(a[99], 1);
  }
  Hold hold(*stream);
  cpu().defaultStream().fill(a.data(), 2, a.size(), nullptr);
  cpu().defaultStream().waitForEarlierWork();
  EXPECT_EQ(a[99], 2);
}

TEST(RuntimeCapture, TheDefaultStreamWaitsForBlockingStreams) {
  auto stream = cpu().createStream();
  std::vector<uint8_t> a(1 << 22);
  stream->fill(a.data(), 1, a.size(), nullptr);
  cpu().defaultStream().waitForEarlierWork();
  EXPECT_EQ(a.back(), 1);
}

TEST(RuntimeCapture, AStreamIsFoundByItsHandle) {
  auto stream = cpu().createStream();
  auto found = cpu().externalStream(stream->nativeHandle());
  EXPECT_EQ(found->nativeHandle(), stream->nativeHandle());
  found.reset();
  EXPECT_NO_THROW(cpu().externalStream(stream->nativeHandle()));
  EXPECT_EQ(cpu().externalStream(1)->nativeHandle(), cpu().defaultStream().nativeHandle());
  EXPECT_THROW(cpu().externalStream(12345), CompileError);
}

} // namespace
} // namespace heddle::test
