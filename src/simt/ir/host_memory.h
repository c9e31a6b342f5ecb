// What functions of the host call of their runtime: the memory of arrays, loops that threads share, calls from C, random
// numbers. No SIMT IR has it.
//
// An array's memory lies behind its owner, which counts the references to it in its first 8 bytes.
#pragma once

#include <cstdint>

namespace heddle::simt {

/// `ptr (i64 bytes, i1 zeroed)`: an owner with one reference. Ends the call when there is no memory.
inline constexpr const char *allocateFunction = "heddle_host_allocate";
/// `void (ptr owner)`: the last reference is gone.
inline constexpr const char *freeFunction = "heddle_host_free";
/// `void (ptr owner)`, which each module defines: one more reference, and one less; nothing for null.
inline constexpr const char *retainFunction = "heddle.retain";
inline constexpr const char *releaseFunction = "heddle.release";
/// `ptr (i64 bytes, i32 slots, i32 owners)`: the owner of a list, with one reference, and memory for elements of so many
/// bytes. Each element has so many slots, of which the last are owners that the list has references to. Ends the call when
/// there is no memory.
inline constexpr const char *newListFunction = "heddle_host_new_list";
/// `void (ptr list, i64 bytes)`: makes room for that many bytes, and more.
inline constexpr const char *growListFunction = "heddle_host_grow_list";
/// `ptr (ptr data, i64 n, i64 bytes)`: the owner of a copy of n things of so many bytes, without references.
inline constexpr const char *copyFunction = "heddle_host_copy";
/// `ptr (ptr data)`: an owner, without references, that keeps the caller's array in which the address lies; null where it
/// is in none.
inline constexpr const char *keepArrayFunction = "heddle_host_keep_array";
/// Where the owner of a list has the address of its elements, how many there are, and how many bytes they may take.
inline constexpr uint64_t listElements = 32, listSize = 40, listBytes = 48;
/// `ptr (i64 bytes)`: the owner of a generator, with one reference, and so many zeros behind it. They begin with slots of 8
/// bytes, which the compiled code fills: the address of a function that resumes it, `i8 (ptr generator)`, which returns a
/// GeneratorStep; that of one that releases what it refers to, `void (ptr generator)`; where it goes on, 0 at its start and
/// -1 when it has ended; the parts of the value that it has yielded last, and their owners.
inline constexpr const char *newGeneratorFunction = "heddle_host_new_generator";
enum GeneratorStep : uint8_t { GeneratorEnded, GeneratorYielded, GeneratorRaised };
enum GeneratorSlot : unsigned { ResumeSlot, ReleaseSlot, PlaceSlot, YieldedSlot };
/// `ptr (i64 slots)`: where an exception that is about to be raised keeps its arguments.
inline constexpr const char *raisedFunction = "heddle_host_raised";
/// `void (i64 slot)`: keeps a string whose address, length and width are kept from that slot on, which then says where in
/// the slots its code points begin.
inline constexpr const char *keepTextFunction = "heddle_host_keep_text";
/// Where exceptions are caught, by branches and no unwinding: `void (i32 site, i64 index, i64 extent)` notes what is raised;
/// `ptr ()` makes an owner that keeps what was noted, `void (ptr)` notes it again; `void ()` ends the call with it.
inline constexpr const char *noteFunction = "heddle_host_note";
inline constexpr const char *caughtFunction = "heddle_host_caught";
/// Where what was noted has its site, from the owner.
inline constexpr uint64_t caughtSite = 64 + 4;
inline constexpr const char *noteAgainFunction = "heddle_host_note_again";
inline constexpr const char *leaveFunction = "heddle_host_leave";
/// `i64 (i64 rounds)`: in how many chunks the threads that there are now run the rounds of a loop.
inline constexpr const char *chunksFunction = "heddle_host_chunks";
/// `void (ptr function, ptr used, i64 rounds, i64 chunks)`: calls `void function(ptr used, i64 chunk, i64 first, i64 last)`
/// for each chunk, by several threads at once. Ends the call with the exception of the first chunk that raises one.
inline constexpr const char *parallelFunction = "heddle_host_parallel";
/// Of such a function: what a loop in it that is in no other carries from round to round is reduced.
inline constexpr const char *sharedRoundsAttribute = "heddle.shared_rounds";
/// The same as a function that returns in a byte whether a chunk has raised an exception, which is noted.
inline constexpr const char *guardedParallelFunction = "heddle_host_parallel_guarded";
/// `i64 ()`: the number of this thread among those that run a loop, and how many of them there are at most.
inline constexpr const char *threadFunction = "heddle_host_thread";
inline constexpr const char *threadsFunction = "heddle_host_threads";
// Strings are passed as an address, the number of their code points and the bytes of each, 1 or 4.
/// `i64 (string, string)`: less than, equal to or greater than 0, as the first is to the second.
inline constexpr const char *compareTextsFunction = "heddle_host_compare_texts";
/// `void (ptr to, i64 bytes, string from)`: writes the code points of a string where each has so many bytes.
inline constexpr const char *putTextFunction = "heddle_host_put_text";
/// `i64 (string)`: equal for equal strings.
inline constexpr const char *hashTextFunction = "heddle_host_hash_text";
/// `ptr (i64 bits, i32 kind, ptr made)`: the owner of the text of a number; `made` gets how many code points it has and the
/// bytes of each.
inline constexpr const char *numberTextFunction = "heddle_host_number_text";
/// `i8 (string, ptr number)`: whether a string is a float64 as Python reads it.
inline constexpr const char *readNumberFunction = "heddle_host_read_number";
/// `ptr (ptr how, ptr types, ptr slots, ptr made)`: the owner of the text that Python makes of values, see PythonText; null
/// for a bool, which `made` gets. Ends the call where Python raises.
inline constexpr const char *pythonTextFunction = "heddle_host_python_text";
/// From an owner to its memory, which is aligned to this, too.
inline constexpr uint64_t ownerBytes = 64;

/// A byte that is set when Ctrl-C was pressed, and `void ()`, which is called then and may end the call.
inline constexpr const char *interruptFlag = "heddle_host_interrupt_flag";
inline constexpr const char *interruptFunction = "heddle_host_answer_interrupt";

/// What calls from C are for, an address, and `void (ptr for, ptr arguments, ptr results)`, which makes them: with slots as
/// a program's calls have. It never raises; the results are 0 then.
inline constexpr const char *calledFromC = "heddle_host_called_from_c";
inline constexpr const char *callFromCFunction = "heddle_host_call_from_c";

/// `ptr (i32 generator)`: the words of a generator of random numbers of this thread.
inline constexpr const char *randomWordsFunction = "heddle_host_random_words";
inline constexpr unsigned randomWords = 628;

} // namespace heddle::simt
