/* Records as JSON lines, the format that `normscope-cli train --jsonl` writes.
 * SPDX-License-Identifier: MIT
 *
 * Numbers are written so that they read back to the same value; NaN, Infinity and -Infinity are
 * strings.  Lines are returned without a newline; free them with g_free. */
#pragma once

#include "core/store/json.h"
#include "core/train/run.h"

/* Settings whose records would have more values are not those of a run that was recorded. */
#define NS_RECORDED_WIDEST ((size_t)1 << 24)

/* Writes the members that describe what is trained: "settings" to "text" of the line below. */
void ns_jsonl_add_model(NsJson *json, NsRun *run);

/* {"settings": {key: value, ...}, "arch", "layers": L, "parameters": n, "vocab": symbols that are
 * predicted, "vocab_in": symbols that are read, "vocab_source": symbols of the source if it has its
 * own vocabulary, "text": name, "training_characters", "held_out_characters" (0 for tasks without a
 * text), "padding" (only for the task translation: the mean fraction of padded positions in a
 * batch), "threads", "gflop_per_step", "memory_bytes", "program", "instructions"}.  With an encoder
 * of N and a decoder of M layers, L = N + M, and "encoder_layers" and "decoder_layers" follow
 * it. */
char *ns_jsonl_settings(NsRun *run);

/* {"step", "loss", "lr", "seconds", "grad_norm": {"total", "wq": [L], ...}, "grad_layer": [L],
 * "update_ratio": [L], "hidden_norm": [L + 1], "hidden_norm_sq": [L + 1], "final_hidden_norm",
 * "final_hidden_norm_sq", ...}; grad_norm contains every kind of parameter of the model by its key.
 * Every other quantity of the registry that was measured at this step follows: one number per step,
 * [L] by layer, [L + 1] by hidden state, or [[heads], ...] by layer.  With an encoder of N and a
 * decoder of M layers the layers are those of the encoder, then those of the decoder, and there are
 * N + M + 2 hidden states: x_0 .. x_N of the encoder, then x_0 .. x_M of the decoder.  A value that
 * does not exist is null.  "probe_seconds" is the time that a step needed to measure expensive
 * quantities.  If the history has thinned the profiles of this step, they are the maxima over the
 * range of steps in "thinned": {"first", "last", "values": "maximum"}; the newest step is never
 * thinned.  A step at which the validation loss was measured has "validation_loss".  A step at
 * which the prompt was continued has "continuation": {"prompt", "text"}.  A step with events has
 * "events": [{"kind": "diverged", "setting" or "spike", "layer": number from 1 or null, "what",
 * "text"}, ...]. */
char *ns_jsonl_record(const NsHistory *history, size_t index);

/* {"summary": {"state", "steps", "loss", "validation_loss", "validation_step", "seconds",
 * "ms_per_step"}}: loss and validation_loss are the last ones measured, validation_loss is null if
 * it was never measured; state is a word of NS_TRAINER_STATES. */
char *ns_jsonl_summary(NsRun *run, const char *state);

/* Inserts "lane", counted from 1, and "seed" at the beginning of a line, for one run of several.  A
 * lane of 0 and a negative seed are omitted. */
char *ns_jsonl_of(size_t lane, int64_t seed, const char *line);

/* The name of a kind of event in files: "diverged", "setting" or "spike".  The second function
 * finds the kind of a name; it returns false if the name is unknown. */
const char *ns_jsonl_event_word(NsEventKind kind);
bool ns_jsonl_find_event(const char *word, NsEventKind *kind);
