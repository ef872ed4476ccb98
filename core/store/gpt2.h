/* Pre-trained models in the layout in which GPT-2 is published.  SPDX-License-Identifier: MIT
 *
 * A folder contains config.json (the shape of the model), model.safetensors or several files and
 * model.safetensors.index.json (its weights, whose names and layout differ from those of this
 * program) and, for texts, the files of its tokenizer (core/data/bpe.h). */
#pragma once

#include "core/train/checkpoint.h"

/* Settings of a run that begins with the weights in the folder, in the text form that
 * ns_settings_name_all reads: the architecture, every size, the activation, the norms' epsilon, and
 * the tokenizer if the folder has one.  Returns NULL with NS_ERROR_FILE or NS_ERROR_SETTING, whose
 * message names what is missing or not supported.  Free with g_free. */
char *ns_gpt2_settings(const char *folder, GError **error);

/* Reads the weights, under the names of a run with these settings, into a checkpoint at step 0
 * without moments.  *note: a sentence about tensors that were left out or rounded, or NULL; free
 * with g_free.  Returns NULL with NS_ERROR_FILE if the folder lacks what the settings require, or
 * NS_ERROR_MEMORY. */
NsCheckpoint *ns_gpt2_read(const char *folder, const NsExperiment *experiment, char **note,
                           GError **error);
