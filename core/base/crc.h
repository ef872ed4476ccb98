/* Cyclic redundancy checks of file formats.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The polynomials, bits reversed: of zip files, and of Castagnoli. */
#define NS_CRC32 0xEDB88320u
#define NS_CRC32C 0x82F63B78u

/* The check of bytes that follow those of which `so_far` is the check; 0 before any. */
uint32_t ns_crc32(uint32_t polynomial, uint32_t so_far, const void *bytes, size_t n);
