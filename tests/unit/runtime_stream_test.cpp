// Streams, events and callbacks: order, waits, interrupts.
#include "runtime_kernels.h"

#include "support/diagnostic.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace heddle::test {
namespace {

/// Blocks a stream until open() is called.
class Gate {
public:
  explicit Gate(Stream &stream) {
    stream.addCallback([this] {
      while (!open_)
        std::this_thread::yield();
      passed_ = true;
    });
  }
  ~Gate() {
    open();
    while (!passed_)
      std::this_thread::yield();
  }
  void open() { open_ = true; }

private:
  std::atomic<bool> open_{false};
  std::atomic<bool> passed_{false};
};

/// A kernel k() that fails.
std::shared_ptr<Module> loadFailing() {
  return loadKernel(
      "", "call void @simt.trap(i32 0)\n unreachable",
      "!simt.sites = !{!0}\n!0 = !{!\"ValueError\", !\"no\", !\"k\", !\"k.py\", i32 1, i32 1}\n");
}

struct InterruptAfter {
  explicit InterruptAfter(int checks) {
    setInterruptCheck([left = std::make_shared<std::atomic<int>>(checks)] { return --*left < 0; });
  }
  ~InterruptAfter() { setInterruptCheck({}); }
};

TEST(RuntimeStream, CommandsRunInOrder) {
  auto stream = cpu().createStream();
  std::vector<uint8_t> a(1 << 20), b(1 << 20);
  stream->fill(a.data(), 7, a.size(), nullptr);
  stream->copy(b.data(), a.data(), a.size(), nullptr);
  stream->fill(a.data(), 9, a.size(), nullptr);
  stream->synchronize();
  EXPECT_EQ(b, std::vector<uint8_t>(b.size(), 7));
  EXPECT_EQ(a, std::vector<uint8_t>(a.size(), 9));
}

TEST(RuntimeStream, LaunchReturnsBeforeTheKernelHasRun) {
  auto module = loadSlow();
  int32_t flag = 0;
  uint64_t arguments[] = {slot(&flag), 100};
  auto stream = cpu().createStream();
  stream->launch(module->kernel("k"), {{1}, {1}}, arguments, nullptr);
  EXPECT_FALSE(stream->done());
  stream->synchronize();
  EXPECT_TRUE(stream->done());
  EXPECT_EQ(flag, 1);
}

TEST(RuntimeStream, StreamsDoNotWaitForEachOther) {
  auto first = cpu().createStream(), second = cpu().createStream();
  Gate gate(*first);
  std::vector<uint8_t> a(100);
  second->fill(a.data(), 1, a.size(), nullptr);
  second->synchronize();
  EXPECT_FALSE(first->done());
  EXPECT_EQ(a[99], 1);
}

TEST(RuntimeStream, TheDefaultStreamWaitsForTheOthers) {
  auto other = cpu().createStream();
  Gate gate(*other);
  std::vector<uint8_t> a(100);
  cpu().defaultStream().fill(a.data(), 1, a.size(), nullptr);
  EXPECT_FALSE(cpu().defaultStream().done());
  gate.open();
  cpu().defaultStream().synchronize();
  EXPECT_TRUE(other->done());
}

TEST(RuntimeStream, TheDefaultStreamIsDoneWhenTheOthersAre) {
  auto other = cpu().createStream();
  Gate gate(*other);
  EXPECT_FALSE(cpu().defaultStream().done());
  gate.open();
  cpu().defaultStream().synchronize();
  EXPECT_TRUE(other->done());
  EXPECT_TRUE(cpu().defaultStream().done());
}

TEST(RuntimeStream, TheDefaultStreamIsDoneBeforeNonBlockingStreams) {
  auto other = cpu().createStream(StreamKind::NonBlocking);
  Gate gate(*other);
  EXPECT_TRUE(cpu().defaultStream().done());
  cpu().defaultStream().synchronize();
  EXPECT_FALSE(other->done());
}

TEST(RuntimeStream, TheDefaultStreamThrowsTheErrorOfAClosedStream) {
  auto module = loadFailing();
  cpu().createStream()->launch(module->kernel("k"), {{2}, {1}}, {}, nullptr);
  EXPECT_THROW(cpu().defaultStream().synchronize(), KernelError);
  EXPECT_NO_THROW(cpu().synchronize());
}

TEST(RuntimeStream, AnErrorOfAClosedStreamThatWasSeenHidesNoOther) {
  auto module = loadFailing();
  auto seen = cpu().createEvent(), unseen = cpu().createEvent();
  for (const auto &event : {seen, unseen}) {
    auto stream = cpu().createStream();
    stream->launch(module->kernel("k"), {{2}, {1}}, {}, nullptr);
    stream->record(event);
    while (!event->done())
      std::this_thread::yield();
    stream = nullptr;
    if (event == seen)
      EXPECT_THROW(event->synchronize(), KernelError);
  }
  EXPECT_THROW(cpu().synchronize(), KernelError);
}

TEST(RuntimeStream, TheOthersWaitForTheDefaultStream) {
  auto other = cpu().createStream();
  Gate gate(cpu().defaultStream());
  std::vector<uint8_t> a(100);
  other->fill(a.data(), 1, a.size(), nullptr);
  EXPECT_FALSE(other->done());
  gate.open();
  other->synchronize();
  EXPECT_TRUE(cpu().defaultStream().done());
}

TEST(RuntimeStream, AStreamWaitsForAnEventOfAnother) {
  auto first = cpu().createStream(), second = cpu().createStream();
  auto event = cpu().createEvent();
  std::vector<uint8_t> a(100), b(100);
  {
    Gate gate(*first);
    first->fill(a.data(), 5, a.size(), nullptr);
    first->record(event);
    second->waitForEvent(event);
    second->copy(b.data(), a.data(), a.size(), nullptr);
    EXPECT_FALSE(event->done());
    EXPECT_FALSE(second->done());
  }
  second->synchronize();
  EXPECT_EQ(b[99], 5);
  EXPECT_TRUE(event->done());
}

TEST(RuntimeStream, AnUnrecordedEventBlocksNobody) {
  auto event = cpu().createEvent();
  EXPECT_TRUE(event->done());
  event->synchronize();
  auto stream = cpu().createStream();
  stream->waitForEvent(event);
  stream->synchronize();
}

TEST(RuntimeStream, EventsMeasureTheTimeBetweenThem) {
  auto module = loadSlow();
  int32_t flag = 0;
  uint64_t arguments[] = {slot(&flag), 30};
  auto stream = cpu().createStream();
  auto begin = cpu().createEvent(), end = cpu().createEvent();
  stream->record(begin);
  stream->launch(module->kernel("k"), {{1}, {1}}, arguments, nullptr);
  stream->record(end);
  end->synchronize();
  EXPECT_GE(end->millisecondsSince(*begin), 30.0);
}

TEST(RuntimeStream, TimeOfIncompleteEventsIsAnError) {
  auto recorded = cpu().createEvent(), never = cpu().createEvent(),
       untimed = cpu().createEvent(false);
  cpu().defaultStream().record(recorded);
  cpu().defaultStream().record(untimed);
  cpu().synchronize();
  EXPECT_THROW(recorded->millisecondsSince(*never), CompileError);
  EXPECT_THROW(untimed->millisecondsSince(*recorded), CompileError);
}

TEST(RuntimeStream, ManyWaitingCommandsDoNotRecurse) {
  auto stream = cpu().createStream(), other = cpu().createStream();
  auto event = cpu().createEvent();
  {
    Gate gate(*stream);
    for (int i = 0; i < 100000; ++i) {
      stream->record(event);
      other->waitForEvent(event);
    }
  }
  cpu().synchronize();
  EXPECT_TRUE(other->done());
}

TEST(RuntimeStream, ACallbackThatThrowsDoesNotStopTheStream) {
  auto stream = cpu().createStream();
  stream->addCallback([] { throw std::runtime_error("ignored"); });
  std::atomic<bool> ran{false};
  stream->addCallback([&] { ran = true; });
  stream->synchronize();
  EXPECT_TRUE(ran);
}

TEST(RuntimeStream, WaitingInACallbackIsAnError) {
  auto stream = cpu().createStream();
  std::atomic<bool> refused{false};
  stream->addCallback([&] {
    try {
      stream->synchronize();
    } catch (const CompileError &) {
      refused = true;
    }
  });
  stream->synchronize();
  EXPECT_TRUE(refused);
}

TEST(RuntimeStream, ACallbackMayEnqueueMore) {
  auto stream = cpu().createStream();
  std::vector<uint8_t> a(100);
  stream->addCallback([&] { stream->fill(a.data(), 3, a.size(), nullptr); });
  stream->synchronize();
  stream->synchronize();
  EXPECT_EQ(a[0], 3);
}

/// The embedder's lock, and the number of releases that have waited for it.
std::mutex embedder;
std::atomic<int> releases{0};

TEST(RuntimeStream, AWaitReleasesMemoryAlthoughTheReleasingThreadWaitsForTheLock) {
  std::unique_lock held(embedder);
  releases = 0;
  setEmbedderLockCaller([](const std::function<void()> &release) {
    ++releases;
    std::lock_guard lock(embedder);
    release();
  });
  auto stream = cpu().createStream();
  for (auto wait : {&Stream::synchronize, &Stream::waitForEarlierWork}) {
    auto alive = std::make_shared<std::vector<uint8_t>>(1 << 20);
    std::weak_ptr<void> watched = alive;
    stream->fill(alive->data(), 7, alive->size(), alive);
    alive = nullptr;
    while (!stream->done())
      std::this_thread::yield();
    ((*stream).*wait)();
    EXPECT_TRUE(watched.expired());
  }
  while (!releases)
    std::this_thread::yield();
  held.unlock();
  setEmbedderLockCaller(nullptr);
}

TEST(RuntimeStream, KeepAliveIsHeldUntilTheWorkHasRun) {
  auto stream = cpu().createStream();
  auto alive = std::make_shared<std::vector<uint8_t>>(1 << 20);
  std::weak_ptr<void> watched = alive;
  std::vector<uint8_t> to(1 << 20);
  {
    Gate gate(*stream);
    stream->copy(to.data(), alive->data(), to.size(), alive);
    alive = nullptr;
    EXPECT_FALSE(watched.expired());
  }
  stream->synchronize();
  for (int i = 0; i < 1000 && !watched.expired(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(watched.expired());
}

TEST(RuntimeStream, AModuleMayBeReleasedWhileItsKernelRuns) {
  auto module = loadSlow();
  int32_t flag = 0;
  uint64_t arguments[] = {slot(&flag), 20};
  auto stream = cpu().createStream();
  stream->launch(module->kernel("k"), {{1}, {1}}, arguments, nullptr);
  module = nullptr;
  stream->synchronize();
  EXPECT_EQ(flag, 1);
}

TEST(RuntimeStream, AStreamMayBeReleasedWhileItsWorkRuns) {
  auto module = loadSlow();
  int32_t flag = 0;
  uint64_t arguments[] = {slot(&flag), 20};
  cpu().createStream()->launch(module->kernel("k"), {{1}, {1}}, arguments, nullptr);
  cpu().synchronize();
  EXPECT_EQ(flag, 1);
}

TEST(RuntimeStream, AnInterruptStopsAKernelBetweenBlocks) {
  auto module = loadSlow();
  int32_t flag = 0;
  uint64_t arguments[] = {slot(&flag), 10};
  auto stream = cpu().createStream();
  stream->launch(module->kernel("k"), {{1000000}, {1}}, arguments, nullptr); // hours
  {
    InterruptAfter interrupt(1);
    EXPECT_THROW(stream->synchronize(), Interrupted);
  }
  EXPECT_NO_THROW(stream->synchronize());
  EXPECT_TRUE(stream->done());
}

TEST(RuntimeStream, AnInterruptCancelsQueuedWork) {
  auto module = loadSlow();
  int32_t flag = 0;
  uint64_t arguments[] = {slot(&flag), 10};
  auto stream = cpu().createStream();
  auto event = cpu().createEvent();
  std::vector<uint8_t> a(1 << 20);
  stream->launch(module->kernel("k"), {{1000000}, {1}}, arguments, nullptr);
  stream->fill(a.data(), 1, a.size(), nullptr);
  stream->record(event);
  {
    InterruptAfter interrupt(0);
    EXPECT_THROW(stream->synchronize(), Interrupted);
  }
  stream->synchronize();
  EXPECT_TRUE(event->done());
  EXPECT_EQ(a[0], 0);
}

TEST(RuntimeStream, AnEventThrowsTheErrorOfTheWorkBeforeIt) {
  auto module = loadFailing();
  auto stream = cpu().createStream();
  auto event = cpu().createEvent();
  stream->launch(module->kernel("k"), {{2}, {1}}, {}, nullptr);
  stream->record(event);
  EXPECT_THROW(event->synchronize(), KernelError);
  EXPECT_NO_THROW(stream->synchronize());
}

TEST(RuntimeStream, ThreadsMayShareAStream) {
  auto module = loadKernel("ptr addrspace(1) %a", R"(
  %old = call i32 @simt.atomic.add.i32.p1(ptr addrspace(1) %a, i32 1, i32 1)
  ret void)");
  auto stream = cpu().createStream();
  int32_t count = 0;
  uint64_t arguments[] = {slot(&count)};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        stream->launch(module->kernel("k"), {{3}, {2}}, arguments, nullptr);
      stream->synchronize();
    });
  for (auto &t : threads)
    t.join();
  EXPECT_EQ(count, 4 * 500 * 6);
}

} // namespace
} // namespace heddle::test
