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
/// No CUDA toolkit takes part: a GPU needs NVIDIA's driver, the CPU nothing. Everything throws heddle::Error.
/// Objects are handles: a copy refers to the same thing, which lives as long as one of them. All calls are safe from any
/// thread, on different objects or the same one.
#pragma once

#include "heddle/device.h"
#include "heddle/error.h"
#include "heddle/memory.h"
#include "heddle/module.h"
