/* The small registries behind settings.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/base/choice.h"

/* The registry of final-norm and embedding-norm: auto, on, off. */
enum { NS_SWITCH_AUTO, NS_SWITCH_ON, NS_SWITCH_OFF };
const NsChoice *ns_switch_choice(size_t i);

/* The registry of qk-norm: auto, off, head ("on" in older files), full. */
enum { NS_QK_NORM_AUTO, NS_QK_NORM_OFF, NS_QK_NORM_HEAD, NS_QK_NORM_FULL };
const NsChoice *ns_qk_norm_choice(size_t i);

/* The registry of decay-scope: matrices, embeddings, all; each includes those before it. */
enum { NS_DECAY_MATRICES, NS_DECAY_EMBEDDINGS, NS_DECAY_ALL };
const NsChoice *ns_decay_scope_choice(size_t i);

/* The registry of settings that are off or on. */
enum { NS_TOGGLE_OFF, NS_TOGGLE_ON };
const NsChoice *ns_toggle_choice(size_t i);

/* The registry of arch.  `layers` is the depth of the only stack, or of the encoder of an
 * encoder-decoder. */
enum { NS_ARCH_DECODER, NS_ARCH_ENCODER, NS_ARCH_ENCODER_DECODER };
const NsChoice *ns_arch_choice(size_t i);

/* The registry of attention: softmax, uniform.  Uniform is the setting of the paper's theory: every
 * visible key has the same weight; W_Q, W_K, W_O and their biases do not exist; there is one
 * head. */
enum { NS_ATTENTION_SOFTMAX, NS_ATTENTION_UNIFORM };
const NsChoice *ns_attention_choice(size_t i);

/* The registry of vocabularies: joint, separate. */
enum { NS_VOCABULARIES_JOINT, NS_VOCABULARIES_SEPARATE };
const NsChoice *ns_vocabularies_choice(size_t i);

/* The registry of positions: learned, sinusoidal, none, rotary. */
enum { NS_POSITIONS_LEARNED, NS_POSITIONS_SINUSOIDAL, NS_POSITIONS_NONE, NS_POSITIONS_ROTARY };
const NsChoice *ns_positions_choice(size_t i);
