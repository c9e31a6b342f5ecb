// Defines the types of cuComplex.h as complex<T>, like translate_cucomplex=True.
#pragma once
#ifndef __HEDDLE_TRANSLATE_CUCOMPLEX
#define __HEDDLE_TRANSLATE_CUCOMPLEX
#endif
#include "cuComplex.h"
