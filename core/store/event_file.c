/* SPDX-License-Identifier: MIT */
#include "core/store/event_file.h"

#include "core/base/crc.h"

#include <string.h>

static void put_varint(GByteArray *out, uint64_t number)
{
    do {
        guint8 byte = (guint8)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        g_byte_array_append(out, &byte, 1);
        number >>= 7;
    } while (number);
}

static void put_key(GByteArray *out, unsigned field, unsigned type)
{
    put_varint(out, field << 3 | type);
}

/* Numbers have the same byte order in memory and in the file (core/store/safetensors.c). */
static void put_fixed(GByteArray *out, unsigned field, const void *number, guint bytes)
{
    put_key(out, field, bytes == 8 ? NS_WIRE_EIGHT_BYTES : NS_WIRE_FOUR_BYTES);
    g_byte_array_append(out, number, bytes);
}

static void put_bytes(GByteArray *out, unsigned field, const void *bytes, size_t n)
{
    put_key(out, field, NS_WIRE_LENGTH);
    put_varint(out, n);
    g_byte_array_append(out, bytes, (guint)n);
}

uint32_t ns_event_file_check(const void *bytes, size_t n)
{
    uint32_t crc = ns_crc32(NS_CRC32C, 0, bytes, n);
    return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

static void put_check(GByteArray *out, const void *bytes, size_t n)
{
    uint32_t check = ns_event_file_check(bytes, n);
    g_byte_array_append(out, (const guint8 *)&check, sizeof check);
}

static void put_record(GByteArray *out, const GByteArray *event)
{
    uint64_t length = event->len;
    g_byte_array_append(out, (const guint8 *)&length, sizeof length);
    put_check(out, &length, sizeof length);
    g_byte_array_append(out, event->data, event->len);
    put_check(out, event->data, event->len);
}

/* Every event begins with its time; 0, so that the same run gives the same bytes. */
static GByteArray *new_event(void)
{
    const double time = 0;
    GByteArray *event = g_byte_array_new();
    put_fixed(event, 1, &time, sizeof time);
    return event;
}

void ns_event_file_begin(GByteArray *out)
{
    static const char version[] = "brain.Event:2";
    g_autoptr(GByteArray) event = new_event();
    put_bytes(event, 3, version, strlen(version));
    put_record(out, event);
}

/* Field numbers: Summary.value = 1; in Value: tag = 1, simple_value = 2, tensor = 8, metadata =
 * 9. */
void ns_event_file_add_float(GByteArray *values, const char *tag, float number)
{
    g_autoptr(GByteArray) value = g_byte_array_new();
    put_bytes(value, 1, tag, strlen(tag));
    put_fixed(value, 2, &number, sizeof number);
    put_bytes(values, 1, value->data, value->len);
}

void ns_event_file_add_double(GByteArray *values, const char *tag, double number)
{
    static const char plugin[] = "scalars";
    g_autoptr(GByteArray) value = g_byte_array_new(), tensor = g_byte_array_new();
    g_autoptr(GByteArray) name = g_byte_array_new(), metadata = g_byte_array_new();
    /* TensorProto: dtype = 1 (DT_DOUBLE = 2), tensor_shape = 2 (none), tensor_content = 4. */
    put_key(tensor, 1, NS_WIRE_VARINT);
    put_varint(tensor, 2);
    put_bytes(tensor, 2, "", 0);
    put_bytes(tensor, 4, &number, sizeof number);
    /* SummaryMetadata: plugin_data = 1 with its plugin_name = 1, data_class = 4 (scalar = 1). */
    put_bytes(name, 1, plugin, strlen(plugin));
    put_bytes(metadata, 1, name->data, name->len);
    put_key(metadata, 4, NS_WIRE_VARINT);
    put_varint(metadata, 1);
    put_bytes(value, 1, tag, strlen(tag));
    put_bytes(value, 8, tensor->data, tensor->len);
    put_bytes(value, 9, metadata->data, metadata->len);
    put_bytes(values, 1, value->data, value->len);
}

void ns_event_file_end(GByteArray *out, int64_t step, const GByteArray *values)
{
    g_autoptr(GByteArray) event = new_event();
    put_key(event, 2, NS_WIRE_VARINT);
    put_varint(event, (uint64_t)step);
    put_bytes(event, 5, values->data, values->len);
    put_record(out, event);
}
