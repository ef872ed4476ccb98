/* The latest value of one writer, for any number of readers.  SPDX-License-Identifier: MIT
 *
 * The writer fills a slot that has no readers and then publishes it as the newest; a reader
 * acquires the newest slot, whose value does not change until it is released.  A lock is held only
 * while pointers and counts are copied, never while a value is written or read.  It is meant for
 * values that are too large to be stored for every step. */
#pragma once

#include <glib.h>
#include <stdbool.h>

typedef struct NsLatest NsLatest;

typedef struct {
    void *value;
    size_t readers; /* under the lock */
} NsSlot;

/* Slots have `size` bytes, initially zero; `clear`, unless NULL, frees what a value owns. */
NsLatest *ns_latest_new(size_t size, GDestroyNotify clear);
void ns_latest_free(NsLatest *latest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLatest, ns_latest_free)

/* Writer: a slot without readers, with its old contents.  Free slots are reused in turn, so that no
 * slot holds an old value, and the memory it owns, for long. */
NsSlot *ns_latest_prepare(NsLatest *latest);
void ns_latest_publish(NsLatest *latest, NsSlot *slot);

/* Any thread: the newest slot, to be released after use; NULL if nothing was published yet. */
NsSlot *ns_latest_acquire(NsLatest *latest);
void ns_latest_release(NsLatest *latest, NsSlot *slot);

/* Writer: prepares a slot, copies the value into it and publishes it. */
void ns_latest_write(NsLatest *latest, const void *value);

/* Any thread: copies the newest value out; false if nothing was published yet. */
bool ns_latest_read(NsLatest *latest, void *value);
