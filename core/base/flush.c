/* SPDX-License-Identifier: MIT */
#include "core/base/flush.h"

#if defined __x86_64__

#include <xmmintrin.h>

/* Bits of MXCSR that flush results (FTZ, bit 15) and operands (DAZ, bit 6). */
#define FLUSH UINT32_C(0x8040)

uint64_t ns_flush_begin(void)
{
    uint32_t before = _mm_getcsr();
    if ((before & FLUSH) != FLUSH) _mm_setcsr(before | FLUSH);
    return before;
}

void ns_flush_end(uint64_t before)
{
    if ((before & FLUSH) != FLUSH) _mm_setcsr((uint32_t)before);
}

#elif defined __aarch64__

/* The bit FPCR.FZ flushes results and operands. */
#define FLUSH (UINT64_C(1) << 24)

uint64_t ns_flush_begin(void)
{
    uint64_t before;
    __asm__ volatile("mrs %0, fpcr" : "=r"(before));
    if (!(before & FLUSH)) __asm__ volatile("msr fpcr, %0" : : "r"(before | FLUSH));
    return before;
}

void ns_flush_end(uint64_t before)
{
    if (!(before & FLUSH)) __asm__ volatile("msr fpcr, %0" : : "r"(before));
}

#else

uint64_t ns_flush_begin(void)
{
    return 0;
}

void ns_flush_end(uint64_t before)
{
    (void)before;
}

#endif
