// One call of a compiled function: entered with the slots of its arguments, left by returning or by an exception.
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

/// What compiled code is entered by. The context is the call's own.
using Entry = void (*)(cpu::BlockContext *context, const uint64_t *arguments, uint64_t *results);

/// How a call ended.
enum class Ending : uint8_t {
  Returned,
  Raised,      ///< at a site of the module
  Exhausted,   ///< there was no memory for an array of `extent` bytes
  Recursed,    ///< a recursion ran out of stack
  Unprinted,   ///< what it prints could not be written
  Interrupted, ///< the handler of a signal raised an exception
  Faulted, ///< an access to memory at `index`, which is not the process's, or another fault: signal `extent`
};

struct Outcome {
  Ending ending = Ending::Returned;
  uint32_t site = 0; ///< where it raised
  int64_t index = 0; ///< of an index out of bounds, and the extent
  int64_t extent = 0;
};

/// What compiled code has kept for the exception by which this thread's last call ended, in slots of 8 bytes.
std::vector<uint64_t> &raisedValues();

/// Has compiled code run as a call of its own on this thread: `enter(context, state)`. When it raises, `keeper` takes over
/// what it has made, if there is one. `keepsArguments`: containers of the program may refer to that, so it is not freed.
Outcome callWith(void (*enter)(cpu::BlockContext *context, void *state), void *state,
                 CallMemory *keeper = nullptr, bool keepsArguments = false);
/// Whether that is so of the call that this thread is in.
bool callKeepsArguments();
/// Whether the thread that the process began with is in a call.
bool mainThreadIsInCall();
/// The context of the call that this thread is in.
cpu::BlockContext *currentContext();
/// New memory of the call that this thread is in, with one reference. Leaves it where there is none.
Owner *allocateInCall(uint64_t bytes);
/// Notes how something that this call runs has ended, for who catches it there.
void noteOutcome(const Outcome &outcome);
/// Ends the call that this thread is in. No frame between compiled code and this one may hold an object with a destructor.
[[noreturn]] void leaveCall(const Outcome &how);
/// Ends it where the stack has little room left.
void needStack();

/// Calls compiled code on this thread. What it leaves unfinished when it raises is forgotten, or `keeper`'s: lists of the
/// program may refer to it.
Outcome call(Entry entry, const uint64_t *arguments, uint64_t *results,
             CallMemory *keeper = nullptr, bool keepsArguments = false);

/// Resumes a generator on this thread, as a call. `step` is how it came back, where it has not raised.
Outcome resume(Owner &generator, simt::GeneratorStep &step, CallMemory *keeper,
               bool keepsArguments);

/// The functions that compiled code calls beside those of libm.
llvm::ArrayRef<cpu::HostFunction> runtimeFunctions();

/// Writes a line that a function prints: simt.print's format and the values that it takes, 8 bytes each. Whether that
/// worked; when not, the call ends.
using Printer = bool (*)(const char *format, const void *values);
void setPrinter(Printer printer);

/// A new reference to the object of the program's whose array among the arguments of this thread's call has that address in
/// it; null where there is none.
using ObjectFinder = void *(*)(const void *data);
void setObjectFinder(ObjectFinder finder);

} // namespace heddle::host
