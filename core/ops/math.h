/* Elementary functions of an ns_real.  SPDX-License-Identifier: MIT
 *
 * In single precision they are arithmetic without branches or calls, so that compilers vectorize
 * the loops around them on every machine; the polynomials are minimax fits of the relative error.
 * In double, which the finite-difference tests use, they are the functions of the C library.  NaN
 * gives NaN. */
#pragma once

#include "core/base/real.h"

#include <math.h>
#include <string.h>

#ifdef NS_DOUBLE

#define ns_exp exp
#define ns_tanh tanh
#define ns_abs fabs

static inline double ns_reciprocal(double x)
{
    return 1 / x;
}

static inline double ns_reciprocal_root(double x)
{
    return 1 / sqrt(x);
}

/* P(Z > a) e^(a^2 / 2) for a standard normal Z and a >= 0.  For a > 25, where erfc soon underflows,
 * returns the value at 25. */
static inline double ns_mills(double a)
{
    a = a > 25 ? 25 : a;
    return erfc(a * 0.70710678118654752440) / 2 * exp(a * a / 2);
}

#else

#define ns_abs fabsf
#define NS_INLINE static inline __attribute__((always_inline))

/* 2^n for n in -126..127; unspecified for any other n. */
NS_INLINE float ns_power_of_two(int32_t n)
{
    uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* 1 / x with a relative error of 1.2e-6, without a division, for x in 2^-126..2^125.  The bits of a
 * float approximate its logarithm, which gives a first guess; each of the two Newton steps then
 * squares the error.  The constants center the error around 0. */
NS_INLINE float ns_reciprocal(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x7EF3340Eu - bits;
    float y;
    memcpy(&y, &bits, sizeof y);
    y *= 2.00128162F - x * y;
    return y * (2.00000082F - x * y);
}

/* 1 / sqrt(x) by the same method, for x in 2^-126..2^126.  The first guess is half of the root; the
 * factor of a Newton step y (3 - x y^2) / 2 then becomes a multiple of x that never underflows. */
NS_INLINE float ns_reciprocal_root(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = 0x5EB76892u - (bits >> 1);
    float y;
    memcpy(&y, &bits, sizeof y);
    x *= 2.3784143F;
    y *= 1.78485532F - x * y * y;
    return y * (2.52269022F - x * y * y);
}

/* e^x within 2 ulp; 0 or infinity outside the range of float. */
NS_INLINE float ns_exp(float x)
{
    /* Adding this rounds to an integer, which is then in the low bits. */
    const float shift = 0x1.8p23F;
    float shifted = x * 1.44269504F + shift, n = shifted - shift;
    uint32_t bits, bias; /* unsigned, since their difference overflows if x is out of range */
    memcpy(&bits, &shifted, sizeof bits);
    memcpy(&bias, &shift, sizeof bias);
    int32_t power = (int32_t)(bits - bias), half = power >> 1;
    /* log 2 in two parts; the first is so short that n times it is exact. */
    float r = (x - n * 0.693145752F) - n * 1.42860677e-6F;
    float p = 0.00138144684F;
    p = p * r + 0.00836878084F;
    p = p * r + 0.0416683927F;
    p = p * r + 0.166665196F;
    p = p * r + 0.49999994F;
    p = p * (r * r) + r + 1;
    /* Scaled in two steps, since 2^n alone may be out of range.  The range is checked last: if x
     * were clamped first, compilers would emit twice as many comparisons. */
    p = p * ns_power_of_two(half) * ns_power_of_two(power - half);
    p = x > 90 ? INFINITY : p;
    return x < -110 ? 0 : p;
}

/* tanh x within 3 ulp. */
NS_INLINE float ns_tanh(float x)
{
    float size = fabsf(x), s = x * x;
    float p = -0.00570498267F;
    p = p * s + 0.0206390824F;
    p = p * s - 0.0537397154F;
    p = p * s + 0.133314416F;
    p = p * s - 0.333332807F;
    float near = x * s * p + x, far = copysignf(1 - 2 / (ns_exp(2 * size) + 1), x);
    return size < 0.625F ? near : far;
}

/* P(Z > a) e^(a^2 / 2) for a standard normal Z and a >= 0, within 4 ulp for a <= 6 and 8 ulp for a
 * <= 15.  For a > 15, where e^(-a^2 / 2) is 0, returns the value at 15. */
NS_INLINE float ns_mills(float a)
{
    a = a > 15 ? 15 : a;
    float u = 1 / (1 + 0.25F * a), v = 0.25F * a * u; /* u + v = 1 */
    float p = -0.0197819471F;
    p = p * v + 0.0971604809F;
    p = p * v - 0.160730362F;
    p = p * v + 0.0345855542F;
    p = p * v + 0.155663848F;
    p = p * v + 0.0787270889F;
    p = p * v - 0.798601627F;
    p = p * v + 1.30848122F;
    p = p * v - 1.09576869F;
    p = p * v + 0.5F;
    return p * u;
}

#endif
