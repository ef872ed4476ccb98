/* The small registries behind settings.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/choice.h"

/* The registry behind final-norm and embedding-norm: auto, on, off. */
enum { NS_SWITCH_AUTO, NS_SWITCH_ON, NS_SWITCH_OFF };
const NsChoice *ns_switch_choice(size_t i);

/* The registry behind qk-norm: auto, off, head (which older files call on), full. */
enum { NS_QK_NORM_AUTO, NS_QK_NORM_OFF, NS_QK_NORM_HEAD, NS_QK_NORM_FULL };
const NsChoice *ns_qk_norm_choice(size_t i);

/* The registry behind decay-scope: matrices, embeddings, all; each covers those before. */
enum { NS_DECAY_MATRICES, NS_DECAY_EMBEDDINGS, NS_DECAY_ALL };
const NsChoice *ns_decay_scope_choice(size_t i);

/* The registry behind settings that are off or on. */
enum { NS_TOGGLE_OFF, NS_TOGGLE_ON };
const NsChoice *ns_toggle_choice(size_t i);

/* The architectures.  `layers` is the depth of the only stack, or of the encoder of an
 * encoder-decoder. */
enum { NS_ARCH_DECODER, NS_ARCH_ENCODER, NS_ARCH_ENCODER_DECODER };
const NsChoice *ns_arch_choice(size_t i);

/* softmax, uniform (the paper's theory mode: every visible key weighs the same; W_Q, W_K, W_O and
 * their biases do not exist, one head). */
enum { NS_ATTENTION_SOFTMAX, NS_ATTENTION_UNIFORM };
const NsChoice *ns_attention_choice(size_t i);

/* joint, separate. */
enum { NS_VOCABULARIES_JOINT, NS_VOCABULARIES_SEPARATE };
const NsChoice *ns_vocabularies_choice(size_t i);

/* learned, sinusoidal, none. */
enum { NS_POSITIONS_LEARNED, NS_POSITIONS_SINUSOIDAL, NS_POSITIONS_NONE };
const NsChoice *ns_positions_choice(size_t i);
