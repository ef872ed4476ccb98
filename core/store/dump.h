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
