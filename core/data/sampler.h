/* The samplers of the tasks.  Internal to core/data.  SPDX-License-Identifier: MIT */
#pragma once

#include "core/data/corpus.h"

/* The text of special symbols. */
#define NS_BEGIN_SYMBOL "⟨s⟩"
#define NS_MASK_SYMBOL "[M]"
#define NS_SEPARATOR "|"

/* Windows of a text.  A decoder predicts the next token; the decoder of an encoder-decoder writes,
 * after a begin symbol V, the T tokens that follow the S tokens of the source; an encoder predicts
 * the masked tokens (mask_tokens in text.c). */
extern const NsSampler ns_text_sampler;

/* Two segments for an encoder: [CLS] A [SEP] B [SEP], masked (mask_tokens in text.c); the special
 * symbols are V (the mask), V + 1 ([CLS]) and V + 2 ([SEP]).  A and B are the halves of a window of
 * a text, or the sentences of a pair, cut to fit into T; the rest is padding.  With next-sentence,
 * B is taken from elsewhere in half of the sequences, and the label is 1 if it follows A, otherwise
 * 0. Devlin et al. 2018, 3.1 and appendix A.2. */
extern const NsSampler ns_mlm_sampler;
#define NS_MLM_SPECIAL 3
#define NS_MLM_LEAST 8 /* smallest sequence length */
#define NS_CLASS_SYMBOL "[CLS]"
#define NS_SEPARATOR_SYMBOL "[SEP]"

/* Writes [CLS] first [SEP] second [SEP] as sequence b, cutting the longer segment until both fit,
 * and sets batch->second.  The sequence has no targets and no label. */
void ns_segments_write(NsBatch *batch, size_t b, size_t V, const uint16_t *first, size_t n_first,
                       const uint16_t *second, size_t n_second);

/* Labeled pairs (core/data/labeled.h) as [CLS] first [SEP] second [SEP]; the target of [CLS] is the
 * label. */
extern const NsSampler ns_labeled_sampler;

/* The answer to a sequence of random symbols is the same sequence: copied, reversed or sorted in
 * ascending order.  A sequence has between half of the largest length and all of it; the rest is
 * padding.  An encoder labels every position with a symbol of the answer.  The decoder of an
 * encoder-decoder writes the answer after a begin symbol V.  A decoder alone reads the symbols, a
 * separator V and the answer, and has targets from the separator on; its largest length is T/2. */
extern const NsSampler ns_copy_sampler, ns_reverse_sampler, ns_sort_sampler;
#define NS_TASK_SYMBOLS 16 /* by default */

/* Every position of every sequence has its own input symbol, so the rows of the token embedding are
 * the inputs; targets are uniformly random.  Xiong et al. 2020, 3.3. */
extern const NsSampler ns_gaussian_sampler;
#define NS_GAUSSIAN_TARGETS 256

/* Every token is drawn uniformly and independently.  A decoder predicts the next token; an encoder,
 * which sees the next token, predicts another random one.  Sequences have the full lengths T and S;
 * the lowest possible loss is log V. */
extern const NsSampler ns_random_sampler;
#define NS_RANDOM_SYMBOLS 96

/* Sentences and their translations: the encoder reads the source and a line end, the decoder reads
 * a begin symbol V and predicts the target and a line end.  The rest of both is padding. */
extern const NsSampler ns_pairs_sampler;
