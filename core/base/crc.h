/* Cyclic redundancy checks of file formats.  SPDX-License-Identifier: MIT */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The bit-reversed polynomials of zip files and of Castagnoli. */
#define NS_CRC32 0xEDB88320u
#define NS_CRC32C 0x82F63B78u

/* Extends a checksum by n bytes.  `so_far`: the checksum of the bytes before them; 0 at the
 * start. */
uint32_t ns_crc32(uint32_t polynomial, uint32_t so_far, const void *bytes, size_t n);
