/* SPDX-License-Identifier: MIT */
#include "core/probe/latest.h"

#include "core/base/thread.h"

#include <string.h>

struct NsLatest {
    size_t size;
    GDestroyNotify clear;
    GPtrArray *slots; /* NsSlot; writer only */
    guint next;       /* index of the slot to try next; writer only */

    pthread_mutex_t lock; /* guards `newest` and the readers of all slots */
    NsSlot *newest;
};

NsLatest *ns_latest_new(size_t size, GDestroyNotify clear)
{
    NsLatest *latest = g_new0(NsLatest, 1);
    latest->size = size;
    latest->clear = clear;
    latest->slots = g_ptr_array_new();
    pthread_mutex_init(&latest->lock, NULL);
    return latest;
}

void ns_latest_free(NsLatest *latest)
{
    if (!latest) return;
    for (guint i = 0; i < latest->slots->len; i++) {
        NsSlot *slot = g_ptr_array_index(latest->slots, i);
        if (latest->clear) latest->clear(slot->value);
        g_free(slot->value);
        g_free(slot);
    }
    g_ptr_array_free(latest->slots, TRUE);
    pthread_mutex_destroy(&latest->lock);
    g_free(latest);
}

NsSlot *ns_latest_prepare(NsLatest *latest)
{
    for (guint i = 0; i < latest->slots->len; i++) {
        NsSlot *slot = g_ptr_array_index(latest->slots, latest->next);
        latest->next = (latest->next + 1) % latest->slots->len;
        /* Whether a slot has no reader and cannot get one: readers only take the newest slot, which
         * only the writer changes. */
        NS_HELD held = ns_hold(&latest->lock);
        if (slot != latest->newest && slot->readers == 0) return slot;
    }
    NsSlot *slot = g_new0(NsSlot, 1);
    slot->value = g_malloc0(latest->size);
    g_ptr_array_add(latest->slots, slot);
    return slot;
}

void ns_latest_publish(NsLatest *latest, NsSlot *slot)
{
    NS_HELD held = ns_hold(&latest->lock);
    latest->newest = slot;
}

NsSlot *ns_latest_acquire(NsLatest *latest)
{
    NS_HELD held = ns_hold(&latest->lock);
    NsSlot *slot = latest->newest;
    if (slot) slot->readers++;
    return slot;
}

void ns_latest_release(NsLatest *latest, NsSlot *slot)
{
    NS_HELD held = ns_hold(&latest->lock);
    slot->readers--;
}

void ns_latest_write(NsLatest *latest, const void *value)
{
    NsSlot *slot = ns_latest_prepare(latest);
    memcpy(slot->value, value, latest->size);
    ns_latest_publish(latest, slot);
}

bool ns_latest_read(NsLatest *latest, void *value)
{
    NsSlot *slot = ns_latest_acquire(latest);
    if (!slot) return false;
    memcpy(value, slot->value, latest->size);
    ns_latest_release(latest, slot);
    return true;
}
