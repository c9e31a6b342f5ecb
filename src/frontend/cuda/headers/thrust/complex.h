#pragma once
#include "heddle/complex.h"
