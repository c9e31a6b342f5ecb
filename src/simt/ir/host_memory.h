// Runtime functions that host functions call, by symbol: array memory, exceptions, parallel loops, strings, callbacks
// from C, random numbers. Kernels do not call them.
//
// An array's memory follows its owner, whose first 8 bytes are a reference count.
#pragma once

#include <cstdint>

namespace heddle::simt {

/// `ptr (i64 bytes, i1 zeroed)`: a new owner with one reference. Ends the call if memory runs out.
inline constexpr const char *allocateFunction = "heddle_host_allocate";
/// `void (ptr owner)`: frees an owner without references.
inline constexpr const char *freeFunction = "heddle_host_free";
/// `void (ptr owner)`, defined by each module: increments or decrements the reference count. Null is ignored.
inline constexpr const char *retainFunction = "heddle.retain";
inline constexpr const char *releaseFunction = "heddle.release";
/// `ptr (i64 bytes, i32 slots, i32 owners)`: a new list owner with one reference and a capacity of `bytes`. Each
/// element has `slots` slots; the last `owners` of them hold owners that the list references. Ends the call if memory
/// runs out.
inline constexpr const char *newListFunction = "heddle_host_new_list";
/// `void (ptr list, i64 bytes)`: grows the list's capacity to at least `bytes`. Ends the call if memory runs out.
inline constexpr const char *growListFunction = "heddle_host_grow_list";
/// `ptr (ptr data, i64 n, i64 bytes)`: a new owner, with zero references, of a copy of `n` elements of `bytes` each.
inline constexpr const char *copyFunction = "heddle_host_copy";
/// `ptr (ptr data)`: an owner, with zero references, that keeps the caller's array at `data` alive; null if no array
/// contains `data`.
inline constexpr const char *keepArrayFunction = "heddle_host_keep_array";
/// Offsets from a list's owner to the address of its elements, the number of elements, and the capacity in bytes.
inline constexpr uint64_t listElements = 32, listSize = 40, listBytes = 48;
/// `ptr (i64 bytes)`: a new generator owner with one reference, followed by `bytes` zero bytes: the frame. The frame
/// starts with 8-byte slots that compiled code fills: the resume function, `i8 (ptr context, ptr generator)`, which
/// returns a GeneratorStep; the release function, `void (ptr generator)`; the resume point, 0 at the start and -1 at
/// the end; the parts of the last yielded value, and their owners.
inline constexpr const char *newGeneratorFunction = "heddle_host_new_generator";
enum GeneratorStep : uint8_t { GeneratorEnded, GeneratorYielded, GeneratorRaised };
enum GeneratorSlot : unsigned { ResumeSlot, ReleaseSlot, ResumePointSlot, YieldedSlot };
/// `ptr (i64 slots)`: memory for the arguments of an exception that is about to be raised.
inline constexpr const char *raisedFunction = "heddle_host_raised";
/// `void (i64 slot)`: copies a string to new slots after the exception's arguments. `slot` and the two slots after it
/// hold the string's address, length and width; `slot` then receives the index of the first new slot.
inline constexpr const char *keepTextFunction = "heddle_host_keep_text";
/// Exception handling by branches, without unwinding. `void (i32 site, i64 index, i64 extent)`: records an exception.
inline constexpr const char *noteFunction = "heddle_host_note";
/// `ptr ()`: an owner with a copy of the recorded exception.
inline constexpr const char *caughtFunction = "heddle_host_caught";
/// Offset from that owner to the exception's site.
inline constexpr uint64_t caughtSite = 64 + 4;
/// `void (ptr owner)`: records an exception again from the owner that caughtFunction returned.
inline constexpr const char *noteAgainFunction = "heddle_host_note_again";
/// `void ()`: ends the call with the recorded exception.
inline constexpr const char *leaveFunction = "heddle_host_leave";
/// `i64 (i64 iterations)`: the number of chunks into which the available threads split a loop.
inline constexpr const char *chunksFunction = "heddle_host_chunks";
/// `void (ptr function, ptr used, i64 iterations, i64 chunks)`: calls `void function(ptr used, i64 chunk, i64 first,
/// i64 last)` for each chunk, on several threads. Ends the call with the exception of the first chunk, in loop order,
/// that raised one.
inline constexpr const char *parallelFunction = "heddle_host_parallel";
/// Attribute of a function passed to parallelFunction: values carried by its outermost loops are reductions.
inline constexpr const char *sharedIterationsAttribute = "heddle.shared-iterations";
/// Like parallelFunction, but returns `i8`: nonzero if a chunk has raised an exception. Records the exception.
inline constexpr const char *guardedParallelFunction = "heddle_host_parallel_guarded";
/// `i64 ()`: this thread's index among the threads that run a loop, and their maximum number.
inline constexpr const char *threadFunction = "heddle_host_thread";
inline constexpr const char *threadsFunction = "heddle_host_threads";
// Strings are passed as an address, a number of code points, and the bytes per code point: 1 or 4.
/// `i64 (string, string)`: a negative number, 0 or a positive number, like strcmp.
inline constexpr const char *compareTextsFunction = "heddle_host_compare_texts";
/// `void (ptr to, i64 bytes, string from)`: copies the code points of a string, storing `bytes` (1 or 4) for each.
inline constexpr const char *putTextFunction = "heddle_host_put_text";
/// `i64 (string)`: a hash; equal strings have equal hashes.
inline constexpr const char *hashTextFunction = "heddle_host_hash_text";
/// `ptr (i64 bits, i32 kind, ptr made)`: formats a number and returns the owner of the text. `kind` is a letter as in
/// PythonText. Stores the number of code points and the bytes per code point to `made`.
inline constexpr const char *numberTextFunction = "heddle_host_number_text";
/// `i8 (string, ptr number)`: parses a float64 as Python does; returns 0 if that fails.
inline constexpr const char *readNumberFunction = "heddle_host_read_number";
/// `ptr (ptr how, ptr types, ptr slots, ptr made)`: calls Python to make a text or a bool from values, see PythonText.
/// For a text, returns its owner and stores as numberTextFunction does; for a bool, returns null and stores the bool to
/// `made`. Ends the call if Python raises.
inline constexpr const char *pythonTextFunction = "heddle_host_python_text";
/// Offset from an owner to its memory, and the memory's alignment.
inline constexpr uint64_t ownerBytes = 64;

/// A byte that Ctrl-C sets, and a function `void ()` that compiled code calls if the byte is set. The function may end
/// the call of the host function.
inline constexpr const char *interruptFlag = "heddle_host_interrupt_flag";
inline constexpr const char *interruptFunction = "heddle_host_answer_interrupt";

/// For entry points that C calls: the address of a context, and `void (ptr context, ptr arguments, ptr results)`, which
/// calls the host function with argument and result slots. It never raises; on errors the results are 0.
inline constexpr const char *calledFromC = "heddle_host_called_from_c";
inline constexpr const char *callFromCFunction = "heddle_host_call_from_c";

/// `ptr (i32 generator)`: the state words of this thread's random number generator.
inline constexpr const char *randomWordsFunction = "heddle_host_random_words";
inline constexpr unsigned randomWords = 628;

} // namespace heddle::simt
