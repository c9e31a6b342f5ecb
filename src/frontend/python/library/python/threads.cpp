// The threads that run the iterations of a prange loop.

#include "frontend/python/emit/emitter.h"
#include "simt/ir/host_memory.h"

namespace heddle::python {
namespace {

Type typeThreadNumber(CallTyping &) { return int64Type(); }

llvm::Value *callRuntime(CallEmission &c, const char *name) {
  auto *type = llvm::FunctionType::get(c.b.getInt64Ty(), false);
  return c.b.CreateCall(c.e.module().module().getOrInsertFunction(name, type));
}
Parts emitThreadNumber(CallEmission &c) { return {callRuntime(c, simt::threadFunction)}; }
Parts emitThreadCount(CallEmission &c) { return {callRuntime(c, simt::threadsFunction)}; }

constexpr LibraryRow rows[] = {
    withKnownEffects(hostOnly(
        {.name = "heddle.get_thread_id",
         .signature = "()",
         .doc = "The index of the thread among the threads of the prange loop; 0 outside a loop.",
         .type = typeThreadNumber,
         .emit = emitThreadNumber,
         .nonNegative = true})),
    withKnownEffects(hostOnly(
        {.name = "heddle.get_num_threads",
         .signature = "()",
         .doc = "The maximum number of threads for prange loops, as set by set_num_threads().",
         .type = typeThreadNumber,
         .emit = emitThreadCount,
         .nonNegative = true})),
};

} // namespace

llvm::ArrayRef<LibraryRow> threadLibrary() { return rows; }

} // namespace heddle::python
