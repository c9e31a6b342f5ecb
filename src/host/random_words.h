// The state of the generators of random numbers of this thread.
#pragma once

#include <cstdint>

namespace heddle::host {

/// Words of a generator (a Mersenne twister): its 624 words of state; how many of them are used; whether a normal number
/// is left over; that number, as a float64. Functions that are written in Python read and write them
/// (heddle/host_library/mersenne_twister.py). At first they are of the system's randomness.
///
/// generator: 0 for numpy.random, 1 for Python's random.
uint32_t *randomWords(uint32_t generator);

} // namespace heddle::host
