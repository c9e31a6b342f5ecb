#include "host/call.h"

#include "backend/cpu/abi/runtime_symbols.h"
#include "host/memory.h"
#include "host/parallel_loops.h"
#include "host/random_words.h"
#include "simt/ir/host_memory.h"
#include "support/os/code_faults.h"
#include "support/os/interrupt_signal.h"
#include "support/os/threads.h"

#include <algorithm>
#include <atomic>
#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <new>

namespace heddle::host {

using cpu::BlockContext;

namespace {

/// Stack kept free below a recursive function for its callees (libm, the code that raises).
constexpr size_t stackMargin = size_t(128) << 10;

Printer printer = nullptr;
ObjectFinder findObject = nullptr;

/// A call. Compiled code refers to it through the context that kernels have, and uses two fields of that.
struct Call {
  BlockContext context;
  std::jmp_buf escape;
  Outcome outcome;
  CallMemory memory;
  Call *around;        ///< the enclosing call on this thread, if any
  bool keepsArguments; ///< see runAsCall

  [[noreturn]] void leave(Outcome how) {
    outcome = how;
    std::longjmp(escape, 1);
  }
};

/// This thread's innermost call.
thread_local Call *current = nullptr;
thread_local const bool isMainThread = os::isMainThread();
/// Written only by the main thread, so no locked instruction is needed.
std::atomic<int> callsOfMainThread{0};

void countMainThreadCall(int by) {
  if (isMainThread)
    callsOfMainThread.store(callsOfMainThread.load(std::memory_order_relaxed) + by,
                            std::memory_order_relaxed);
}

void *allocate(uint64_t bytes, bool zeroed) {
  if (Owner *owner = current->memory.allocate(bytes, zeroed))
    return owner;
  current->leave({.ending = Ending::Exhausted, .extent = int64_t(bytes)});
}

uint64_t *reserveRaisedValues(uint64_t slots) {
  try {
    valuesOfRaisedException().resize(slots);
    return valuesOfRaisedException().data();
  } catch (const std::bad_alloc &) {
  }
  current->leave({.ending = Ending::Exhausted, .extent = int64_t(slots * sizeof(uint64_t))});
}

/// Appends the characters of a string to the raised values.
void appendRaisedText(uint64_t slot) {
  std::vector<uint64_t> &kept = valuesOfRaisedException();
  auto *data = reinterpret_cast<const char *>(kept[slot]);
  uint64_t bytes = kept[slot + 1] * kept[slot + 2], place = kept.size();
  reserveRaisedValues(place + (bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t));
  std::copy_n(data, bytes, reinterpret_cast<char *>(kept.data() + place));
  kept[slot] = place;
}

void *allocateList(uint64_t bytes, int32_t slots, int32_t owners) {
  if (Owner *owner = current->memory.allocateList(bytes, slots, owners))
    return owner;
  current->leave({.ending = Ending::Exhausted, .extent = int64_t(bytes)});
}

void *allocateGenerator(uint64_t bytes) {
  if (Owner *owner = current->memory.allocateGenerator(bytes))
    return owner;
  current->leave({.ending = Ending::Exhausted, .extent = int64_t(bytes)});
}

void growList(Owner *list, uint64_t bytes) {
  if (!list->grow(bytes))
    current->leave({.ending = Ending::Exhausted, .extent = int64_t(bytes)});
}

Owner *copyToNewOwner(const char *data, int64_t n, int64_t each) {
  uint64_t bytes = uint64_t(n) * uint64_t(each);
  auto *owner = static_cast<Owner *>(allocate(bytes, false));
  std::copy_n(data, bytes, reinterpret_cast<char *>(owner) + simt::ownerBytes);
  owner->references = 0;
  return owner;
}

Owner *makeOwnerForArgumentArray(const void *data) {
  void *object = findObject ? findObject(data) : nullptr;
  if (!object)
    return nullptr;
  if (Owner *owner = current->memory.makeOwnerOfPythonObject(object))
    return owner;
  current->leave({.ending = Ending::Exhausted});
}

void recordException(uint32_t site, int64_t index, int64_t extent) {
  recordOutcome({Ending::Raised, site, index, extent});
}

/// Stores a caught exception after an owner: the outcome, the number of values, and the values.
Owner *storeCaughtException() {
  const std::vector<uint64_t> &values = valuesOfRaisedException();
  uint64_t bytes = sizeof(Outcome) + (1 + values.size()) * sizeof(uint64_t);
  auto *owner = static_cast<Owner *>(allocate(bytes, false));
  char *memory = reinterpret_cast<char *>(owner) + simt::ownerBytes;
  uint64_t count = values.size();
  std::memcpy(memory, &current->outcome, sizeof(Outcome));
  std::memcpy(memory + sizeof(Outcome), &count, sizeof(count));
  std::copy_n(values.data(), count,
              reinterpret_cast<uint64_t *>(memory + sizeof(Outcome) + sizeof(count)));
  return owner;
}

void restoreCaughtException(const Owner *owner) {
  const char *memory = reinterpret_cast<const char *>(owner) + simt::ownerBytes;
  uint64_t count = 0;
  std::memcpy(&current->outcome, memory, sizeof(Outcome));
  std::memcpy(&count, memory + sizeof(Outcome), sizeof(count));
  std::copy_n(reinterpret_cast<const uint64_t *>(memory + sizeof(Outcome) + sizeof(count)), count,
              reserveRaisedValues(count));
}

void leaveWithRecordedOutcome() { current->leave(current->outcome); }

static_assert(simt::caughtSite == simt::ownerBytes + offsetof(Outcome, site));

Call &callOfContext(BlockContext *context) { return *static_cast<Call *>(context->runtime); }

void raise(BlockContext *context, uint32_t site, int64_t index, int64_t extent) {
  callOfContext(context).leave({Ending::Raised, site, index, extent});
}

void leaveOnStackOverflow(BlockContext *context) {
  callOfContext(context).leave({Ending::Recursed});
}

void leaveOnFault(void *call, int signal, const void *address) {
  static_cast<Call *>(call)->leave(
      {.ending = Ending::Faulted, .index = reinterpret_cast<int64_t>(address), .extent = signal});
}

void print(BlockContext *context, const char *format, const void *values) {
  if (!printer(format, values))
    callOfContext(context).leave({Ending::Unprinted});
}

} // namespace

std::vector<uint64_t> &valuesOfRaisedException() {
  thread_local std::vector<uint64_t> values;
  return values;
}

bool isMainThreadInCall() { return callsOfMainThread > 0; }

Outcome runAsCall(void (*enter)(BlockContext *context, void *state), void *state,
                  CallMemory *keeper, bool keepsArguments) {
  Call call;
  call.keepsArguments = keepsArguments;
  call.context.runtime = &call;
  call.context.stackLimit = os::currentStack().low + stackMargin;
  call.around = current;
  current = &call;
  countMainThreadCall(1);
  const os::FaultExit exit{leaveOnFault, &call};
  os::FaultExitScope leavesFaulty(exit);
  if (setjmp(call.escape) == 0) {
    enter(&call.context, state);
    call.outcome = {}; // recorded outcomes have been caught
    call.memory.leaveMemoryToProgram();
  } else {
    if (keeper)
      keeper->takeOver(call.memory);
    if (keepsArguments)
      call.memory.leaveMemoryToProgram();
    else
      call.memory.freeAll();
  }
  current = call.around;
  countMainThreadCall(-1);
  return call.outcome;
}

Outcome call(Entry entry, const uint64_t *arguments, uint64_t *results, CallMemory *keeper,
             bool keepsArguments) {
  struct State {
    Entry entry;
    const uint64_t *arguments;
    uint64_t *results;
  } state{entry, arguments, results};
  return runAsCall(
      [](BlockContext *context, void *of) {
        const State &state = *static_cast<const State *>(of);
        state.entry(context, state.arguments, state.results);
      },
      &state, keeper, keepsArguments);
}

bool currentCallKeepsArguments() { return current->keepsArguments; }

Outcome resumeGenerator(Owner &generator, simt::GeneratorStep &step, CallMemory *keeper,
                        bool keepsArguments) {
  struct State {
    Owner &generator;
    simt::GeneratorStep &step;
  } state{generator, step};
  return runAsCall(
      [](BlockContext *context, void *of) {
        State &state = *static_cast<State *>(of);
        state.step = simt::GeneratorStep(
            frameOfGenerator(state.generator).resume(context, &state.generator));
        if (state.step == simt::GeneratorRaised)
          leaveWithRecordedOutcome();
      },
      &state, keeper, keepsArguments);
}

BlockContext *currentContext() { return &current->context; }

Owner *allocateInCall(uint64_t bytes) { return static_cast<Owner *>(allocate(bytes, false)); }

void recordOutcome(const Outcome &outcome) { current->outcome = outcome; }

void leaveCall(const Outcome &how) { current->leave(how); }

void checkStack() {
  if (static_cast<char *>(__builtin_frame_address(0)) < current->context.stackLimit)
    current->leave({Ending::Recursed});
}

llvm::ArrayRef<cpu::HostFunction> runtimeFunctions() {
  static const cpu::HostFunction functions[] = {
      {cpu::trapSymbol.name, reinterpret_cast<void *>(raise)},
      {cpu::stackOverflowSymbol.name, reinterpret_cast<void *>(leaveOnStackOverflow)},
      {cpu::printSymbol.name, reinterpret_cast<void *>(print)},
      {simt::allocateFunction, reinterpret_cast<void *>(allocate)},
      {simt::freeFunction, reinterpret_cast<void *>(CallMemory::freeWithHeldOwners)},
      {simt::newListFunction, reinterpret_cast<void *>(allocateList)},
      {simt::newGeneratorFunction, reinterpret_cast<void *>(allocateGenerator)},
      {simt::growListFunction, reinterpret_cast<void *>(growList)},
      {simt::copyFunction, reinterpret_cast<void *>(copyToNewOwner)},
      {simt::keepArrayFunction, reinterpret_cast<void *>(makeOwnerForArgumentArray)},
      {simt::raisedFunction, reinterpret_cast<void *>(reserveRaisedValues)},
      {simt::keepTextFunction, reinterpret_cast<void *>(appendRaisedText)},
      {simt::noteFunction, reinterpret_cast<void *>(recordException)},
      {simt::caughtFunction, reinterpret_cast<void *>(storeCaughtException)},
      {simt::noteAgainFunction, reinterpret_cast<void *>(restoreCaughtException)},
      {simt::leaveFunction, reinterpret_cast<void *>(leaveWithRecordedOutcome)},
      {simt::chunksFunction, reinterpret_cast<void *>(chunkCount)},
      {simt::parallelFunction, reinterpret_cast<void *>(runIterations)},
      {simt::guardedParallelFunction, reinterpret_cast<void *>(runIterationsGuarded)},
      {simt::threadFunction, reinterpret_cast<void *>(threadNumber)},
      {simt::threadsFunction, reinterpret_cast<void *>(threadCount)},
      {simt::randomWordsFunction, reinterpret_cast<void *>(generatorStateOfThread)},
  };
  return functions;
}

void setPrinter(Printer writes) { printer = writes; }
void setObjectFinder(ObjectFinder finds) { findObject = finds; }

} // namespace heddle::host
