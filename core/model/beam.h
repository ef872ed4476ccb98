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

/* Continues every sequence of the last ns_decoder_begin with as many rows as the decoder has.  A
 * step keeps the best continuations that have not ended, at most as many as the beam; those that
 * end among the best as many are complete.  A sequence is done when what goes on cannot get a
 * higher score than the best that is complete, with a beam of 1 when it ends, and at the limit,
 * where what has not ended counts as complete.  best: [n], the complete ones with the highest
 * scores; of equal ones what came first. */
void ns_beam_search(NsDecoder *decoder, const NsBeamSearch *search, NsHypothesis *best);
