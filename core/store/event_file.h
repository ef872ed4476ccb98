/* Event files, as TensorBoard reads them.  SPDX-License-Identifier: MIT
 *
 * A file is a sequence of records: its length, eight bytes little-endian; a check of these; an
 * Event of tensorflow/core/util/event.proto; a check of that.  The checks are CRC-32C, masked as in
 * tensorflow/core/lib/hash/crc32c.h.  TensorBoard finds files whose names contain “tfevents”. */
#pragma once

#include <glib.h>
#include <stdint.h>

/* Appends the record that such a file begins with. */
void ns_event_file_begin(GByteArray *out);

/* Appends a value to those of a record: bit for bit, the first as a tensor of one double. */
void ns_event_file_add_double(GByteArray *values, const char *tag, double value);
void ns_event_file_add_float(GByteArray *values, const char *tag, float value);

/* Appends the record of these values; time: Unix time in seconds. */
void ns_event_file_end(GByteArray *out, double time, int64_t step, const GByteArray *values);
