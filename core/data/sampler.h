/* The samplers of the tasks.  Internal to core/data.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"

/* How special symbols are written. */
#define NS_BEGIN_SYMBOL "⟨s⟩"
#define NS_MASK_SYMBOL "[M]"
#define NS_SEPARATOR "|"

/* Masks n tokens of a text in place, of which those from V on are special and stay: takes exactly
 * 15 % of the others, at least one, each with the same chance; they become targets, and 80 % of
 * them show the mask symbol V, 10 % a random token and 10 % the true one.  Devlin et al. 2018,
 * arXiv 1810.04805, appendix A.1. */
void ns_mask_tokens(int32_t *tokens, int32_t *targets, size_t n, size_t V, NsRng *rng);

/* Windows of a text.  A decoder predicts the character after each; a decoder behind an encoder
 * writes the T characters that follow the S of the source, from a begin symbol V on; an encoder
 * finds those that were taken away (ns_mask_tokens). */
extern const NsSampler ns_text_sampler;

/* Two segments for an encoder: [CLS] A [SEP] B [SEP], masked (ns_mask_tokens); the special symbols
 * are V, the mask, V + 1, [CLS], and V + 2, [SEP].  A and B are the halves of a window of a text,
 * or the sentences of a pair, cut where there is no room for them; the rest is padding.  With
 * next-sentence B is taken from elsewhere in half of the sequences, and the label says whether it
 * follows A (1) or not (0).  Devlin et al. 2018, 3.1 and appendix A.2. */
extern const NsSampler ns_mlm_sampler;
#define NS_MLM_SPECIAL 3
#define NS_MLM_LEAST 8 /* tokens in a sequence */
#define NS_CLASS_SYMBOL "[CLS]"
#define NS_SEPARATOR_SYMBOL "[SEP]"

/* Writes [CLS] first [SEP] second [SEP] as sequence b, the longer one cut until both fit, and the
 * beginning of the second segment.  No targets, no label. */
void ns_segments_write(NsBatch *batch, size_t b, size_t V, const uint16_t *first, size_t n_first,
                       const uint16_t *second, size_t n_second);

/* Labeled pairs (core/data/labeled.h) as [CLS] first [SEP] second [SEP]; the target of [CLS] is the
 * label. */
extern const NsSampler ns_labeled_sampler;

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
