/* Records as JSON lines, the form that `normscope-cli train --jsonl` writes.
 * SPDX-License-Identifier: MIT
 *
 * Numbers are written so that they read back to the same value; NaN, Infinity and -Infinity are
 * strings.  Lines are returned without their newline; free with g_free. */
#pragma once

#include "core/store/json.h"
#include "core/train/run.h"

/* The members of an object that say what is trained: "settings" to "text" of the line below. */
void ns_jsonl_add_model(NsJson *json, NsRun *run);

/* {"settings": {key: value, ...}, "arch", "layers": L, "parameters": n, "vocab": symbols that are
 * predicted, "vocab_in": symbols that are read, "vocab_source": those of a source with a vocabulary
 * of its own, "text": name, "training_characters", "held_out_characters" (0 for tasks without a
 * text), "padding" (of the task translation: the share of all positions of a batch on average),
 * "threads", "gflop_per_step", "memory_bytes", "program", "instructions"}.  With an encoder of N
 * and a decoder of M layers, L = N + M, and "encoder_layers" and "decoder_layers" stand behind it.
 */
char *ns_jsonl_settings(NsRun *run);

/* {"step", "loss", "lr", "seconds", "grad_norm": {"total", "wq": [L], ...}, "grad_layer": [L],
 * "update_ratio": [L], "hidden_norm": [L + 1], "hidden_norm_sq": [L + 1], "final_hidden_norm",
 * "final_hidden_norm_sq", ...}; grad_norm has every kind of parameter that the model has, by its
 * key, and every other quantity of the registry that was measured at this step follows: one number
 * a step, [L] by layer, [L + 1] by hidden state, or [[heads], ...] by layer.  With an encoder of N
 * and a decoder of M layers the layers are those of the encoder, then those of the decoder, and
 * there are N + M + 2 hidden states: x_0 .. x_N of the encoder, then x_0 .. x_M of the decoder.  A
 * value that does not exist is null; a step that measured expensive quantities says in
 * "probe_seconds" what that took. Where the history has thinned the profiles of this step, they are
 * the maxima over the steps that "thinned": {"first", "last", "values": "maximum"} names; the
 * newest step never is.  A step at which the validation loss was measured has "validation_loss",
 * and one at which something happened "events": [{"kind": "diverged", "setting" or "spike",
 * "layer": number from 1 or null, "what", "text"}, ...]. */
char *ns_jsonl_record(const NsHistory *history, size_t index);

/* {"summary": {"state", "steps", "loss", "validation_loss", "validation_step", "seconds",
 * "ms_per_step"}}: loss and validation_loss are the last ones measured, validation_loss is null
 * where there is none; state is a word of NS_TRAINER_STATES. */
char *ns_jsonl_summary(NsRun *run, const char *state);

/* The same line for a run among several: "lane", counted from 1, and "seed" come first in it; 0 and
 * a negative number where there is only one. */
char *ns_jsonl_of(size_t lane, int64_t seed, const char *line);

/* What events are called in files: "diverged", "setting" or "spike"; and the other way round, false
 * for no such word. */
const char *ns_jsonl_event_word(NsEventKind kind);
bool ns_jsonl_find_event(const char *word, NsEventKind *kind);
