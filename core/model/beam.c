/* SPDX-License-Identifier: MIT */
#include "core/model/beam.h"

#include "core/ops/math.h"

#include <math.h>
#include <string.h>

/* A row extended by a token. */
typedef struct {
    size_t row;
    int32_t token;
    double log_p;
} Candidate;

typedef struct {
    const NsBeamSearch *search;
    size_t beam, V, n;
    size_t t;              /* tokens of the rows so far */
    double *log_p;         /* [n beam] of the rows; -infinity for an unused row */
    int32_t *written;      /* [n beam, limit] */
    int32_t *next_written; /* [n beam, limit] after the current step */
    int32_t *token;        /* [n beam] the last token */
    size_t *parent;        /* [n beam] */
    bool *done;            /* [n] */
    Candidate *best;       /* [2 beam] of the current sequence, best first */
    size_t n_best;
    NsHypothesis *result; /* [n] */
} Search;

static void search_init(Search *s, const NsDecoder *decoder, const NsBeamSearch *search,
                        NsHypothesis *result)
{
    NsDecoderSize size = ns_decoder_size(decoder);
    size_t beam = size.beam, n = size.sequences, rows = n * beam;
    *s = (Search){.search = search,
                  .beam = beam,
                  .V = size.vocabulary,
                  .n = n,
                  .log_p = g_new(double, rows),
                  .written = g_new0(int32_t, rows * search->limit),
                  .next_written = g_new0(int32_t, rows * search->limit),
                  .token = g_new(int32_t, rows),
                  .parent = g_new(size_t, rows),
                  .done = g_new0(bool, n),
                  .best = g_new(Candidate, 2 * beam),
                  .result = result};
    for (size_t r = 0; r < rows; r++) {
        s->log_p[r] = r % beam ? -(double)INFINITY : 0;
        s->token[r] = search->begin;
    }
    for (size_t i = 0; i < n; i++) {
        result[i].length = 0;
        result[i].score = -(double)INFINITY;
    }
}

/* log sum_v exp(x_v) */
static double log_sum_exp(const ns_real *x, size_t V)
{
    ns_real max = x[0];
    for (size_t v = 1; v < V; v++) max = x[v] > max ? x[v] : max;
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (size_t v = 0; v < V; v++) sum += (double)ns_exp(x[v] - max);
    return (double)max + log(sum);
}

/* At the limit a row can only end. */
static void offer_row(Search *s, size_t row, const ns_real *logits)
{
    double base = s->log_p[row] - log_sum_exp(logits, s->V);
    bool last = s->t + 1 == s->search->limit;
    size_t end = (size_t)s->search->end;
    for (size_t v = last ? end : 0; v < (last ? end + 1 : s->V); v++) {
        double log_p = base + (double)logits[v];
        if (s->n_best < 2 * s->beam ? !isnan(log_p) : log_p > s->best[s->n_best - 1].log_p) {
            /* Insert a candidate into the list of the best, after equally good ones. */
            Candidate c = (Candidate){row, (int32_t)v, log_p};
            size_t most = 2 * s->beam, at = s->n_best;
            if (at == most)
                at--;
            else
                s->n_best++;
            for (; at > 0 && s->best[at - 1].log_p < c.log_p; at--) s->best[at] = s->best[at - 1];
            s->best[at] = c;
        }
    }
}

/* log P / lp */
static double score_of(const Search *s, double log_p, size_t length)
{
    return log_p / pow((5 + (double)length) / 6, s->search->length_penalty);
}

/* Records the tokens of a row that ends as the hypothesis of sequence i, if it is the best so far.
 */
static void complete(Search *s, size_t i, const int32_t *written, double log_p)
{
    NsHypothesis *result = &s->result[i];
    double score = score_of(s, log_p, s->t + 1);
    if (!(score > result->score)) return;
    memcpy(result->tokens, written, s->t * sizeof *written);
    result->length = s->t;
    result->score = score;
}

/* Extends all sequences by one position; returns whether any sequence is unfinished. */
static bool step(Search *s, const ns_real *logits)
{
    bool more = false;
    for (size_t i = 0; i < s->n; i++) {
        size_t first = i * s->beam;
        s->n_best = 0;
        if (s->done[i]) {
            for (size_t k = 0; k < s->beam; k++) s->parent[first + k] = first + k;
            continue;
        }
        for (size_t r = first; r < first + s->beam; r++)
            if (!isinf(s->log_p[r])) offer_row(s, r, logits + r * s->V);
        /* Set the rows of the sequence after this step, and record what it completes. */
        size_t limit = s->search->limit, live = 0;
        for (size_t k = 0; k < s->n_best && live < s->beam; k++) {
            const Candidate *c = &s->best[k];
            const int32_t *before = s->written + c->row * limit;
            if (c->token == s->search->end) {
                if (k < s->beam) complete(s, i, before, c->log_p);
                continue;
            }
            size_t row = first + live++;
            int32_t *written = s->next_written + row * limit;
            memcpy(written, before, s->t * sizeof *written);
            written[s->t] = s->token[row] = c->token;
            s->parent[row] = c->row;
            s->log_p[row] = c->log_p;
        }
        for (size_t r = first + live; r < first + s->beam; r++) {
            s->log_p[r] = -(double)INFINITY;
            s->parent[r] = first;
        }
        /* An upper bound on the score of any continuation: no more log-probability is lost up to
         * the limit. */
        double most = live > 0 ? score_of(s, s->log_p[first], limit) : -(double)INFINITY;
        bool ended = s->result[i].score > -(double)INFINITY;
        s->done[i] = s->result[i].score >= most || (s->beam == 1 && ended);
        more |= !s->done[i];
    }
    int32_t *written = s->written;
    s->written = s->next_written;
    s->next_written = written;
    return more;
}

void ns_beam_search(NsDecoder *decoder, const NsBeamSearch *search, NsHypothesis *best)
{
    Search s;
    search_init(&s, decoder, search, best);
    g_assert(search->limit >= 1 && search->limit <= ns_decoder_size(decoder).positions);
    for (bool more = true; more && s.t < search->limit; s.t++) {
        more = step(&s, ns_decoder_step(decoder, s.token));
        if (more && s.t + 1 < search->limit && s.beam > 1) ns_decoder_reorder(decoder, s.parent);
    }
    g_free(s.log_p);
    g_free(s.written);
    g_free(s.next_written);
    g_free(s.token);
    g_free(s.parent);
    g_free(s.done);
    g_free(s.best);
}
