/* The samplers of the tasks.  Internal to core/data.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"

/* How special symbols are written. */
#define NS_BEGIN_SYMBOL "⟨s⟩"
#define NS_MASK_SYMBOL "[M]"
#define NS_SEPARATOR "|"

/* Windows of a text.  A decoder predicts the character after each; a decoder behind an encoder
 * writes the T characters that follow the S of the source, from a begin symbol V on; an encoder
 * finds those that were taken away.  In each of its sequences 15 % of the positions, at least one,
 * have a target; of these 80 % show the mask symbol V, 10 % a random character and 10 % the true
 * one.  Devlin et al. 2019, arXiv 1810.04805, 3.1. */
extern const NsSampler ns_text_sampler;

/* The answer to a sequence of random symbols is the same sequence, copied, turned round or in
 * ascending order.  A sequence fills between half of the room and all of it; the rest is padding.
 * An encoder labels every position with the answer's symbol.  A decoder behind an encoder writes
 * the answer from a begin symbol V on.  A decoder alone reads symbols, a separator V and the
 * answer, and has targets from the separator on; its room is half of T. */
extern const NsSampler ns_copy_sampler, ns_reverse_sampler, ns_sort_sampler;
#define NS_TASK_SYMBOLS 16 /* unless the settings say how many */

/* Every position of every sequence has an input symbol of its own, so that the rows of the token
 * embedding are the inputs; targets are uniformly random.  Xiong et al. 2020, 3.3. */
extern const NsSampler ns_gaussian_sampler;
#define NS_GAUSSIAN_TARGETS 256

/* Every token is drawn uniformly, for itself.  A decoder predicts the next one; an encoder, which
 * would see that, one that is drawn too.  Sequences fill all of T and S; the best loss is log V. */
extern const NsSampler ns_random_sampler;
#define NS_RANDOM_SYMBOLS 96

/* Sentences and their translations: the encoder reads the source with its end, the decoder writes
 * the target from a begin symbol V on and ends with a line end.  The rest of each is padding. */
extern const NsSampler ns_pairs_sampler;
