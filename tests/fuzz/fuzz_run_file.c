/* A run file of which bytes have changed.  SPDX-License-Identifier: MIT
 *
 * It is refused with an error of the program's own, or what it holds can be read: records that
 * follow one another, and checkpoints. */
#include "core/store/run_reader.h"
#include "tests/fuzz/fuzz.h"

static void read_run(NsRecorded of)
{
    g_autoptr(GError) error = NULL;
    NsRunLane lane = ns_run_reader_lane(of.reader, of.lane, of.seed);
    int64_t last = MIN(lane.last, lane.first + 20);
    g_autoptr(NsHistory) history =
        ns_run_reader_history(of, lane.first, last, (size_t)1 << 20, &error);
    if (!history) {
        require_error(error);
        return;
    }
    require(ns_history_steps(history) == (size_t)(last - lane.first + 1));
    for (size_t i = 0; i < ns_history_events(history); i++)
        require(g_utf8_validate(ns_history_event(history, i)->text, -1, NULL));
}

static void read_file(NsRunReader *reader)
{
    g_autoptr(GError) error = NULL;
    NsCheckpoint *checkpoints[NS_LANES_MAX];
    int64_t step;
    size_t n = ns_run_reader_provenance(reader)->experiment.n;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < ns_run_reader_seeds(reader); k++)
            read_run((NsRecorded){reader, i, k});
    g_auto(NsExperiment) experiment = {0};
    if (!ns_run_reader_go_on(reader, &experiment, checkpoints, &step, &error)) require_error(error);
    for (size_t i = 0; i < NS_LANES_MAX; i++) ns_checkpoint_unref(checkpoints[i]);
    g_autofree char *note = ns_run_reader_note(reader, "text");
    require(!note || g_utf8_validate(note, -1, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *path = fuzz_path("a.nsrun");
    fuzz_write(path, data, size);
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, &error);
    if (reader)
        read_file(reader);
    else
        require_error(error);
    return 0;
}
