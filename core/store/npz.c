/* SPDX-License-Identifier: MIT */
#include "core/store/npz.h"

#include "core/base/crc.h"

#include <string.h>

/* The .npy header is padded to a multiple of this. */
#define ALIGNMENT 64

/* Zip64: sizes are written after the data and have eight bytes (APPNOTE.TXT of PKWARE, 4.4.4 and
 * 4.5.3). */
#define VERSION 45
#define FLAGS (1 << 3)
#define ELSEWHERE 0xffffffffu

/* A fixed date, 1980-01-01, so that the same run gives the same bytes. */
#define DATE 0x21

static void put(GByteArray *out, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        guint8 byte = i < 8 ? (guint8)(number >> 8 * i) : 0;
        g_byte_array_append(out, &byte, 1);
    }
}

static void put_text(GByteArray *out, const char *text)
{
    g_byte_array_append(out, (const guint8 *)text, (guint)strlen(text));
}

void ns_npz_init(NsNpz *npz)
{
    *npz = (NsNpz){.central = g_byte_array_new()};
}

void ns_npz_clear(NsNpz *npz)
{
    g_clear_pointer(&npz->central, g_byte_array_unref);
}

/* Writes the header of a .npy file: magic, version, length, and "{'descr': '<f4', 'fortran_order':
 * False, 'shape': (3, 4), }". */
static void put_npy_head(GByteArray *out, const NsStoredTensor *array)
{
    static const char *const types[] = {
        [NS_STORED_F32] = "<f4",  [NS_STORED_F64] = "<f8", [NS_STORED_I64] = "<i8",
        [NS_STORED_BOOL] = "|b1", [NS_STORED_TEXT] = "|S",
    };
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_printf(text, "{'descr': '%s", types[array->type]);
    if (array->type == NS_STORED_TEXT) g_string_append_printf(text, "%zu", array->shape[0]);
    g_string_append(text, "', 'fortran_order': False, 'shape': (");
    for (size_t i = 0; array->type != NS_STORED_TEXT && i < array->dims; i++)
        g_string_append_printf(text, "%zu, ", array->shape[i]);
    g_string_append(text, "), }");
    while ((10 + text->len + 1) % ALIGNMENT) g_string_append_c(text, ' ');
    g_string_append_c(text, '\n');
    put_text(out, "\x93NUMPY\x01");
    put(out, 0, 1);
    put(out, text->len, 2);
    put_text(out, text->str);
}

void ns_npz_begin(NsNpz *npz, const NsStoredTensor *array, GByteArray *out)
{
    g_autofree char *file = g_strconcat(array->name, ".npy", NULL);
    guint before = out->len;
    npz->begin = npz->written;
    put(out, 0x04034b50, 4);
    put(out, VERSION, 2);
    put(out, FLAGS, 2);
    put(out, 0, 4); /* not compressed; time */
    put(out, DATE, 2);
    put(out, 0, 4); /* the checksum follows the data, like the sizes */
    put(out, ELSEWHERE, 4);
    put(out, ELSEWHERE, 4);
    put(out, strlen(file), 2);
    put(out, 20, 2); /* Zip64 field with two sizes of eight bytes */
    put_text(out, file);
    put(out, 1, 2);
    put(out, 16, 2);
    put(out, 0, 8);
    put(out, 0, 8);
    guint head = out->len;
    put_npy_head(out, array);
    npz->written += head - before;
    npz->crc = 0;
    npz->size = 0;
    ns_npz_add(npz, out->data + head, out->len - head);
}

void ns_npz_add(NsNpz *npz, const void *data, size_t bytes)
{
    npz->crc = ns_crc32(NS_CRC32, npz->crc, data, bytes);
    npz->size += bytes;
    npz->written += bytes;
}

void ns_npz_end_array(NsNpz *npz, const char *name, GByteArray *out)
{
    g_autofree char *file = g_strconcat(name, ".npy", NULL);
    guint before = out->len;
    put(out, 0x08074b50, 4);
    put(out, npz->crc, 4);
    put(out, npz->size, 8);
    put(out, npz->size, 8);
    npz->written += out->len - before;
    npz->entries++;

    GByteArray *central = npz->central;
    put(central, 0x02014b50, 4);
    put(central, VERSION, 2);
    put(central, VERSION, 2);
    put(central, FLAGS, 2);
    put(central, 0, 4);
    put(central, DATE, 2);
    put(central, npz->crc, 4);
    put(central, ELSEWHERE, 4);
    put(central, ELSEWHERE, 4);
    put(central, strlen(file), 2);
    put(central, 28, 2);
    put(central, 0, 2 + 2 + 2 + 4); /* no comment, disk 0, no attributes */
    put(central, ELSEWHERE, 4);
    put_text(central, file);
    put(central, 1, 2);
    put(central, 24, 2);
    put(central, npz->size, 8);
    put(central, npz->size, 8);
    put(central, npz->begin, 8);
}

void ns_npz_end(NsNpz *npz, GByteArray *out)
{
    uint64_t size = npz->central->len;
    g_byte_array_append(out, npz->central->data, npz->central->len);
    put(out, 0x06064b50, 4);
    put(out, 44, 8);
    put(out, VERSION, 2);
    put(out, VERSION, 2);
    put(out, 0, 4 + 4); /* disk 0 */
    put(out, npz->entries, 8);
    put(out, npz->entries, 8);
    put(out, size, 8);
    put(out, npz->written, 8);
    put(out, 0x07064b50, 4);
    put(out, 0, 4);
    put(out, npz->written + size, 8);
    put(out, 1, 4);
    put(out, 0x06054b50, 4);
    put(out, 0, 4);
    put(out, 0xffff, 2);
    put(out, 0xffff, 2);
    put(out, ELSEWHERE, 4);
    put(out, ELSEWHERE, 4);
    put(out, 0, 2);
}
