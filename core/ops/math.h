/* Elementary functions in the precision of a real.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/real.h"

#include <math.h>

#ifdef NS_DOUBLE
#define ns_exp exp
#define ns_tanh tanh
#define ns_erf erf
#define ns_abs fabs
#else
#define ns_exp expf
#define ns_tanh tanhf
#define ns_erf erff
#define ns_abs fabsf
#endif
