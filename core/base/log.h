/* An append-only published log.  SPDX-License-Identifier: MIT
 *
 * One writer, any number of readers, no locks and no drops: the writer fills an element and then
 * releases the new count; a reader acquires the count and may read every element below it, for as
 * long as the log lives.  Elements never move.  Memory grows in blocks that double. */
#pragma once

#include <glib.h>
#include <stddef.h>

typedef struct NsLog NsLog;

NsLog *ns_log_new(size_t element_size);
void ns_log_free(NsLog *log);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLog, ns_log_free)

/* Writer only.  Copies one element in and publishes it. */
void ns_log_append(NsLog *log, const void *element);

/* Any thread: how many elements are published. */
size_t ns_log_count(const NsLog *log);

/* Any thread: element i, i < ns_log_count(); borrowed until the log is freed. */
const void *ns_log_get(const NsLog *log, size_t i);
