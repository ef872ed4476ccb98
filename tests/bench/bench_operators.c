/* Operators at the shapes of the presets, beside plain loops where there is something to compare.
 * SPDX-License-Identifier: MIT
 *
 * One thread, on the sequences that one of two threads has.  The contestants take turns, and of
 * each the fastest turn counts, so that what else the machine does meanwhile hardly touches the
 * ratio.
 *
 * Usage: bench-operators [MILLISECONDS [PRESET [OPERATOR]]]: of one contestant at one shape. */
#include "core/base/rng.h"
#include "core/ops/dropout.h"
#include "core/ops/embedding.h"
#include "tests/bench/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const char *preset;
    size_t B, T, H, d, F, V;
} Shape;

static const Shape shapes[] = {
    {"tiny", 8, 64, 4, 16, 256, 96},      {"small", 8, 128, 4, 32, 512, 96},
    {"medium", 4, 128, 8, 32, 1024, 512}, {"iwslt", 16, 32, 4, 128, 1024, 8000},
    {"deep", 4, 32, 4, 16, 256, 96},      {"verydeep", 2, 16, 2, 16, 128, 96},
};

/* Operands of every operator.  D = H d, R = B T. */
typedef struct {
    const Shape *s;
    size_t R, D;
    ns_real *qkv, *dqkv, *P, *o, *scores; /* [R, 3 D], [B, H, T, T], [R, D], [T, T] */
    ns_real *x, *y, *z, *dx;              /* [R, D] */
    ns_real *wide[3];                     /* [R, F] */
    ns_real *logits, *kept;               /* [R, V] */
    ns_real *table;                       /* [V, D] */
    ns_real *gain, *bias, *dgain, *dbias, *stats;
    int32_t *tokens, *lengths;
    volatile double sink; /* so that no result goes unused */
} Operands;

static NsAttention attention(const Operands *o, bool causal)
{
    return (NsAttention){.B = o->s->B,
                         .T = o->s->T,
                         .S = o->s->T,
                         .H = o->s->H,
                         .d = o->s->d,
                         .causal = causal,
                         .key_length = o->lengths,
                         .Q = o->qkv,
                         .K = o->qkv + o->D,
                         .V = o->qkv + 2 * o->D,
                         .q_stride = 3 * o->D,
                         .k_stride = 3 * o->D};
}

static NsAttentionGradients attention_gradients(const Operands *o)
{
    return (NsAttentionGradients){.dO = o->o,
                                  .P = o->P,
                                  .dQ = o->dqkv,
                                  .dK = o->dqkv + o->D,
                                  .dV = o->dqkv + 2 * o->D,
                                  .scratch = o->scores};
}

static void attend(Operands *o, bool plain)
{
    NsAttention a = attention(o, true);
    (plain ? ns_plain_attention_forward : ns_attention_forward)(&a, o->y, o->P);
}

static void attend_all(Operands *o, bool plain)
{
    NsAttention a = attention(o, false);
    (plain ? ns_plain_attention_forward : ns_attention_forward)(&a, o->y, o->P);
}

static void attend_backward(Operands *o, bool plain)
{
    NsAttention a = attention(o, true);
    NsAttentionGradients g = attention_gradients(o);
    (plain ? ns_plain_attention_backward : ns_attention_backward)(&a, &g);
}

static void attend_all_backward(Operands *o, bool plain)
{
    NsAttention a = attention(o, false);
    NsAttentionGradients g = attention_gradients(o);
    (plain ? ns_plain_attention_backward : ns_attention_backward)(&a, &g);
}

static NsNormPass norm_pass(const Operands *o)
{
    return (NsNormPass){.R = o->R,
                        .C = o->D,
                        .eps = (ns_real)1e-5,
                        .gain = o->gain,
                        .bias = o->bias,
                        .stats = o->stats};
}

static const NsNorm *norm_named(const char *key)
{
    return ns_norm((size_t)ns_choices_find(ns_norm_choice, key));
}

static void layernorm(Operands *o, bool plain)
{
    NsNormPass p = norm_pass(o);
    (plain ? ns_plain_layernorm_forward : norm_named("layernorm")->forward)(&p, o->z, o->x);
}

static void layernorm_backward(Operands *o, bool plain)
{
    NsNormPass p = norm_pass(o);
    NsNormGradients g = {.gain = o->dgain, .bias = o->dbias};
    (plain ? ns_plain_layernorm_backward : norm_named("layernorm")->backward)(&p, &g, o->dx, o->o,
                                                                              o->x);
}

static void rmsnorm(Operands *o, bool plain)
{
    (void)plain;
    NsNormPass p = norm_pass(o);
    norm_named("rmsnorm")->forward(&p, o->z, o->x);
}

static void rmsnorm_backward(Operands *o, bool plain)
{
    (void)plain;
    NsNormPass p = norm_pass(o);
    NsNormGradients g = {.gain = o->dgain};
    norm_named("rmsnorm")->backward(&p, &g, o->dx, o->o, o->x);
}

static const NsActivation *activation_named(const char *key)
{
    return ns_activation((size_t)ns_choices_find(ns_activation_choice, key));
}

static void gelu(Operands *o, bool plain)
{
    (plain ? ns_plain_gelu_forward : activation_named("gelu")->forward)(o->wide[1], o->wide[0],
                                                                        NULL, o->R * o->s->F);
}

static void gelu_backward(Operands *o, bool plain)
{
    (plain ? ns_plain_gelu_backward : activation_named("gelu")->backward)(
        o->wide[1], NULL, o->wide[2], o->wide[0], NULL, o->R * o->s->F);
}

static void swiglu(Operands *o, bool plain)
{
    (plain ? ns_plain_swiglu_forward : activation_named("swiglu")->forward)(
        o->wide[1], o->wide[0], o->wide[2], o->R * o->s->F);
}

static void relu(Operands *o, bool plain)
{
    (void)plain;
    activation_named("relu")->forward(o->wide[1], o->wide[0], NULL, o->R * o->s->F);
}

static void cross_entropy(Operands *o, bool plain)
{
    memcpy(o->logits, o->kept, o->R * o->s->V * sizeof *o->logits);
    o->sink = (plain ? ns_plain_cross_entropy : ns_cross_entropy)(o->logits, o->tokens, o->R,
                                                                  o->s->V, 0.1, 0, 1)
                  .loss;
}

static void join(Operands *o, bool plain)
{
    unsigned all = NS_SQUARES_STREAM | NS_SQUARES_BRANCH | NS_SQUARES_SUM;
    o->sink =
        (plain ? ns_plain_join_streams : ns_join_streams)(o->z, 1, o->x, 1, o->y, o->R * o->D, all)
            .sum;
}

static void row_sums(Operands *o, bool plain)
{
    (void)plain;
    NsRowSums sums = {0};
    ns_row_sums_add(&sums, o->x, o->R, o->D);
    o->sink = sums.squares;
}

static void embedding(Operands *o, bool plain)
{
    (void)plain;
    const NsEmbeddingShape shape = {o->s->B, o->s->T, o->D, 1};
    ns_embedding_forward(o->y, o->tokens, o->table, o->x, &shape);
}

static void embedding_backward(Operands *o, bool plain)
{
    (void)plain;
    const NsEmbeddingShape shape = {o->s->B, o->s->T, o->D, 1};
    ns_embedding_backward(o->table, 0, o->s->V, o->x, o->tokens, &shape);
}

static void dropout(Operands *o, bool plain)
{
    (void)plain;
    ns_dropout(o->z, o->R * o->D, 0.1, &(NsNoiseKey){.seed = 1});
}

static const struct {
    const char *name;
    void (*run)(Operands *o, bool plain);
    bool compared;
} operators[] = {
    {"attention", attend, true},
    {"attention-backward", attend_backward, true},
    {"attention-all", attend_all, true},
    {"attention-all-backward", attend_all_backward, true},
    {"layernorm", layernorm, true},
    {"layernorm-backward", layernorm_backward, true},
    {"rmsnorm", rmsnorm, false},
    {"rmsnorm-backward", rmsnorm_backward, false},
    {"gelu", gelu, true},
    {"gelu-backward", gelu_backward, true},
    {"swiglu", swiglu, true},
    {"relu", relu, false},
    {"cross-entropy", cross_entropy, true},
    {"join-streams", join, true},
    {"row-sums", row_sums, false},
    {"embedding", embedding, false},
    {"embedding-backward", embedding_backward, false},
    {"dropout", dropout, false},
};

/* Seconds that this thread has worked; those when it had to wait do not count. */
static double clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* In seconds, of `count` calls. */
static double turn(size_t which, Operands *o, bool plain, size_t count)
{
    double start = clock_now();
    for (size_t i = 0; i < count; i++) operators[which].run(o, plain);
    return clock_now() - start;
}

static ns_real *normal(size_t n, uint64_t stream)
{
    ns_real *elements = ns_real_new(n, "an operand", NULL);
    if (!elements) exit(1);
    NsRng rng;
    ns_rng_init(&rng, 1, stream);
    for (size_t i = 0; i < n; i++) elements[i] = (ns_real)ns_rng_normal(&rng);
    return elements;
}

static void make(Operands *o, const Shape *s)
{
    size_t R = s->B * s->T, D = s->H * s->d;
    *o = (Operands){.s = s, .R = R, .D = D};
    ns_real **of_rows[] = {&o->x, &o->y, &o->z, &o->dx, &o->o};
    for (size_t i = 0; i < G_N_ELEMENTS(of_rows); i++) *of_rows[i] = normal(R * D, i);
    o->qkv = normal(3 * R * D, 10);
    o->dqkv = normal(3 * R * D, 11);
    o->P = normal(s->B * s->H * s->T * s->T, 12);
    o->scores = normal(s->T * s->T, 13);
    for (size_t i = 0; i < 3; i++) o->wide[i] = normal(R * s->F, 20 + i);
    o->logits = normal(R * s->V, 30);
    o->kept = normal(R * s->V, 31);
    o->table = normal(s->V * D, 32);
    ns_real **of_features[] = {&o->gain, &o->bias, &o->dgain, &o->dbias};
    for (size_t i = 0; i < G_N_ELEMENTS(of_features); i++) *of_features[i] = normal(D, 40 + i);
    o->stats = normal(2 * R, 50);
    o->tokens = g_new(int32_t, R);
    o->lengths = g_new(int32_t, s->B);
    for (size_t r = 0; r < R; r++) o->tokens[r] = (int32_t)(r * 31 % s->V);
    for (size_t b = 0; b < s->B; b++) o->lengths[b] = (int32_t)s->T;
}

static void clear(Operands *o)
{
    ns_real *all[] = {o->qkv,   o->dqkv, o->P,       o->o,       o->scores,  o->x,      o->y,
                      o->z,     o->dx,   o->wide[0], o->wide[1], o->wide[2], o->logits, o->kept,
                      o->table, o->gain, o->bias,    o->dgain,   o->dbias,   o->stats};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) ns_real_free(all[i]);
    g_free(o->tokens);
    g_free(o->lengths);
}

static void measure(Operands *o, size_t which, double budget)
{
    enum { TURNS = 20 };
    bool compared = operators[which].compared;
    double least[2] = {1e9, 1e9};
    double once = turn(which, o, false, 1);
    size_t count = 1 + (size_t)(budget / TURNS / (once + 1e-7));
    for (int i = 0; i < TURNS; i++)
        for (int plain = 0; plain <= compared; plain++) {
            double seconds = turn(which, o, plain, count) / (double)count;
            least[plain] = MIN(least[plain], seconds);
        }
    printf("%-9s %-23s %9.2f us", o->s->preset, operators[which].name, 1e6 * least[0]);
    if (compared)
        printf("  plain %9.2f us  %5.2f times as fast", 1e6 * least[1], least[1] / least[0]);
    printf("\n");
}

int main(int argc, char **argv)
{
    double budget = 1e-3 * (argc > 1 ? atof(argv[1]) : 20);
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        if (argc > 2 && strcmp(argv[2], shapes[i].preset) != 0) continue;
        Operands o;
        make(&o, &shapes[i]);
        attend(&o, false); /* weights and statistics for backward */
        layernorm(&o, false);
        for (size_t k = 0; k < G_N_ELEMENTS(operators); k++)
            if (argc < 4 || strcmp(argv[3], operators[k].name) == 0) measure(&o, k, budget);
        clear(&o);
    }
    return 0;
}
