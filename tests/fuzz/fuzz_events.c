/* Any bytes as an event file of TensorBoard, in any pieces.  SPDX-License-Identifier: MIT
 *
 * The first byte says how long the pieces are, and whether the rest is the file itself or an event
 * of one, which gets checks that are right. */
#include "core/store/outside.h"
#include "core/store/outside_events-private.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void put_check(GByteArray *out, const void *bytes, size_t n)
{
    uint32_t check = ns_outside_events_check(bytes, n);
    g_byte_array_append(out, (const guint8 *)&check, sizeof check);
}

static void put_event(GByteArray *out, const uint8_t *bytes, uint64_t n)
{
    g_byte_array_append(out, (const guint8 *)&n, sizeof n);
    put_check(out, &n, sizeof n);
    g_byte_array_append(out, bytes, (guint)n);
    put_check(out, bytes, (size_t)n);
}

static void check(const NsOutside *outside)
{
    require(ns_outside_wrong_lines(outside) <= ns_outside_lines(outside));
    for (size_t i = 0; i < NS_LANES_MAX; i++) {
        const NsHistory *history = ns_outside_history(outside, i);
        int64_t before = -1;
        for (size_t k = 0; history && k < ns_history_steps(history); k++) {
            require(ns_history_step(history, k)->step > before);
            before = ns_history_step(history, k)->step;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    g_autoptr(GByteArray) file = g_byte_array_new();
    size_t piece = 1 + data[0] / 2;
    if (data[0] & 1) {
        g_byte_array_append(file, data + 1, (guint)(size - 1));
    } else { /* two events of the halves, and one of all */
        size_t half = (size - 1) / 2;
        put_event(file, data + 1, half);
        put_event(file, data + 1 + half, size - 1 - half);
        put_event(file, data + 1, size - 1);
    }
    g_autoptr(NsOutside) outside = ns_outside_new(1 << 12);
    const char *bytes = (const char *)file->data;
    ns_outside_are(bytes, file->len);
    for (size_t at = 0; at < file->len; at += piece)
        ns_outside_feed(outside, bytes + at, MIN(piece, file->len - at));
    ns_outside_end(outside);
    check(outside);
    char *message;
    while ((message = ns_outside_take_message(outside))) {
        require(g_utf8_validate(message, -1, NULL));
        g_free(message);
    }
    return 0;
}
