/* SPDX-License-Identifier: MIT */
#include "app/cli/recorded.h"

#include "app/cli/cli.h"
#include "core/base/error.h"
#include "core/store/outside_file.h"
#include "core/store/run_reader.h"
#include "core/store/run_record.h"
#include "core/train/run.h"

#include <stdio.h>

bool ns_recorded_is(const char *path)
{
    return ns_run_file_is(path) || ns_run_record_is(path) || ns_outside_file_is(path);
}

static void put(NsHistory **place, NsHistory *history)
{
    g_clear_pointer(place, ns_history_unref);
    *place = history;
}

/* ---- A run file ---- */

static NsHistory *read_lane(NsRunReader *reader, size_t lane, int64_t limit, GError **error)
{
    g_autoptr(NsHistory) first = NULL;
    size_t seeds = ns_run_reader_seeds(reader);
    for (size_t k = 0; k < seeds; k++) {
        NsRunLane there = ns_run_reader_lane(reader, lane, k);
        int64_t last = MAX(there.first, MIN(there.last, limit));
        g_autoptr(NsHistory) history = ns_run_reader_history(
            (NsRecorded){reader, lane, k}, there.first, last, NS_HISTORY_BUDGET / seeds, error);
        if (!history) return NULL;
        if (k)
            ns_history_add_seed(first, history);
        else
            first = g_steal_pointer(&history);
    }
    return g_steal_pointer(&first);
}

static bool read_run_file(const char *path, int64_t limit, NsHistory *histories[], int64_t *last,
                          GError **error)
{
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, error);
    if (!reader) return false;
    const NsProvenance *provenance = ns_run_reader_provenance(reader);
    *last = provenance->step;
    for (size_t i = 0; limit >= 0 && i < provenance->experiment.n; i++) {
        NsHistory *history = read_lane(reader, i, limit, error);
        if (!history) return false;
        put(&histories[i], history);
    }
    return true;
}

/* ---- JSON lines ---- */

static bool read_lines(const char *path, int64_t limit, NsHistory *histories[], int64_t *last,
                       GError **error)
{
    g_auto(NsRunRecord) record = {.end = limit + 1};
    if (!ns_run_record_load(&record, path, NULL, error)) return false;
    if (record.wrong_line && limit < 0) {
        g_autofree char *name = g_filename_display_basename(path);
        fprintf(stderr,
                NS_CLI ": “%s” was read up to line %zu, which is not a complete line of a run.\n",
                name, record.wrong_line);
    }
    for (size_t i = 0; i < record.experiment.n; i++) {
        NsHistory *history = record.histories[i];
        put(&histories[i], ns_history_ref(history));
        for (size_t k = 0; limit < 0 && k < ns_history_seeds(history); k++)
            *last = MAX(*last, ns_history_last_step(ns_history_seed(history, k)));
    }
    return true;
}

/* ---- A run of another program ---- */

static bool read_outside(const char *path, int64_t limit, NsHistory *histories[], int64_t *last,
                         GError **error)
{
    g_autoptr(NsOutsideFile) file = ns_outside_file_open(path, NS_HISTORY_BUDGET, error);
    if (!file) return false;
    NsOutside *run = ns_outside_file_run(file);
    g_autofree char *name = g_filename_display_basename(path);
    if (limit >= 0) ns_outside_end_with(run, limit);
    while (ns_outside_file_read(file, 0) == NS_OUTSIDE_MORE) continue;
    ns_outside_end(run);
    if (!ns_outside_lanes(run)) return ns_outside_refuse_empty(run, name, limit >= 0, error);
    char *message;
    while ((message = ns_outside_take_message(run))) {
        if (limit < 0) fprintf(stderr, NS_CLI ": “%s”: %s\n", name, message);
        g_free(message);
    }
    for (size_t i = 0; i < ns_outside_lanes(run); i++) {
        NsHistory *history = ns_outside_history(run, i);
        if (!history)
            return ns_refuse(error, NS_ERROR_FILE,
                             "“%s” has a lane %zu but no lane %zu; lanes count from 1.", name,
                             ns_outside_lanes(run), i + 1);
        put(&histories[i], ns_history_ref(history));
        if (limit < 0) *last = MAX(*last, ns_history_last_step(history));
    }
    return true;
}

bool ns_recorded_read(const char *path, int64_t limit, NsHistory *histories[NS_LANES_MAX],
                      int64_t *last, GError **error)
{
    if (ns_run_file_is(path)) return read_run_file(path, limit, histories, last, error);
    /* The first call has read all steps. */
    if (histories[0] && limit >= *last) return true;
    bool own = ns_run_record_is(path);
    return (own ? read_lines : read_outside)(path, limit, histories, last, error);
}

bool ns_recorded_add(const char *path, int64_t limit, NsHistory *histories[NS_LANES_MAX],
                     int64_t *last, GError **error)
{
    NsHistory *own[NS_LANES_MAX] = {0};
    int64_t end = 0;
    size_t n = 0, k = 0;
    g_autofree char *name = g_filename_display_basename(path);
    if (!ns_recorded_is(path))
        return ns_refuse(error, NS_ERROR_USAGE,
                         "“%s” is not a recorded run; --beside needs run files or lines of runs.",
                         name);
    bool good = ns_recorded_read(path, -1, own, &end, error) &&
                ns_recorded_read(path, MIN(limit, end), own, &end, error);
    while (n < NS_LANES_MAX && histories[n]) n++;
    while (k < NS_LANES_MAX && own[k] && n < NS_LANES_MAX)
        put(&histories[n++], g_steal_pointer(&own[k++]));
    if (good && k < NS_LANES_MAX && own[k])
        good = ns_refuse(error, NS_ERROR_USAGE,
                         "With “%s” there are more than %d lanes; name fewer runs.", name,
                         NS_LANES_MAX);
    for (; k < NS_LANES_MAX; k++) put(&own[k], NULL);
    *last = MAX(*last, end);
    return good;
}
