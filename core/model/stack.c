/* SPDX-License-Identifier: MIT */
#include "core/model/stack.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Tensors of the sub-layers of layer l are named "blk{l}." and this. */
static const char *const role_names[NS_ROLE_COUNT] = {
#define ROLE_NAME(ID, key, name, ...) [NS_ROLE_##ID] = name,
    NS_ROLES(ROLE_NAME)
#undef ROLE_NAME
};

typedef struct {
    NsRole role;
    int layer; /* -1 outside the layers */
    size_t rows, cols;
    NsInitKind init;
    double std;
    bool joined;
} TensorSpec;

static size_t add(NsStack *stack, TensorSpec spec)
{
    NsTensor tensor = {.role = spec.role,
                       .layer = spec.layer,
                       .rows = spec.rows,
                       .cols = spec.cols,
                       .init = spec.init,
                       .std = spec.std};
    if (spec.layer < 0)
        g_snprintf(tensor.name, sizeof tensor.name, "%s", role_names[spec.role]);
    else
        g_snprintf(tensor.name, sizeof tensor.name, "blk%d.%s", spec.layer, role_names[spec.role]);
    size_t i = ns_tensor_table_add(&stack->table, tensor, spec.joined);
    return stack->table.tensors[i].offset;
}

/* Xavier normal: N(0, 2 / (fan_in + fan_out)), times a gain.  Glorot and Bengio 2010, eq. 12. */
static size_t add_matrix(NsStack *stack, NsRole role, int layer, size_t out, size_t in, double gain,
                         bool joined)
{
    return add(stack, (TensorSpec){.role = role,
                                   .layer = layer,
                                   .rows = out,
                                   .cols = in,
                                   .init = NS_INIT_NORMAL,
                                   .std = gain * sqrt(2.0 / (double)(in + out)),
                                   .joined = joined});
}

static size_t add_bias(NsStack *stack, NsRole role, int layer, size_t n, bool joined)
{
    return add(
        stack,
        (TensorSpec){
            .role = role, .layer = layer, .rows = n, .init = NS_INIT_ZERO, .joined = joined});
}

static NsNormPlace add_norm(NsStack *stack, const NsNorm *norm, NsRole gain, NsRole bias, int layer)
{
    NsNormPlace place = {0};
    if (!norm->forward) return place;
    place.norm = norm;
    if (norm->gain)
        place.gain =
            add(stack,
                (TensorSpec){.role = gain, .layer = layer, .rows = stack->D, .init = NS_INIT_ONE});
    if (norm->bias) place.bias = add_bias(stack, bias, layer, stack->D, false);
    return place;
}

/* A sub-layer with one norm beside the branch's calls it norm1 or norm2, wherever it sits, so that
 * Post-LN and Pre-LN share the tensor; with two, the outer one has a name of its own. */
static void add_attention(NsStack *stack, NsSublayer *s, const NsPlacement *p, const NsNorm *norm,
                          int l)
{
    size_t D = stack->D;
    s->kind = NS_ATTENTION;
    if (p->norm_in) s->in = add_norm(stack, norm, NS_ROLE_NORM1_GAIN, NS_ROLE_NORM1_BIAS, l);
    s->w_in = add_matrix(stack, NS_ROLE_WQ, l, D, D, 1, false);
    add_matrix(stack, NS_ROLE_WK, l, D, D, 1, true);
    add_matrix(stack, NS_ROLE_WV, l, D, D, s->c.init_gain, true);
    s->b_in = add_bias(stack, NS_ROLE_BQ, l, D, false);
    add_bias(stack, NS_ROLE_BK, l, D, true);
    add_bias(stack, NS_ROLE_BV, l, D, true);
    s->w_out = add_matrix(stack, NS_ROLE_WO, l, D, D, s->c.init_gain, false);
    s->b_out = add_bias(stack, NS_ROLE_BO, l, D, false);
    if (p->norm_branch)
        s->branch = add_norm(stack, norm, NS_ROLE_BRANCH_NORM1_GAIN, NS_ROLE_BRANCH_NORM1_BIAS, l);
    if (p->norm_out && p->norm_in)
        s->out = add_norm(stack, norm, NS_ROLE_OUT_NORM1_GAIN, NS_ROLE_OUT_NORM1_BIAS, l);
    else if (p->norm_out)
        s->out = add_norm(stack, norm, NS_ROLE_NORM1_GAIN, NS_ROLE_NORM1_BIAS, l);
}

static void add_ffn(NsStack *stack, NsSublayer *s, const NsPlacement *p, const NsNorm *norm, int l)
{
    size_t D = stack->D, F = stack->F;
    s->kind = NS_FFN;
    if (p->norm_in) s->in = add_norm(stack, norm, NS_ROLE_NORM2_GAIN, NS_ROLE_NORM2_BIAS, l);
    s->w_in = add_matrix(stack, NS_ROLE_W1, l, F, D, s->c.init_gain, false);
    s->b_in = add_bias(stack, NS_ROLE_B1, l, F, false);
    s->w_out = add_matrix(stack, NS_ROLE_W2, l, D, F, s->c.init_gain, false);
    s->b_out = add_bias(stack, NS_ROLE_B2, l, D, false);
    if (p->norm_branch)
        s->branch = add_norm(stack, norm, NS_ROLE_BRANCH_NORM2_GAIN, NS_ROLE_BRANCH_NORM2_BIAS, l);
    if (p->norm_out && p->norm_in)
        s->out = add_norm(stack, norm, NS_ROLE_OUT_NORM2_GAIN, NS_ROLE_OUT_NORM2_BIAS, l);
    else if (p->norm_out)
        s->out = add_norm(stack, norm, NS_ROLE_NORM2_GAIN, NS_ROLE_NORM2_BIAS, l);
}

static bool switched(unsigned setting, bool automatic)
{
    return setting == NS_SWITCH_AUTO ? automatic : setting == NS_SWITCH_ON;
}

/* Standard deviations of the embeddings; with a norm after them or before the first branch their
 * ratio is all that counts. */
#define TOK_EMB_STD 1.0
#define POS_EMB_STD 0.1

void ns_stack_init(NsStack *stack, const NsSettings *settings, const NsPlacement *placement,
                   size_t vocab)
{
    *stack = (NsStack){.L = (size_t)settings->layers,
                       .V = vocab,
                       .T = (size_t)settings->seq,
                       .D = (size_t)settings->d_model,
                       .H = (size_t)settings->heads,
                       .F = (size_t)ns_settings_d_ff(settings),
                       .eps = (ns_real)settings->norm_eps};
    const NsNorm *norm = ns_norm(settings->norm);
    stack->tok_emb = add(stack, (TensorSpec){.role = NS_ROLE_TOK_EMB,
                                             .layer = -1,
                                             .rows = stack->V,
                                             .cols = stack->D,
                                             .init = NS_INIT_NORMAL,
                                             .std = TOK_EMB_STD});
    stack->pos_emb = add(stack, (TensorSpec){.role = NS_ROLE_POS_EMB,
                                             .layer = -1,
                                             .rows = stack->T,
                                             .cols = stack->D,
                                             .init = NS_INIT_NORMAL,
                                             .std = POS_EMB_STD});
    if (switched(settings->embedding_norm, placement->embedding_norm))
        stack->embedding_norm =
            add_norm(stack, norm, NS_ROLE_EMB_NORM_GAIN, NS_ROLE_EMB_NORM_BIAS, -1);
    stack->sublayers = g_new0(NsSublayer, 2 * stack->L);
    for (size_t l = 0; l < stack->L; l++) {
        NsSublayer *attention = &stack->sublayers[2 * l], *ffn = attention + 1;
        unsigned k = (unsigned)(2 * l), L = (unsigned)stack->L;
        attention->c = ns_placement_coefficients(placement, k, L);
        ffn->c = ns_placement_coefficients(placement, k + 1, L);
        add_attention(stack, attention, placement, norm, (int)l);
        add_ffn(stack, ffn, placement, norm, (int)l);
    }
    if (switched(settings->final_norm, placement->final_norm))
        stack->final_norm =
            add_norm(stack, norm, NS_ROLE_FINAL_NORM_GAIN, NS_ROLE_FINAL_NORM_BIAS, -1);
    stack->head = add_matrix(stack, NS_ROLE_HEAD, -1, stack->V, stack->D, 1, false);
}

void ns_stack_clear(NsStack *stack)
{
    ns_tensor_table_clear(&stack->table);
    g_clear_pointer(&stack->sublayers, g_free);
}

unsigned ns_stack_shards(const NsSettings *settings)
{
    int64_t threads =
        settings->threads ? settings->threads : (int64_t)sysconf(_SC_NPROCESSORS_ONLN);
    return (unsigned)CLAMP(threads, 1, settings->batch);
}

void ns_stack_shard_range(const NsSettings *settings, unsigned i, size_t *first, size_t *n)
{
    size_t B = (size_t)settings->batch, shards = ns_stack_shards(settings);
    *first = B * i / shards;
    *n = B * (i + 1) / shards - *first;
}

void ns_shard_take(NsShard *shard, const NsStack *stack, size_t first, size_t sequences,
                   NsCursor *cursor)
{
    size_t R = sequences * stack->T, D = stack->D;
    shard->shape = (NsShape){.B = sequences,
                             .T = stack->T,
                             .R = R,
                             .D = D,
                             .H = stack->H,
                             .F = stack->F,
                             .eps = stack->eps};
    shard->first = first;
    shard->embedding = shard->x0 = ns_cursor_take(cursor, R * D);
    if (stack->embedding_norm.norm) {
        shard->stats_embedding = ns_cursor_take(cursor, R * 2);
        shard->x0 = ns_cursor_take(cursor, R * D);
    }
    const ns_real *x = shard->x0;
    for (size_t k = 0; k < 2 * stack->L; k++) {
        ns_activations_take(&shard->sublayers[k], &stack->sublayers[k], &shard->shape, x, cursor);
        x = shard->sublayers[k].out;
    }
    if (stack->final_norm.norm) {
        shard->final = ns_cursor_take(cursor, R * D);
        shard->stats_final = ns_cursor_take(cursor, R * 2);
    }
    shard->logits = ns_cursor_take(cursor, R * stack->V);
    shard->d = ns_cursor_take(cursor, R * D);
    ns_scratch_take(&shard->scratch, &shard->shape, cursor);
}
