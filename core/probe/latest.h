/* A value of which only the newest matters.  SPDX-License-Identifier: MIT
 *
 * One writer, any number of readers, no locks: the writer fills a slot that nobody reads and then
 * names it as the newest; a reader copies the slot that is the newest.  Neither waits for the
 * other.  For payloads too big to keep one a step. */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct NsLatest NsLatest;

NsLatest *ns_latest_new(size_t size);
void ns_latest_free(NsLatest *latest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLatest, ns_latest_free)

/* Writer only.  Copies the value in and publishes it. */
void ns_latest_publish(NsLatest *latest, const void *value);

/* Any thread.  Copies the newest value out; false if nothing was published yet. */
bool ns_latest_read(NsLatest *latest, void *value);
