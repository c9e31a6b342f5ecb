#include "host/call.h"

#include "backend/cpu/codegen/runtime_symbols.h"
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

  [[noreturn]] void leave(Outcome how) {
    outcome = how;
    std::longjmp(escape, 1);
  }
};

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
  if (setjmp(call.escape) == 0)
    entry(&call.context, arguments, results);
  return call.outcome;
}

llvm::ArrayRef<cpu::HostFunction> runtimeFunctions() {
  static const cpu::HostFunction functions[] = {
      {cpu::trapSymbol.name, reinterpret_cast<void *>(raise)},
      {cpu::stackOverflowSymbol.name, reinterpret_cast<void *>(overflow)},
      {cpu::printSymbol.name, reinterpret_cast<void *>(print)},
  };
  return functions;
}

void setPrinter(Printer writes) { printer = writes; }

} // namespace heddle::host
