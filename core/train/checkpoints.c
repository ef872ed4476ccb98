/* SPDX-License-Identifier: MIT */
#include "core/train/checkpoints.h"

#include "core/base/thread.h"

typedef struct {
    int64_t step;
    size_t bytes;
    NsCheckpoint *lanes[NS_LANES_MAX];
} Entry;

struct NsCheckpoints {
    size_t lanes;
    pthread_mutex_t mutex;
    /* Guarded by the mutex. */
    size_t budget;
    GArray *entries; /* Entry, ascending */
    size_t bytes;
};

static Entry *entry_at(const NsCheckpoints *store, guint i)
{
    return &g_array_index(store->entries, Entry, i);
}

static void entry_clear(Entry *entry)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) ns_checkpoint_unref(entry->lanes[i]);
}

static GArray *entries_new(void)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(Entry));
    g_array_set_clear_func(entries, (GDestroyNotify)entry_clear);
    return entries;
}

/* ---- Dropping checkpoints ---- */

/* Moves an entry to `gone`, so that it is freed after the mutex is unlocked. */
static void give_up(NsCheckpoints *store, guint i, GArray *gone)
{
    Entry *entry = entry_at(store, i);
    store->bytes -= entry->bytes;
    g_array_append_val(gone, *entry);
    *entry = (Entry){0};
    g_array_remove_index(store->entries, i);
}

static void keep_budget(NsCheckpoints *store, GArray *gone)
{
    while (store->entries->len > 2 &&
           (store->bytes > store->budget || store->entries->len > NS_CHECKPOINTS_MOST)) {
        /* Drop the entry whose neighbors are closest in proportion to the age of the earlier. */
        guint last = store->entries->len - 1, least = 1;
        double newest = (double)entry_at(store, last)->step, closest = 2;
        for (guint i = 1; i < last; i++) {
            double before = (double)entry_at(store, i - 1)->step;
            double gap = (double)entry_at(store, i + 1)->step - before;
            if (gap / (newest - before) >= closest) continue;
            closest = gap / (newest - before);
            least = i;
        }

        give_up(store, least, gone);
    }
}

/* ---- Writer ---- */

NsCheckpoints *ns_checkpoints_new(size_t lanes, size_t budget)
{
    NsCheckpoints *store = g_new0(NsCheckpoints, 1);
    store->lanes = lanes;
    store->budget = budget;
    pthread_mutex_init(&store->mutex, NULL);
    store->entries = entries_new();
    return store;
}

void ns_checkpoints_free(NsCheckpoints *store)
{
    if (!store) return;
    g_array_unref(store->entries);
    pthread_mutex_destroy(&store->mutex);
    g_free(store);
}

void ns_checkpoints_add(NsCheckpoints *store, int64_t step, NsCheckpoint *const *checkpoints)
{
    Entry entry = {.step = step};
    for (size_t i = 0; i < store->lanes; i++) {
        if (!checkpoints[i]) continue;
        entry.lanes[i] = ns_checkpoint_ref(checkpoints[i]);
        entry.bytes += ns_checkpoint_bytes(checkpoints[i]);
    }
    g_autoptr(GArray) gone = entries_new();
    NS_HELD held = ns_hold(&store->mutex);
    g_array_append_val(store->entries, entry);
    store->bytes += entry.bytes;
    keep_budget(store, gone);
}

void ns_checkpoints_set_budget(NsCheckpoints *store, size_t budget)
{
    g_autoptr(GArray) gone = entries_new();
    NS_HELD held = ns_hold(&store->mutex);
    store->budget = budget;
    keep_budget(store, gone);
}

void ns_checkpoints_trim(NsCheckpoints *store)
{
    g_autoptr(GArray) gone = entries_new();
    NS_HELD held = ns_hold(&store->mutex);
    while (store->entries->len > 2) give_up(store, store->entries->len - 2, gone);
}

void ns_checkpoints_clear(NsCheckpoints *store)
{
    g_autoptr(GArray) gone = entries_new();
    NS_HELD held = ns_hold(&store->mutex);
    while (store->entries->len > 0) give_up(store, store->entries->len - 1, gone);
}

/* ---- Readers ---- */

size_t ns_checkpoints_steps(NsCheckpoints *store, int64_t *steps, size_t most)
{
    NS_HELD held = ns_hold(&store->mutex);
    guint n = store->entries->len;
    for (guint i = 0; i < n && i < most; i++) steps[i] = entry_at(store, i)->step;
    return n;
}

bool ns_checkpoints_find(NsCheckpoints *store, int64_t step,
                         NsCheckpoint *checkpoints[NS_LANES_MAX], int64_t *at)
{
    NS_HELD held = ns_hold(&store->mutex);
    guint end = store->entries->len;
    while (end && entry_at(store, end - 1)->step > step) end--;
    if (end) {
        const Entry *entry = entry_at(store, end - 1);
        for (size_t i = 0; i < NS_LANES_MAX; i++)
            checkpoints[i] = entry->lanes[i] ? ns_checkpoint_ref(entry->lanes[i]) : NULL;
        if (at) *at = entry->step;
    }
    return end > 0;
}

int64_t ns_checkpoints_newest(NsCheckpoints *store)
{
    NS_HELD held = ns_hold(&store->mutex);
    guint n = store->entries->len;
    return n ? entry_at(store, n - 1)->step : -1;
}

size_t ns_checkpoints_count(NsCheckpoints *store, GHashTable *seen)
{
    size_t bytes = 0;
    NS_HELD held = ns_hold(&store->mutex);
    for (guint i = 0; i < store->entries->len; i++)
        for (size_t lane = 0; lane < store->lanes; lane++) {
            NsCheckpoint *checkpoint = entry_at(store, i)->lanes[lane];
            if (checkpoint && g_hash_table_add(seen, checkpoint))
                bytes += ns_checkpoint_bytes(checkpoint);
        }
    return bytes;
}
