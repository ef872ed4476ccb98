/* Everything another framework needs to repeat one step.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/run.h"

/* Writes the state at the run's newest record into a directory, which is created if necessary.
 *
 * params.safetensors: the weights, by the names of the tensor table.  grads.safetensors: the
 * gradient of the loss at these weights, noise and label smoothing included.
 *
 * batch.safetensors, all int64: tokens [B, T], targets [B, T] (-1: none), length [B]; if there is a
 * source sequence, also src [B, S] and src_mask [B, S], 1 where there is a token.  Positions at and
 * after a sequence's length are padding.
 *
 * meta.json: "settings", "arch", "layers" (if there are an encoder and a decoder, also
 * "encoder_layers" and "decoder_layers"), "parameters", "vocab" (symbols that are predicted),
 * "vocab_in" (symbols that are read), "text", "symbols" (their characters), "step", "loss" in full
 * precision, "grad_norm": {"total"}, "files", "program", "instructions".  A symbol that is read and
 * never predicted is the mask of an encoder, the start symbol of a decoder with an encoder, or the
 * separator of a task. */
bool ns_dump(NsRun *run, const char *directory, GError **error);

/* Sets NS_ERROR_FILE and returns false if the directory has a file that ns_dump would replace,
 * which another program may have trained further. */
bool ns_dump_check(const char *directory, GError **error);

/* Whether ns_dump wrote this directory. */
bool ns_dump_is(const char *directory);

/* Reads the weights of such a directory, whose params.safetensors another program may have trained
 * further, into a checkpoint at step 0 without moments.  The vocabulary is built from the texts
 * that the settings name.  Returns NULL with NS_ERROR_FILE if this is not such a directory, its
 * files are inconsistent, or the model has running statistics, which a dump does not contain; or
 * with the error of reading the settings or texts, or of allocating memory. */
NsCheckpoint *ns_dump_read(const char *directory, GError **error);
