// One call of a compiled function: passes the argument slots, and returns normally or with an exception.
#pragma once

#include "runtime/cpu/code/host_functions.h"
#include "simt/ir/host_memory.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <vector>

namespace heddle::cpu {
struct BlockContext;
}

namespace heddle::host {

struct Owner;
class CallMemory;

/// The entry point of compiled code. Each call has a separate context.
using Entry = void (*)(cpu::BlockContext *context, const uint64_t *arguments, uint64_t *results);

/// The way in which a call ended.
enum class Ending : uint8_t {
  Returned,
  Raised,      ///< at a site of the module
  Exhausted,   ///< no memory for an array of `extent` bytes
  Recursed,    ///< stack overflow in a recursion
  Unprinted,   ///< a print failed, or Python raised while it computed a text
  Interrupted, ///< a signal's handler raised an exception
  Faulted,     ///< an access to unmapped memory at `index`, or another fault with signal `extent`
};

struct Outcome {
  Ending ending = Ending::Returned;
  uint32_t site = 0; ///< site of the exception
  int64_t index = 0; ///< for an index out of bounds; `extent` is then the extent of its axis
  int64_t extent = 0;
};

/// The values of the exception that ended this thread's last call, in 8-byte slots.
std::vector<uint64_t> &valuesOfRaisedException();

/// Runs `enter(context, state)` as a call on this thread. If the call does not return normally, the memory that it
/// allocated goes to `keeper`. Without a keeper it is freed, unless `keepsArguments` is set: containers of the program
/// may refer to it.
Outcome runAsCall(void (*enter)(cpu::BlockContext *context, void *state), void *state,
                  CallMemory *keeper = nullptr, bool keepsArguments = false);
/// The `keepsArguments` of the thread's current call.
bool currentCallKeepsArguments();
/// True if the process's main thread is in a call.
bool isMainThreadInCall();
/// The context of the thread's current call.
cpu::BlockContext *currentContext();
/// Allocates memory for the thread's current call, with one reference. Leaves the call if memory is exhausted.
Owner *allocateInCall(uint64_t bytes);
/// Records an exception that the current call catches, for its handler.
void recordOutcome(const Outcome &outcome);
/// Ends the thread's current call. Frames between compiled code and this function must hold no objects with
/// destructors.
[[noreturn]] void leaveCall(const Outcome &how);
/// Ends the call if little stack is left.
void checkStack();

/// Calls compiled code on this thread, as runAsCall() does.
Outcome call(Entry entry, const uint64_t *arguments, uint64_t *results,
             CallMemory *keeper = nullptr, bool keepsArguments = false);

/// Resumes a generator on this thread, as runAsCall() does. Sets `step` if the generator yields or ends.
Outcome resumeGenerator(Owner &generator, simt::GeneratorStep &step, CallMemory *keeper,
                        bool keepsArguments);

/// Functions that compiled code calls, in addition to libm's.
llvm::ArrayRef<cpu::HostFunction> runtimeFunctions();

/// Prints `values`, 8 bytes each, with a format of simt.print. Returns false on failure; the call then ends.
using Printer = bool (*)(const char *format, const void *values);
void setPrinter(Printer printer);

/// Returns a new reference to the Python object whose array contains the address; null if there is none.
using ObjectFinder = void *(*)(const void *data);
void setObjectFinder(ObjectFinder finder);

} // namespace heddle::host
