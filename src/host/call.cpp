#include "host/call.h"

#include "backend/cpu/codegen/runtime_symbols.h"
#include "host/memory.h"
#include "simt/ir/host_memory.h"
#include "support/os/threads.h"

#include <csetjmp>

namespace heddle::host {

using cpu::BlockContext;

namespace {

/// Left free below a recursive function: what it calls (libm, what raises) needs stack too.
constexpr size_t stackMargin = size_t(128) << 10;

Printer printer = nullptr;

/// Compiled code knows its call as the context that kernels have, of which it uses two fields.
struct Call {
  BlockContext context;
  std::jmp_buf escape;
  Outcome outcome;
  CallMemory memory;
  Call *around; ///< the call that this thread was in, if any

  [[noreturn]] void leave(Outcome how) {
    outcome = how;
    std::longjmp(escape, 1);
  }
};

/// What this thread is in.
thread_local Call *current = nullptr;

void *allocate(uint64_t bytes, bool zeroed) {
  if (Owner *owner = current->memory.allocate(bytes, zeroed))
    return owner;
  current->leave({.ending = Ending::Exhausted, .extent = int64_t(bytes)});
}

Call &callOf(BlockContext *context) { return *static_cast<Call *>(context->runtime); }

void raise(BlockContext *context, uint32_t site, int64_t index, int64_t extent) {
  callOf(context).leave({Ending::Raised, site, index, extent});
}

void overflow(BlockContext *context) { callOf(context).leave({Ending::Recursed}); }

void print(BlockContext *context, const char *format, const void *values) {
  if (!printer(format, values))
    callOf(context).leave({Ending::Unprinted});
}

} // namespace

Outcome call(Entry entry, const uint64_t *arguments, uint64_t *results) {
  Call call;
  call.context.runtime = &call;
  call.context.stackLimit = os::currentStack().low + stackMargin;
  call.around = current;
  current = &call;
  if (setjmp(call.escape) == 0) {
    entry(&call.context, arguments, results);
    call.memory.giveAway();
  } else {
    call.memory.freeAll();
  }
  current = call.around;
  return call.outcome;
}

llvm::ArrayRef<cpu::HostFunction> runtimeFunctions() {
  static const cpu::HostFunction functions[] = {
      {cpu::trapSymbol.name, reinterpret_cast<void *>(raise)},
      {cpu::stackOverflowSymbol.name, reinterpret_cast<void *>(overflow)},
      {cpu::printSymbol.name, reinterpret_cast<void *>(print)},
      {simt::allocateFunction, reinterpret_cast<void *>(allocate)},
      {simt::freeFunction, reinterpret_cast<void *>(CallMemory::free)},
  };
  return functions;
}

void setPrinter(Printer writes) { printer = writes; }

} // namespace heddle::host
