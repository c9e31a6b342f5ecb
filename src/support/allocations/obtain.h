// Allocates memory. In a separate file, so that tests can replace these functions.
#pragma once

#include <cstddef>

extern "C" {
/// Allocates from the heap of the thread's guarded run, else from the process heap. Null if memory is exhausted.
/// `alignment` must be a power of 2.
void *heddle_obtain(size_t bytes, size_t alignment);
/// Resizes a block of the process heap, as realloc() does.
void *heddle_resize(void *block, size_t bytes);
}
