/* Records as JSON lines, the form that `normscope-cli train --jsonl` writes.
 * SPDX-License-Identifier: MIT
 *
 * Numbers are written so that they read back to the same value; NaN, Infinity and -Infinity are
 * strings.  Every function returns one line without its newline; free with g_free. */
#pragma once

#include "core/train/run.h"

/* {"settings": {key: value, ...}, "layers": L, "parameters": n, "vocab": V, "text": ..., ...} */
char *ns_jsonl_settings(NsRun *run);

/* {"step", "loss", "lr", "grad_norm": {"total", "wq": [L], ...}, "hidden_norm": [L + 1],
 * "hidden_norm_sq", "update_ratio": [L], ...} */
char *ns_jsonl_record(const NsHistory *history, size_t step);

/* {"event": ...} */
char *ns_jsonl_event(const NsEvent *event);

/* {"validation": {"step", "loss"}} */
char *ns_jsonl_evaluation(const NsEvaluation *evaluation);

/* {"summary": {"state", "steps", "loss", "validation_loss", "ms_per_step", ...}}; state is a word
 * of NS_TRAINER_STATES. */
char *ns_jsonl_summary(NsRun *run, const char *state);
