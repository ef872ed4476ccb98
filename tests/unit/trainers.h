/* Trainers of tiny models, for several unit tests.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/trainer.h"

/* The longest that a test waits for anything. */
#define NS_TEST_PATIENCE_MS 600000

/* Of tiny models; `more` is a list of assignments with NULL at its end, or NULL. */
void ns_test_tiny_settings(NsSettings *settings, const char *const *more);
NsTrainer *ns_test_tiny_trainer(const char *const *more);

/* Lanes that each have one string of assignments with spaces between, of `common` ones too; they
 * begin at the checkpoints where `origins` is not NULL. */
NsTrainer *ns_test_tiny_lanes(const char *common, const char *const *lanes, size_t n,
                              NsCheckpoint *const *origins);

/* Waits for the end of all commands, then compares state and steps made since the beginning, of the
 * first lane (negative: any). */
void ns_test_expect(NsTrainer *trainer, NsTrainerState state, int64_t steps);

/* Waits until the first lane of a running trainer has made at least this many steps. */
void ns_test_until_steps(NsTrainer *trainer, size_t steps);

/* b begins at record `first` of a and has the same records, times excepted, up to the end of a. */
void ns_test_same_records(NsHistory *a, size_t first, NsHistory *b);
