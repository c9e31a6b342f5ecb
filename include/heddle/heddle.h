/// \file
/// Heddle for C++ programs: CUDA C++ kernels compiled in the process, for CPUs and for NVIDIA GPUs.
///
///     auto device = heddle::Device::preferred();
///     heddle::Module module(device, source, {"-DN=4"});
///     heddle::Kernel saxpy = module.function("saxpy");
///     heddle::Buffer<float> x(device, values), y(device, n);
///     saxpy.launch({(n + 255) / 256}, {256}, n, 2.0f, x, y);
///     std::vector<float> result = y.toVector();
///
/// No CUDA toolkit is required: a GPU needs only NVIDIA's driver, and the CPU needs nothing. All errors are thrown as
/// heddle::Error. Objects are reference-counted handles: copies refer to the same object, which lives until the last
/// handle is destroyed. All calls are thread-safe, on different objects or the same one.
#pragma once

#include "heddle/device.h"
#include "heddle/error.h"
#include "heddle/memory.h"
#include "heddle/module.h"
