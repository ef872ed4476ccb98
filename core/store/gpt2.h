/* Pre-trained models in the layout in which GPT-2 is published.  SPDX-License-Identifier: MIT
 *
 * A folder holds config.json (the shape of the model), model.safetensors (its weights, which other
 * programs name and lay out otherwise) and, for texts, vocab.json and merges.txt
 * (core/data/bpe.h). */
#pragma once

#include "core/train/checkpoint.h"

/* What the folder says of a run that begins with its weights, as words of settings
 * (ns_settings_name_all): the architecture, every size, the activation, the norms' epsilon, and its
 * tokenizer where that is there.  NULL with NS_ERROR_FILE or NS_ERROR_SETTING, which say what is
 * missing, or what this program cannot do.  Free with g_free. */
char *ns_gpt2_settings(const char *folder, GError **error);

/* The weights, by the names of a run with these settings, as a checkpoint at step 0 without
 * moments. NULL with NS_ERROR_FILE where the folder has not what the settings ask for, or
 * NS_ERROR_MEMORY. */
NsCheckpoint *ns_gpt2_read(const char *folder, const NsExperiment *experiment, GError **error);
