#pragma once
#include <cmath>
#include <cstddef>
