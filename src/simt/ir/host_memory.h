// The runtime interface of host functions: array memory, parallel loops, callbacks from C, random numbers. SIMT IR uses
// none of it.
//
// An array's memory follows its owner, whose first 8 bytes are a reference count.
#pragma once

#include <cstdint>

namespace heddle::simt {

/// `ptr (i64 bytes, i1 zeroed)`: a new owner with one reference. Ends the call if memory runs out.
inline constexpr const char *allocateFunction = "heddle_host_allocate";
/// `void (ptr owner)`: frees the owner after its last reference is gone.
inline constexpr const char *freeFunction = "heddle_host_free";
/// `void (ptr owner)`, defined by each module: increments or decrements the reference count; null is ignored.
inline constexpr const char *retainFunction = "heddle.retain";
inline constexpr const char *releaseFunction = "heddle.release";
/// `ptr (i64 bytes, i32 slots, i32 owners)`: a new list owner with one reference, and memory for that many bytes of
/// elements. Each element has `slots` slots; the last `owners` of them hold owners that the list references. Ends the
/// call if memory runs out.
inline constexpr const char *newListFunction = "heddle_host_new_list";
/// `void (ptr list, i64 bytes)`: grows the list's capacity to at least that many bytes.
inline constexpr const char *growListFunction = "heddle_host_grow_list";
/// `ptr (ptr data, i64 n, i64 bytes)`: a new owner, with zero references, of a copy of n elements of that size.
inline constexpr const char *copyFunction = "heddle_host_copy";
/// `ptr (ptr data)`: an owner, with zero references, that keeps alive the caller's array that contains the address;
/// null if no array contains it.
inline constexpr const char *keepArrayFunction = "heddle_host_keep_array";
/// Offsets from a list's owner to the address of its elements, their number, and the capacity in bytes.
inline constexpr uint64_t listElements = 32, listSize = 40, listBytes = 48;
/// `ptr (i64 bytes)`: a new generator owner with one reference, followed by that many zero bytes. These start with
/// 8-byte slots that compiled code fills: the resume function, `i8 (ptr generator)`, which returns a GeneratorStep; the
/// release function, `void (ptr generator)`; the resume point, 0 at the start and -1 at the end; the parts of the last
/// yielded value, and their owners.
inline constexpr const char *newGeneratorFunction = "heddle_host_new_generator";
enum GeneratorStep : uint8_t { GeneratorEnded, GeneratorYielded, GeneratorRaised };
enum GeneratorSlot : unsigned { ResumeSlot, ReleaseSlot, ResumePointSlot, YieldedSlot };
/// `ptr (i64 slots)`: memory for the arguments of an exception that is about to be raised.
inline constexpr const char *raisedFunction = "heddle_host_raised";
/// `void (i64 slot)`: copies a string whose address, length and width are stored from that slot on; the slot then holds
/// the position of the copied code points.
inline constexpr const char *keepTextFunction = "heddle_host_keep_text";
/// Exception handling by branches, without unwinding: `void (i32 site, i64 index, i64 extent)` records an exception;
/// `ptr ()` returns an owner of the recorded exception, and `void (ptr)` records that exception again; `void ()` ends
/// the call with the recorded exception.
inline constexpr const char *noteFunction = "heddle_host_note";
inline constexpr const char *caughtFunction = "heddle_host_caught";
/// Offset from the owner to the site of a recorded exception.
inline constexpr uint64_t caughtSite = 64 + 4;
inline constexpr const char *noteAgainFunction = "heddle_host_note_again";
inline constexpr const char *leaveFunction = "heddle_host_leave";
/// `i64 (i64 iterations)`: the number of chunks into which the available threads split a loop.
inline constexpr const char *chunksFunction = "heddle_host_chunks";
/// `void (ptr function, ptr used, i64 iterations, i64 chunks)`: calls `void function(ptr used, i64 chunk, i64 first,
/// i64 last)` for each chunk, on several threads. Ends the call with the exception of the first chunk that raises one.
inline constexpr const char *parallelFunction = "heddle_host_parallel";
/// On such a function: values carried by its outermost loops are reductions.
inline constexpr const char *sharedIterationsAttribute = "heddle.shared-iterations";
/// Same, but returns a byte: nonzero if a chunk has raised an exception, which is recorded.
inline constexpr const char *guardedParallelFunction = "heddle_host_parallel_guarded";
/// `i64 ()`: this thread's index among the threads that run a loop, and their maximum number.
inline constexpr const char *threadFunction = "heddle_host_thread";
inline constexpr const char *threadsFunction = "heddle_host_threads";
// Strings are passed as an address, a number of code points, and the bytes per code point: 1 or 4.
/// `i64 (string, string)`: a negative number, 0 or a positive number, like strcmp.
inline constexpr const char *compareTextsFunction = "heddle_host_compare_texts";
/// `void (ptr to, i64 bytes, string from)`: copies the code points of a string at that many bytes each.
inline constexpr const char *putTextFunction = "heddle_host_put_text";
/// `i64 (string)`: a hash; equal strings have equal hashes.
inline constexpr const char *hashTextFunction = "heddle_host_hash_text";
/// `ptr (i64 bits, i32 kind, ptr made)`: the owner of a number's text; stores the number of code points and the bytes
/// per code point to `made`.
inline constexpr const char *numberTextFunction = "heddle_host_number_text";
/// `i8 (string, ptr number)`: parses a float64 as Python does; returns 0 if that fails.
inline constexpr const char *readNumberFunction = "heddle_host_read_number";
/// `ptr (ptr how, ptr types, ptr slots, ptr made)`: the owner of text that Python formats from values, see PythonText;
/// null for a bool, which is stored to `made`. Ends the call if Python raises.
inline constexpr const char *pythonTextFunction = "heddle_host_python_text";
/// Offset from an owner to its memory, and the memory's alignment.
inline constexpr uint64_t ownerBytes = 64;

/// A byte that is set by Ctrl-C, and `void ()`, which compiled code then calls; it may end the call.
inline constexpr const char *interruptFlag = "heddle_host_interrupt_flag";
inline constexpr const char *interruptFunction = "heddle_host_answer_interrupt";

/// The context for callbacks from C, an address, and `void (ptr context, ptr arguments, ptr results)`, which calls back
/// with slots like those of a program's calls. It never raises; on errors the results are 0.
inline constexpr const char *calledFromC = "heddle_host_called_from_c";
inline constexpr const char *callFromCFunction = "heddle_host_call_from_c";

/// `ptr (i32 generator)`: the state words of this thread's random number generator.
inline constexpr const char *randomWordsFunction = "heddle_host_random_words";
inline constexpr unsigned randomWords = 628;

} // namespace heddle::simt
