/* Everything another framework needs to repeat one step.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/train/run.h"

/* Writes a directory, which is made if it is not there, as of the run's newest record.
 *
 * params.safetensors: the weights, by the names of the tensor table.  grads.safetensors: the
 * gradient of the loss at these weights, noise and label smoothing included.
 *
 * batch.safetensors, all int64: tokens [B, T], targets [B, T] (-1: none), length [B]; with a source
 * also src [B, S] and src_mask [B, S], 1 where there is a token.  Positions at and after a
 * sequence's length are padding.
 *
 * meta.json: "settings", "arch", "layers" (with an encoder and a decoder also "encoder_layers" and
 * "decoder_layers"), "parameters", "vocab" (symbols that are predicted), "vocab_in" (symbols that
 * are read), "text", "symbols" (their characters), "step", "loss" in full precision, "grad_norm":
 * {"total"}, "files", "program", "instructions".  A symbol that is read and never predicted is the
 * mask of an encoder, the begin of a decoder behind an encoder, or the separator of a task. */
bool ns_dump(NsRun *run, const char *directory, GError **error);

/* Whether it is such a directory. */
bool ns_dump_is(const char *directory);

/* The weights of such a directory, whose params.safetensors another program may have trained on, as
 * a checkpoint at step 0, without moments.  Its vocabulary is made of the texts that its settings
 * name.  NULL with NS_ERROR_FILE where it is no such directory, its files do not belong together,
 * or the model has running statistics, which are not in it; or with the error of its settings, its
 * texts or the memory. */
NsCheckpoint *ns_dump_read(const char *directory, GError **error);
