/* Any bytes as the lines of a run, after those of its settings.  SPDX-License-Identifier: MIT
 *
 * They are refused with an error of the program's own, or what was read is a run. */
#include "core/store/run_record.h"
#include "tests/fuzz/fuzz.h"

#define HEAD "{\"settings\":{\"layers\":2,\"heads\":2,\"d_model\":8,\"probe_every\":1}}\n"

static void check_history(const NsHistory *history)
{
    size_t steps = ns_history_steps(history);
    int64_t first = ns_history_first_step(history);
    require(steps > 0 && first >= 0);
    for (size_t i = 0; i < steps; i++)
        require(ns_history_step(history, i)->step == first + (int64_t)i);
    for (size_t i = 0; i < ns_history_events(history); i++) {
        const NsEvent *event = ns_history_event(history, i);
        require(event->layer >= 0 && event->layer <= 2);
        require(g_utf8_validate(event->text, -1, NULL) && g_utf8_validate(event->what, -1, NULL));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRecordedRun) record = ns_recorded_run_new("a");
    g_autoptr(GInputStream) stream = g_memory_input_stream_new();
    GMemoryInputStream *memory = G_MEMORY_INPUT_STREAM(stream);
    g_memory_input_stream_add_data(memory, HEAD, strlen(HEAD), NULL);
    g_memory_input_stream_add_data(memory, data, (gssize)size, NULL);
    if (ns_run_record_read(record, G_MAXINT64, stream, NULL, &error)) {
        require(record->experiment.n == 1);
        check_history(record->histories[0]);
    } else {
        require_error(error);
    }
    return 0;
}
