/* Event files, as TensorBoard reads them.  SPDX-License-Identifier: MIT
 *
 * A file is a sequence of records: the length of an Event in eight little-endian bytes; a checksum
 * of these bytes; the Event of tensorflow/core/util/event.proto; its checksum.  The checksums are
 * CRC-32C, masked as in tensorflow/core/lib/hash/crc32c.h.  TensorBoard finds files whose names
 * contain “tfevents”. */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* Wire types of Protocol Buffers: how a field of an event is encoded. */
enum { NS_WIRE_VARINT, NS_WIRE_EIGHT_BYTES, NS_WIRE_LENGTH, NS_WIRE_FOUR_BYTES = 5 };

/* The masked CRC-32C of n bytes. */
uint32_t ns_event_file_check(const void *bytes, size_t n);

/* Appends the first record of a file. */
void ns_event_file_begin(GByteArray *out);

/* Appends a value to those of a record without rounding: a double as a tensor of one element, a
 * float as a simple_value. */
void ns_event_file_add_double(GByteArray *values, const char *tag, double value);
void ns_event_file_add_float(GByteArray *values, const char *tag, float value);

/* Appends the record of these values, without the time of measurement. */
void ns_event_file_end(GByteArray *out, int64_t step, const GByteArray *values);
