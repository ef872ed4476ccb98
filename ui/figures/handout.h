/* A lesson on paper: its cards with the numbers and charts that were measured, its questions, and
 * the answers on a page of their own.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/store/lesson.h"
#include "ui/plot/document.h"

/* Before each run and after each of its steps: `until` is the last one that a card speaks of,
 * `loss` that of the first lane, NaN before the run.  FALSE stops. */
typedef bool NsHandoutProgress(void *data, size_t card, int64_t step, int64_t until, double loss);

/* Trains what the cards ask for, one run after another, with the threads that their settings
 * request, and draws them.  On any thread with a stack large enough for BLAS (core/base/thread.h),
 * which also calls `progress`; the lesson must not change meanwhile.
 *
 * ns_document_end writes the document; nothing is written before.  Returns NULL with
 * G_IO_ERROR_CANCELLED if it was stopped, or with the error of ns_lockstep_new. */
NsDocument *ns_handout_new(const NsLesson *lesson, NsHandoutProgress *progress, void *data,
                           GError **error);
