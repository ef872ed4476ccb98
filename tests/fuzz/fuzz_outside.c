/* Any bytes as the lines of another program, in any pieces.  SPDX-License-Identifier: MIT
 *
 * What was read is a run: steps ascend, values lie where the layout says, and messages are text. */
#include "core/store/outside.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_history(const NsHistory *history)
{
    const NsRecordLayout *layout = ns_history_layout(history);
    int64_t before = -1;
    for (size_t i = 0; i < ns_history_steps(history); i++) {
        int64_t step = ns_history_step(history, i)->step;
        require(step > before);
        require(ns_history_record(history, step) == (int64_t)i);
        before = step;
    }
    for (unsigned q = 0; q < NS_QUANTITY_ALL; q++) {
        if (!layout->count[q]) continue;
        NsDomain domain = ns_quantity((NsQuantity)q)->domain;
        size_t expected = domain == NS_DOMAIN_STEP     ? 1
                          : domain == NS_DOMAIN_LAYER  ? layout->layers
                          : domain == NS_DOMAIN_HIDDEN ? layout->hidden
                                                       : layout->layers * layout->heads;
        require(layout->count[q] == expected);
        g_auto(NsValues) values = ns_values_new(expected);
        for (size_t i = 0; i < ns_history_steps(history); i++)
            ns_history_read(history, (NsQuantity)q, i, values.value, NULL, values.has);
    }
    for (size_t i = 1; i < ns_history_evaluations(history); i++)
        require(ns_history_evaluation(history, i)->step >
                ns_history_evaluation(history, i - 1)->step);
}

/* The first byte says how long the pieces are, and whether the writer pauses after each. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) return 0;
    g_autoptr(NsOutside) outside = ns_outside_new(1 << 12);
    size_t piece = 1 + data[0];
    const char *bytes = (const char *)data + 1;
    ns_outside_are(bytes, size - 1);
    for (size_t at = 0; at < size - 1; at += piece) {
        ns_outside_feed(outside, bytes + at, MIN(piece, size - 1 - at));
        if (data[0] & 1) ns_outside_pause(outside);
    }
    ns_outside_end(outside);
    require(ns_outside_wrong_lines(outside) <= ns_outside_lines(outside));
    for (size_t i = 0; i < NS_LANES_MAX; i++)
        if (ns_outside_history(outside, i)) check_history(ns_outside_history(outside, i));
    char *message;
    while ((message = ns_outside_take_message(outside))) {
        require(g_utf8_validate(message, -1, NULL));
        g_free(message);
    }
    return 0;
}
