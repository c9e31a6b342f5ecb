// Imports namespace std into cuda::std.
#pragma once

namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
