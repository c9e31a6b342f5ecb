// Where the memory of this module comes from. In a file of its own, so that a test can come between the two.
#pragma once

#include <cstddef>

extern "C" {
/// Memory of the calling thread's guarded run, or of the process; null when there is none. `alignment`: a power of 2.
void *heddle_obtain(size_t bytes, size_t alignment);
/// The process's block with another size, as realloc().
void *heddle_resize(void *block, size_t bytes);
}
