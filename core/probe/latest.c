/* A value of which only the newest matters.  SPDX-License-Identifier: MIT
 *
 * A reader announces itself at a slot and then looks whether the slot is still the newest; only
 * then does it read.  The writer writes only to a slot that is not the newest and at which nobody
 * is announced.  All of these operations are sequentially consistent: a reader that found its slot
 * to be the newest was announced before the writer could look at it again. */
#include "core/probe/latest.h"

#include <stdatomic.h>
#include <string.h>

/* One is the newest; of the others one is free as long as no more than SLOTS - 2 readers are held
 * up in the middle of a copy. */
#define SLOTS 8

struct NsLatest {
    size_t size;
    atomic_int newest; /* a slot, or -1 */
    atomic_int readers[SLOTS];
    unsigned char *slots[SLOTS]; /* NULL until one is needed for the first time */
};

NsLatest *ns_latest_new(size_t size)
{
    NsLatest *latest = g_new0(NsLatest, 1);
    latest->size = size;
    atomic_init(&latest->newest, -1);
    return latest;
}

void ns_latest_free(NsLatest *latest)
{
    if (!latest) return;
    for (size_t i = 0; i < SLOTS; i++) g_free(latest->slots[i]);
    g_free(latest);
}

void ns_latest_publish(NsLatest *latest, const void *value)
{
    int newest = atomic_load(&latest->newest), slot = 0;
    while (slot == newest || atomic_load(&latest->readers[slot])) slot = (slot + 1) % SLOTS;
    if (!latest->slots[slot]) latest->slots[slot] = g_malloc(latest->size);
    memcpy(latest->slots[slot], value, latest->size);
    atomic_store(&latest->newest, slot);
}

bool ns_latest_read(NsLatest *latest, void *value)
{
    for (;;) {
        int slot = atomic_load(&latest->newest);
        if (slot < 0) return false;
        atomic_fetch_add(&latest->readers[slot], 1);
        bool still = atomic_load(&latest->newest) == slot;
        if (still) memcpy(value, latest->slots[slot], latest->size);
        atomic_fetch_sub(&latest->readers[slot], 1);
        if (still) return true;
    }
}
