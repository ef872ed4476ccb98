/* SPDX-License-Identifier: MIT */
#include "core/base/crc.h"

#include <glib.h>

static const uint32_t *table_of(uint32_t polynomial)
{
    static struct {
        gsize ready;
        uint32_t rows[256];
    } tables[2];
    size_t which = polynomial == NS_CRC32C;
    if (g_once_init_enter(&tables[which].ready)) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t crc = byte;
            for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
            tables[which].rows[byte] = crc;
        }
        g_once_init_leave(&tables[which].ready, 1);
    }
    return tables[which].rows;
}

uint32_t ns_crc32(uint32_t polynomial, uint32_t so_far, const void *bytes, size_t n)
{
    const uint32_t *table = table_of(polynomial);
    const uint8_t *p = bytes;
    uint32_t crc = ~so_far;
    for (size_t i = 0; i < n; i++) crc = crc >> 8 ^ table[(crc ^ p[i]) & 0xff];
    return ~crc;
}
