/* Beam search.  SPDX-License-Identifier: MIT
 *
 * The score of a hypothesis Y, which counts its end:
 *
 *     s(Y) = log P(Y | X) / lp(Y),   lp(Y) = ((5 + |Y|) / 6)^alpha
 *
 * Wu et al. 2016, eq. 14, without a coverage penalty.  Vaswani et al. 2017, 6.1: a beam of 4 and
 * alpha = 0.6.  A beam of 1 is greedy decoding. */
#pragma once

#include "core/model/decode.h"

typedef struct {
    double length_penalty; /* alpha, not negative */
    size_t limit;          /* most tokens of a hypothesis with its end: 1..ns_decoder_positions */
    int32_t begin, end;    /* the tokens that are read first and written last */
} NsBeamSearch;

typedef struct {
    int32_t *tokens; /* [limit], overwritten */
    size_t length;   /* without the end */
    bool ended;      /* it has its end within the limit */
    double score;    /* -infinity where the model has diverged, and there is no hypothesis */
} NsHypothesis;

/* Searches with the beam of the decoder, for every sequence of the last ns_decoder_begin.  A step
 * keeps the best unfinished continuations, at most as many as the beam; a continuation that ends
 * while it is among the best so many is complete.  A sequence is done when no unfinished hypothesis
 * can get a higher score than the best complete one (with a beam of 1, when the hypothesis ends),
 * and at the limit, where unfinished hypotheses count as complete.  best: [n], for each sequence
 * the complete hypothesis of the highest score; of equal ones the earliest. */
void ns_beam_search(NsDecoder *decoder, const NsBeamSearch *search, NsHypothesis *best);
