/* A value with one writer and many readers, who only need the newest.  SPDX-License-Identifier: MIT
 *
 * One writer, any number of readers.  The writer fills a slot that nobody reads and then names it
 * as the newest; a reader takes a reference to the newest slot, which then stays as it is until the
 * reference is given back.  A lock is held only while pointers and counts are copied, never while a
 * value is written or read.  It is made for values that are too large to keep for every step. */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct NsLatest NsLatest;

typedef struct {
    void *value;
    size_t readers; /* under the lock */
} NsSlot;

/* Slots have `size` bytes, zero at first; `clear`, where it is not NULL, frees what one holds. */
NsLatest *ns_latest_new(size_t size, GDestroyNotify clear);
void ns_latest_free(NsLatest *latest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLatest, ns_latest_free)

/* Writer: a slot that nobody reads, with its old contents.  Free slots are reused in turn, so that
 * no slot keeps memory for a value that can no longer be read. */
NsSlot *ns_latest_prepare(NsLatest *latest);
void ns_latest_publish(NsLatest *latest, NsSlot *slot);

/* Any thread: the newest slot, to be given back; NULL if nothing was published yet. */
NsSlot *ns_latest_acquire(NsLatest *latest);
void ns_latest_release(NsLatest *latest, NsSlot *slot);

/* Writer: prepares a slot, copies the value into it and publishes it. */
void ns_latest_write(NsLatest *latest, const void *value);

/* Any thread: copies the newest value out; false if nothing was published yet. */
bool ns_latest_read(NsLatest *latest, void *value);
