// GPU streams and events: waiting, interrupts, callbacks, and lifetimes.
#include "cuda_fixture.h"

#include "runtime/driver_error.h"
#include "support/diagnostic.h"

#include <atomic>
#include <thread>

namespace heddle::test {
namespace {

class CudaStreams : public CudaTest {};

TEST_F(CudaStreams, TheDefaultStreamIsTheLegacyOne) {
  EXPECT_EQ(gpu().defaultStream().nativeHandle(), 1u);
  EXPECT_EQ(gpu().externalStream(0).get(), &gpu().defaultStream());
  EXPECT_EQ(gpu().externalStream(1).get(), &gpu().defaultStream());
  EXPECT_EQ(gpu().perThreadStream()->nativeHandle(), 2u);
  EXPECT_EQ(gpu().externalStream(2), gpu().perThreadStream());
}

TEST_F(CudaStreams, ExternalStreamsAreNotDestroyed) {
  uint64_t handle = fake<FakeCudaMakeStream>("fakeCudaMakeStream")(0);
  auto stream = gpu().externalStream(handle);
  EXPECT_EQ(stream->nativeHandle(), handle);
  EXPECT_EQ(gpu().externalStream(handle), stream);
  stream->synchronize();
  stream.reset();
  EXPECT_EQ(callsOf("cuStreamDestroy"), 0u);
  EXPECT_EQ(gpu().externalStream(handle)->nativeHandle(), handle);
}

TEST_F(CudaStreams, SynchronizeWaitsForTheDriver) {
  auto stream = gpu().createStream();
  hold(true);
  std::atomic<bool> waited{false};
  std::thread thread([&] {
    stream->synchronize();
    waited = true;
  });
  EXPECT_TRUE(soon([] { return callsOf("cuStreamQuery") > 10; }));
  EXPECT_FALSE(waited);
  EXPECT_FALSE(stream->done());
  hold(false);
  thread.join();
  EXPECT_TRUE(waited);
  EXPECT_TRUE(stream->done());
}

struct AlwaysInterrupt {
  AlwaysInterrupt() {
    setInterruptCheck([] { return true; });
  }
  ~AlwaysInterrupt() { setInterruptCheck({}); }
};

TEST_F(CudaStreams, EveryWaitCanBeInterrupted) {
  auto stream = gpu().createStream();
  auto event = gpu().createEvent();
  auto small = gpu().allocate(100), large = gpu().allocate(1 << 20);
  std::vector<uint8_t> data(1 << 20);
  hold(true);
  stream->record(event);
  AlwaysInterrupt interrupt;
  EXPECT_THROW(stream->synchronize(), Interrupted);
  EXPECT_THROW(event->synchronize(), Interrupted);
  EXPECT_THROW(gpu().synchronize(), Interrupted);
  EXPECT_THROW(stream->download(data.data(), small->address(), 100), Interrupted);
  EXPECT_THROW(stream->download(data.data(), large->address(), 1 << 20), Interrupted);
  hold(false);
  stream->download(data.data(), large->address(), 1 << 20);
}

TEST_F(CudaStreams, AnEventIsDoneWhenTheStreamReachesIt) {
  auto stream = gpu().createStream();
  auto event = gpu().createEvent();
  EXPECT_TRUE(event->done()); // never recorded
  hold(true);
  stream->record(event);
  EXPECT_FALSE(event->done());
  gpu().createStream()->waitForEvent(event);
  hold(false);
  event->synchronize();
  EXPECT_TRUE(event->done());
}

TEST_F(CudaStreams, EventsMeasureTime) {
  auto stream = gpu().createStream();
  auto start = gpu().createEvent(), end = gpu().createEvent();
  stream->record(start);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  stream->record(end);
  EXPECT_GE(end->millisecondsSince(*start), 4.0);
}

TEST_F(CudaStreams, TimeOfIncompleteEventsIsAnError) {
  auto stream = gpu().createStream();
  auto start = gpu().createEvent(), end = gpu().createEvent();
  auto untimed = gpu().createEvent(false);
  auto elsewhere = gpu(1).createEvent();
  stream->record(start);
  stream->record(untimed);
  EXPECT_NE(messageOf([&] { end->millisecondsSince(*start); }).find("call record()"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { untimed->millisecondsSince(*start); }).find("without timing"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { elsewhere->millisecondsSince(*start); }).find("two devices"),
            std::string::npos);
  EXPECT_NE(messageOf([&] { stream->record(elsewhere); }).find("GPU 1"), std::string::npos);
  auto cpuEvent = devices().back()->createEvent();
  EXPECT_THROW(stream->record(cpuEvent), CompileError);
  EXPECT_THROW(stream->waitForEvent(cpuEvent), CompileError);
}

TEST_F(CudaStreams, ACallbackRunsOnAnotherThreadAndCannotWait) {
  auto stream = gpu().createStream();
  auto caller = std::this_thread::get_id();
  std::thread::id callee;
  std::string message;
  std::atomic<bool> ran{false};
  stream->addCallback([&] {
    callee = std::this_thread::get_id();
    message = messageOf([&] { stream->synchronize(); });
    ran = true;
    throw 1; // ignored
  });
  stream->synchronize();
  EXPECT_TRUE(ran);
  EXPECT_NE(callee, caller);
  EXPECT_NE(message.find("a stream's callback cannot wait for the device"), std::string::npos);
}

TEST_F(CudaStreams, KeepAliveIsHeldUntilTheWorkIsDone) {
  auto stream = gpu().createStream();
  auto buffer = gpu().allocate(100);
  auto held = std::make_shared<int>(1);
  std::weak_ptr<int> watch = held;
  hold(true);
  stream->fill(buffer->address(), 1, 100, std::move(held));
  EXPECT_FALSE(watch.expired());
  hold(false);
  EXPECT_TRUE(soon([&] { return watch.expired(); }));
}

TEST_F(CudaStreams, MemoryIsFreedByACallbackToo) {
  auto stream = gpu().createStream();
  auto pooled = stream->allocate(100);
  auto block = gpu().allocate(100);
  stream->addCallback([&] {
    pooled.reset();
    block.reset();
  });
  stream->synchronize();
  EXPECT_TRUE(soon([] { return callsOf("cuMemFreeAsync") == 1; }));
}

TEST_F(CudaStreams, StreamsAndEventsOutliveCallbacksThatUseThem) {
  auto stream = gpu().createStream();
  stream->addCallback([other = gpu().createStream(), event = gpu().createEvent()] {});
  stream->synchronize();
  EXPECT_TRUE(
      soon([] { return callsOf("cuStreamDestroy") == 1 && callsOf("cuEventDestroy") == 1; }));
}

TEST_F(CudaStreams, ACallbackThatThrowsFreesItsCaptures) {
  auto stream = gpu().createStream();
  stream->addCallback([held = stream->allocate(100)] { throw 1; });
  stream->synchronize();
  EXPECT_TRUE(soon([] { return callsOf("cuMemFreeAsync") == 1; }));
}

TEST_F(CudaStreams, EmptyCopiesAndFillsDoNothing) {
  auto stream = gpu().createStream();
  stream->copy(nullptr, nullptr, 0, nullptr);
  stream->fill(nullptr, 0, 0, nullptr);
  stream->upload(nullptr, nullptr, 0);
  stream->download(nullptr, nullptr, 0);
}

TEST_F(CudaStreams, CopyMovesBetweenAllKindsOfMemory) {
  auto stream = gpu().createStream();
  auto a = gpu().allocate(100), b = gpu(1).allocate(100);
  auto c = gpu().allocate(100, MemoryKind::Mapped);
  stream->fill(a->address(), 9, 100, nullptr);
  stream->copy(b->address(), a->address(), 100, nullptr);
  stream->copy(c->address(), b->address(), 100, nullptr);
  stream->synchronize();
  EXPECT_EQ(static_cast<uint8_t *>(c->address())[99], 9);
}

} // namespace
} // namespace heddle::test
