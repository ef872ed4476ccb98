/* SPDX-License-Identifier: MIT */
#include "core/train/kept.h"

#include <pthread.h>

typedef struct {
    int64_t step;
    size_t bytes;
    NsSnapshot *lanes[NS_LANES_MAX];
} Entry;

struct NsKept {
    size_t lanes, budget;
    pthread_mutex_t mutex;
    /* Guarded by the mutex. */
    GArray *entries; /* Entry, ascending */
    size_t bytes;
};

static Entry *entry_at(const NsKept *kept, guint i)
{
    return &g_array_index(kept->entries, Entry, i);
}

static void entry_clear(Entry *entry)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) ns_snapshot_unref(entry->lanes[i]);
}

static GArray *entries_new(void)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));
    g_array_set_clear_func(entries, (GDestroyNotify)entry_clear);
    return entries;
}

/* ---- What is given up ---- */

/* The one whose neighbours lie closest in proportion to the age of the earlier. */
static guint least_missed(const NsKept *kept)
{
    guint last = kept->entries->len - 1, least = 1;
    double newest = (double)entry_at(kept, last)->step, closest = 2;
    for (guint i = 1; i < last; i++) {
        double before = (double)entry_at(kept, i - 1)->step;
        double gap = (double)entry_at(kept, i + 1)->step - before;
        if (gap / (newest - before) >= closest) continue;
        closest = gap / (newest - before);
        least = i;
    }
    return least;
}

/* Moves an entry out, to be freed when nobody waits for the mutex. */
static void give_up(NsKept *kept, guint i, GArray *gone)
{
    Entry *entry = entry_at(kept, i);
    kept->bytes -= entry->bytes;
    g_array_append_val(gone, *entry);
    *entry = (Entry){0};
    g_array_remove_index(kept->entries, i);
}

/* ---- One thread adds ---- */

NsKept *ns_kept_new(size_t lanes, size_t budget)
{
    NsKept *kept = g_new0(NsKept, 1);
    kept->lanes = lanes;
    kept->budget = budget;
    pthread_mutex_init(&kept->mutex, NULL);
    kept->entries = entries_new();
    return kept;
}

void ns_kept_free(NsKept *kept)
{
    if (!kept) return;
    g_array_unref(kept->entries);
    pthread_mutex_destroy(&kept->mutex);
    g_free(kept);
}

void ns_kept_add(NsKept *kept, int64_t step, NsSnapshot *const *snapshots)
{
    Entry entry = {.step = step};
    for (size_t i = 0; i < kept->lanes; i++) {
        if (!snapshots[i]) continue;
        entry.lanes[i] = ns_snapshot_ref(snapshots[i]);
        entry.bytes += ns_snapshot_bytes(snapshots[i]);
    }
    g_autoptr(GArray) gone = entries_new();
    pthread_mutex_lock(&kept->mutex);
    g_array_append_val(kept->entries, entry);
    kept->bytes += entry.bytes;
    while (kept->entries->len > 2 &&
           (kept->bytes > kept->budget || kept->entries->len > NS_KEPT_MOST))
        give_up(kept, least_missed(kept), gone);
    pthread_mutex_unlock(&kept->mutex);
}

void ns_kept_trim(NsKept *kept)
{
    g_autoptr(GArray) gone = entries_new();
    pthread_mutex_lock(&kept->mutex);
    while (kept->entries->len > 2) give_up(kept, kept->entries->len - 2, gone);
    pthread_mutex_unlock(&kept->mutex);
}

void ns_kept_clear(NsKept *kept)
{
    GArray *empty = entries_new();
    pthread_mutex_lock(&kept->mutex);
    GArray *gone = kept->entries;
    kept->entries = empty;
    kept->bytes = 0;
    pthread_mutex_unlock(&kept->mutex);
    g_array_unref(gone);
}

/* ---- Any thread reads ---- */

size_t ns_kept_steps(NsKept *kept, int64_t *steps, size_t most)
{
    pthread_mutex_lock(&kept->mutex);
    guint n = kept->entries->len;
    for (guint i = 0; i < n && i < most; i++) steps[i] = entry_at(kept, i)->step;
    pthread_mutex_unlock(&kept->mutex);
    return n;
}

bool ns_kept_find(NsKept *kept, int64_t step, NsSnapshot *snapshots[NS_LANES_MAX], int64_t *at)
{
    pthread_mutex_lock(&kept->mutex);
    guint end = kept->entries->len;
    while (end && entry_at(kept, end - 1)->step > step) end--;
    if (end) {
        const Entry *entry = entry_at(kept, end - 1);
        for (size_t i = 0; i < NS_LANES_MAX; i++)
            snapshots[i] = entry->lanes[i] ? ns_snapshot_ref(entry->lanes[i]) : NULL;
        if (at) *at = entry->step;
    }
    pthread_mutex_unlock(&kept->mutex);
    return end > 0;
}

int64_t ns_kept_newest(NsKept *kept)
{
    pthread_mutex_lock(&kept->mutex);
    guint n = kept->entries->len;
    int64_t newest = n ? entry_at(kept, n - 1)->step : -1;
    pthread_mutex_unlock(&kept->mutex);
    return newest;
}

size_t ns_kept_bytes(NsKept *kept)
{
    pthread_mutex_lock(&kept->mutex);
    size_t bytes = kept->bytes;
    pthread_mutex_unlock(&kept->mutex);
    return bytes;
}
