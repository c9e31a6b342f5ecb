// cuda::std has what std has.
#pragma once

namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda
