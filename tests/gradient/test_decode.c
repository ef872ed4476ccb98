/* Decoding with kept keys and values against the whole forward pass, and beam search against every
 * hypothesis there is; in double.  SPDX-License-Identifier: MIT */
#include "core/model/beam.h"
#include "core/ops/norm.h"
#include "tests/gradient/case.h"
#include "tests/gradient/check.h"

#include <math.h>
#include <string.h>

enum { BEAM = 2, SEQUENCES = 3 };

static void begin_case(NsCase *c, const char *assignments, const NsPlacement *placement,
                       double stir)
{
    ns_case_init(c, assignments, placement);
    g_assert_cmpuint(c->batch.B, ==, SEQUENCES);
    ns_case_stir(c, stir);
    /* Running statistics that are not those of the beginning. */
    size_t n;
    ns_real *state = ns_model_state(c->model, &n);
    for (size_t i = 0; i < n; i++) state[i] += (ns_real)0.1 * (ns_real)(i % 5);
    for (size_t b = 0; b < c->batch.B; b++) c->batch.length[b] = (int32_t)c->batch.T;
}

/* log p(targets of sequence b from `first` to `end`), by the whole forward pass. */
static double log_p(NsCase *c, size_t b, size_t first, size_t end, const int32_t *targets)
{
    NsBatch *batch = &c->batch;
    for (size_t i = 0; i < batch->B * batch->T; i++) batch->targets[i] = NS_NO_TARGET;
    for (size_t t = first; t < end; t++) batch->targets[b * batch->T + t] = targets[t - first];
    return -ns_model_loss(c->model, batch) * (double)(end - first);
}

static double log_softmax(const ns_real *logits, int32_t token)
{
    ns_real max = logits[0];
    double sum = 0;
    for (size_t v = 1; v < NS_CASE_VOCAB; v++) max = MAX(max, logits[v]);
    for (size_t v = 0; v < NS_CASE_VOCAB; v++) sum += exp((double)(logits[v] - max));
    return (double)(logits[token] - max) - log(sum);
}

static void begin_decoding(NsDecoder *decoder, const NsCase *c)
{
    const NsBatch *batch = &c->batch;
    ns_decoder_begin(decoder,
                     &(NsSourceBatch){batch->B, batch->S, batch->source, batch->source_length});
}

/* The rows of a sequence read different tokens; after two positions each goes on from what the
 * other has read, and with the other's tokens. */
static void check_logits(const char *assignments, const NsPlacement *placement)
{
    NsCase c;
    begin_case(&c, assignments, placement, 0.2);
    g_autoptr(NsDecoder) decoder = ns_decoder_new(c.model, SEQUENCES, BEAM, NULL);
    size_t T = c.batch.T;
    int32_t read[BEAM][SEQUENCES * 8], tokens[SEQUENCES * BEAM];
    for (size_t i = 0; i < SEQUENCES * T; i++) {
        read[0][i] = (int32_t)(i * 7 % NS_CASE_VOCAB);
        read[1][i] = (int32_t)((i * 3 + 5) % NS_CASE_VOCAB);
    }
    begin_decoding(decoder, &c);
    for (size_t t = 0; t < T; t++) {
        bool turned = t >= 2;
        static const size_t turn[] = {1, 0, 3, 2, 5, 4};
        if (t == 2) ns_decoder_reorder(decoder, turn);
        for (size_t r = 0; r < SEQUENCES * BEAM; r++)
            tokens[r] = read[turned != r % BEAM][r / BEAM * T + t];
        const ns_real *logits = ns_decoder_step(decoder, tokens);
        for (size_t r = 0; r < SEQUENCES * BEAM; r++) {
            memcpy(c.batch.tokens, read[turned != r % BEAM], SEQUENCES * T * sizeof *tokens);
            for (int32_t v = 0; v < NS_CASE_VOCAB; v += 4) {
                double whole = log_p(&c, r / BEAM, t, t + 1, &v);
                double kept = log_softmax(logits + r * NS_CASE_VOCAB, v);
                if (!(fabs(whole - kept) < 1e-9 * (1 + fabs(whole))))
                    g_error("%s: row %zu at %zu: log p(%d) is %.12g, and %.12g with kept keys.",
                            assignments, r, t, v, whole, kept);
            }
        }
    }
    ns_case_clear(&c);
}

/* Every placement with every kind of norm. */
static void test_placements(gconstpointer arch)
{
    for (size_t p = 0; ns_placement(p); p++)
        for (size_t n = 0; ns_norm(n); n++) {
            g_autofree char *assignments =
                g_strdup_printf("arch=%s placement=%s norm=%s", (const char *)arch,
                                ns_placement(p)->choice.key, ns_norm(n)->choice.key);
            check_logits(assignments, NULL);
        }
}

static void test_settings(gconstpointer data)
{
    check_logits(data, NULL);
}

static void test_everything(void)
{
    const NsPlacement placement = {.choice = {.key = "test"},
                                   .final_norm = true,
                                   .embedding_norm = true,
                                   .dual_stream = true,
                                   .wire = ns_case_wire_everything};
    check_logits("arch=decoder activation=swiglu weight-standardization=on", &placement);
    check_logits("arch=encoder-decoder activation=swiglu weight-standardization=on", &placement);
    check_logits("arch=encoder-decoder heads=6 kv-heads=2", &placement);
    check_logits("arch=decoder kv-heads=1", &placement);
}

/* ---- Search ---- */

enum { LIMIT = 3, END = 5 };

static void search(const NsCase *c, size_t beam, double alpha, size_t limit,
                   NsHypothesis best[SEQUENCES], int32_t *tokens)
{
    g_autoptr(NsDecoder) decoder = ns_decoder_new(c->model, SEQUENCES, beam, NULL);
    for (size_t b = 0; b < SEQUENCES; b++) best[b].tokens = tokens + b * limit;
    begin_decoding(decoder, c);
    ns_beam_search(decoder,
                   &(NsBeamSearch){.length_penalty = alpha, .limit = limit, .begin = 1, .end = END},
                   best);
}

static void assert_same(const NsHypothesis *a, const NsHypothesis *b)
{
    g_assert_cmpuint(a->length, ==, b->length);
    for (size_t t = 0; t < a->length; t++) g_assert_cmpint(a->tokens[t], ==, b->tokens[t]);
}

/* The best of all hypotheses of a sequence. */
static NsHypothesis find_best(NsCase *c, size_t b, double alpha, int32_t *tokens)
{
    NsHypothesis best = {.tokens = tokens, .score = -(double)INFINITY};
    int32_t *read = c->batch.tokens + b * c->batch.T;
    for (int n = 0; n < NS_CASE_VOCAB * NS_CASE_VOCAB * NS_CASE_VOCAB; n++) {
        int32_t y[LIMIT] = {n / NS_CASE_VOCAB / NS_CASE_VOCAB, n / NS_CASE_VOCAB % NS_CASE_VOCAB,
                            n % NS_CASE_VOCAB};
        size_t length = 0;
        while (length < LIMIT && y[length] != END) length++;
        if (length == LIMIT) continue; /* it has to end */
        read[0] = 1;
        memcpy(read + 1, y, LIMIT * sizeof *y);
        double score = log_p(c, b, 0, length + 1, y);
        score /= pow((6.0 + (double)length) / 6, alpha);
        if (!(score > best.score + 1e-12)) continue;
        best = (NsHypothesis){tokens, length, score};
        memcpy(tokens, y, length * sizeof *y);
    }
    return best;
}

static void test_exhaustive(gconstpointer assignments)
{
    static const double alphas[] = {0, 0.6, 3}, stirs[] = {0.3, 0.5, 1};
    bool early = false, last = false;
    for (size_t k = 0; k < G_N_ELEMENTS(alphas) * G_N_ELEMENTS(stirs); k++) {
        double alpha = alphas[k / G_N_ELEMENTS(stirs)];
        NsCase c;
        begin_case(&c, assignments, NULL, stirs[k % G_N_ELEMENTS(stirs)]);
        NsHypothesis found[SEQUENCES];
        int32_t tokens[SEQUENCES * LIMIT], expected[LIMIT];
        search(&c, 150, alpha, LIMIT, found, tokens);
        for (size_t b = 0; b < SEQUENCES; b++) {
            NsHypothesis best = find_best(&c, b, alpha, expected);
            g_assert_cmpfloat_with_epsilon(found[b].score, best.score, 1e-9);
            assert_same(&found[b], &best);
            early |= best.length < LIMIT - 1;
            last |= best.length == LIMIT - 1;
        }
        ns_case_clear(&c);
    }
    g_assert_true(early);
    g_assert_true(last);
}

static void test_greedy(gconstpointer assignments)
{
    NsCase c;
    begin_case(&c, assignments, NULL, 0.5);
    size_t T = c.batch.T;
    NsHypothesis found[SEQUENCES];
    int32_t written[SEQUENCES * 8];
    search(&c, 1, 0.6, T, found, written);
    g_autoptr(NsDecoder) decoder = ns_decoder_new(c.model, SEQUENCES, 1, NULL);
    begin_decoding(decoder, &c);
    int32_t tokens[SEQUENCES] = {1, 1, 1};
    bool ended[SEQUENCES] = {false};
    for (size_t t = 0; t < T; t++) {
        const ns_real *logits = ns_decoder_step(decoder, tokens);
        for (size_t b = 0; b < SEQUENCES; b++, logits += NS_CASE_VOCAB) {
            int32_t best = t + 1 < T ? 0 : END;
            for (int32_t v = 1; t + 1 < T && v < NS_CASE_VOCAB; v++)
                if (logits[v] > logits[best]) best = v;
            tokens[b] = best;
            if (ended[b]) continue;
            ended[b] = best == END;
            g_assert_true(ended[b] ? found[b].length == t : found[b].length > t);
            if (!ended[b]) g_assert_cmpint(found[b].tokens[t], ==, best);
        }
    }
    for (size_t b = 0; b < SEQUENCES; b++) g_assert_true(ended[b]);
    ns_case_clear(&c);
}

/* A sequence is translated alike beside others and alone. */
static void test_alone(void)
{
    NsCase c;
    begin_case(&c, "arch=encoder-decoder placement=pre", NULL, 0.7);
    NsHypothesis all[SEQUENCES];
    int32_t tokens[SEQUENCES * 8], alone[8];
    search(&c, 4, 0.6, c.batch.T, all, tokens);
    g_autoptr(NsDecoder) decoder = ns_decoder_new(c.model, 1, 4, NULL);
    for (size_t b = 0; b < SEQUENCES; b++) {
        NsHypothesis one = {.tokens = alone};
        const int32_t *length = c.batch.source_length + b;
        ns_decoder_begin(
            decoder, &(NsSourceBatch){1, (size_t)*length, c.batch.source + b * c.batch.S, length});
        ns_beam_search(
            decoder,
            &(NsBeamSearch){.length_penalty = 0.6, .limit = c.batch.T, .begin = 1, .end = END},
            &one);
        g_assert_cmpfloat_with_epsilon(one.score, all[b].score, 1e-12);
        assert_same(&one, &all[b]);
    }
    ns_case_clear(&c);
}

/* A model that has diverged has no hypothesis. */
static void test_diverged(void)
{
    NsCase c;
    begin_case(&c, "arch=encoder-decoder placement=pre", NULL, 0);
    const NsTensorTable *table = ns_model_tensors(c.model);
    for (size_t i = 0; i < table->size; i++) ns_model_weights(c.model)[i] = (ns_real)NAN;
    NsHypothesis found[SEQUENCES];
    int32_t tokens[SEQUENCES * LIMIT];
    search(&c, 4, 0.6, LIMIT, found, tokens);
    for (size_t b = 0; b < SEQUENCES; b++) {
        g_assert_cmpuint(found[b].length, ==, 0);
        g_assert_true(isinf(found[b].score));
    }
    ns_case_clear(&c);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/decode/placements/decoder", "decoder", test_placements);
    g_test_add_data_func("/decode/placements/encoder-decoder", "encoder-decoder", test_placements);
    g_test_add_func("/decode/everything", test_everything);
    static const char *const settings[] = {
        ("arch=encoder-decoder activation=swiglu tie-embeddings=on positions=sinusoidal "
         "scale-embeddings=on"),
        "arch=encoder-decoder activation=gelu positions=none threads=3",
        "arch=encoder-decoder attention=uniform heads=1 placement=hybridnorm",
        "arch=encoder-decoder qk-norm=head norm=batchnorm",
        "arch=encoder-decoder qk-norm=full placement=pre norm=scalenorm",
        "arch=encoder-decoder placement=pre decoder-layers=3 recompute=on dropout=0.3",
        "arch=decoder attention=uniform heads=1 placement=pre",
        "arch=decoder positions=rotary d-model=12 heads=3 kv-heads=1 qk-norm=head placement=pre",
        "arch=encoder-decoder positions=rotary d-model=12 heads=3",
        "arch=decoder mixture=post*1,b2t*1,pre*2,layerscale,rezero layers=5",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(settings); i++) {
        g_autofree char *path = g_strdup_printf("/decode/settings/%zu", i);
        g_test_add_data_func(path, settings[i], test_settings);
    }
    g_test_add_data_func("/decode/exhaustive/encoder-decoder", "arch=encoder-decoder placement=pre",
                         test_exhaustive);
    g_test_add_data_func("/decode/exhaustive/decoder", "arch=decoder", test_exhaustive);
    g_test_add_data_func("/decode/greedy", "arch=encoder-decoder", test_greedy);
    g_test_add_func("/decode/alone", test_alone);
    g_test_add_func("/decode/diverged", test_diverged);
    return g_test_run();
}
