/* An append-only published log.  SPDX-License-Identifier: MIT
 *
 * It has one writer and any number of readers, takes no locks and drops nothing: the writer fills
 * an element and then releases the new count; a reader acquires the count and may read every
 * element below it until the log is freed.  Elements never move.  Memory grows in blocks of
 * doubling size. */
#pragma once

#include <glib.h>
#include <stddef.h>

typedef struct NsLog NsLog;

NsLog *ns_log_new(size_t element_size);
void ns_log_free(NsLog *log);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(NsLog, ns_log_free)

/* Writer only.  Copies one element into the log and publishes it. */
void ns_log_append(NsLog *log, const void *element);

/* Any thread.  Returns the number of published elements. */
size_t ns_log_count(const NsLog *log);

/* Any thread.  Returns element i, i < ns_log_count(); borrowed until the log is freed. */
const void *ns_log_get(const NsLog *log, size_t i);
