/* Beam search.  SPDX-License-Identifier: MIT
 *
 * The score of a hypothesis Y, whose length |Y| includes the end token:
 *
 *     s(Y) = log P(Y | X) / lp(Y),   lp(Y) = ((5 + |Y|) / 6)^alpha
 *
 * Wu et al. 2016, eq. 14, without a coverage penalty.  Vaswani et al. 2017, 6.1, use a beam of 4
 * and alpha = 0.6.  A beam of 1 is greedy decoding. */
#pragma once

#include "core/model/decode.h"

typedef struct {
    double length_penalty; /* alpha >= 0 */
    size_t limit;          /* most tokens of a hypothesis, end included: 1..ns_decoder_positions */
    int32_t begin, end;    /* the first token to be read and the last to be generated */
} NsBeamSearch;

typedef struct {
    int32_t *tokens; /* [limit - 1], overwritten */
    size_t length;   /* without the end token */
    double score;    /* -infinity if the model has diverged, so that there is no hypothesis */
} NsHypothesis;

/* Searches with the beam of the decoder, for every sequence of the last ns_decoder_begin.  Each
 * step keeps the best unfinished continuations, at most as many as the beam; a continuation that
 * ends and ranks among the best ones is complete.  The search of a sequence stops when no
 * unfinished hypothesis can score higher than the best complete one (with a beam of 1, when the
 * hypothesis ends), or at the limit, where every hypothesis has to end, as in fairseq: its score
 * includes the probability of the end there.  best: [n], for each sequence the complete hypothesis
 * with the highest score; of equal scores, the earliest. */
void ns_beam_search(NsDecoder *decoder, const NsBeamSearch *search, NsHypothesis *best);
