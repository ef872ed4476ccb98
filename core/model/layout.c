/* SPDX-License-Identifier: MIT */
#include "core/model/layout.h"

#include "core/base/processors.h"
#include "core/model/init.h"

#include <math.h>
#include <string.h>

/* Names of tensors; those in the layers are prefixed with "blk{l}.". */
static const char *const parameter_names[NS_PARAMETER_COUNT] = {
#define PARAMETER_NAME(ID, key, name, ...) [NS_PARAMETER_##ID] = name,
    NS_PARAMETERS(PARAMETER_NAME)
#undef PARAMETER_NAME
};

/* The parameter kinds that every kind of sub-layer has.  For a norm this is the kind of its gain;
 * those of its bias and alpha follow. */
typedef struct {
    NsParameterKind in, mid, branch, out, branch_gain, stream_gain;
} Parameters;

static const Parameters parameters[NS_SUBLAYER_KINDS] = {
    [NS_SELF_ATTENTION] = {NS_PARAMETER_NORM1_GAIN, NS_PARAMETER_MID_NORM1_GAIN,
                           NS_PARAMETER_BRANCH_NORM1_GAIN, NS_PARAMETER_OUT_NORM1_GAIN,
                           NS_PARAMETER_BRANCH_GAIN1, NS_PARAMETER_STREAM_GAIN1},
    [NS_CROSS_ATTENTION] = {NS_PARAMETER_CROSS_NORM_GAIN, NS_PARAMETER_CROSS_MID_NORM_GAIN,
                            NS_PARAMETER_BRANCH_CROSS_NORM_GAIN, NS_PARAMETER_OUT_CROSS_NORM_GAIN,
                            NS_PARAMETER_CROSS_BRANCH_GAIN, NS_PARAMETER_CROSS_STREAM_GAIN},
    [NS_FFN] = {NS_PARAMETER_NORM2_GAIN, NS_PARAMETER_MID_NORM2_GAIN,
                NS_PARAMETER_BRANCH_NORM2_GAIN, NS_PARAMETER_OUT_NORM2_GAIN,
                NS_PARAMETER_BRANCH_GAIN2, NS_PARAMETER_STREAM_GAIN2},
};

/* The parameters of cross-attention have the order of those of self-attention. */
#define CROSS (NS_PARAMETER_CROSS_WQ - NS_PARAMETER_WQ)
G_STATIC_ASSERT(NS_PARAMETER_CROSS_BO - NS_PARAMETER_BO == CROSS);

/* The layout under construction, and the context of the next tensor. */
typedef struct {
    NsModelLayout *layout;
    const NsSettings *settings;
    const NsPlacement *placement; /* for all layers, or NULL */
    const NsInit *init;
    const char *prefix;
    /* The layer numbered through all stacks, and within its stack; -1 outside the layers. */
    int layer, block;
    unsigned sharing; /* number of layers that use the tensors of this one */
    double lr, eps;
    double width;      /* that of the model over its base width */
    size_t layer_gain; /* offset of the gain that the sub-layers of this layer share; 0 for none */
} Builder;

/* Adds a tensor of this parameter kind and returns its offset.  The caller fills in shape and
 * initialization, and its own factors on Adam's rate and epsilon; 0 stands for 1. */
static size_t add(const Builder *b, NsParameterKind parameter, NsTensor tensor, bool joined)
{
    tensor.parameter = parameter;
    tensor.layer = b->layer;
    tensor.layers = b->layer < 0 ? 1 : b->sharing;
    tensor.lr = tensor.lr > 0 ? b->lr * tensor.lr : b->lr;
    tensor.eps = tensor.eps > 0 ? b->eps * tensor.eps : b->eps;
    if (b->block < 0)
        g_snprintf(tensor.name, sizeof tensor.name, "%s%s", b->prefix, parameter_names[parameter]);
    else
        g_snprintf(tensor.name, sizeof tensor.name, "%sblk%d.%s", b->prefix, b->block,
                   parameter_names[parameter]);
    size_t i = ns_tensor_table_add(&b->layout->table, tensor, joined);
    return b->layout->table.tensors[i].offset;
}

static size_t add_matrix(const Builder *b, NsParameterKind parameter, size_t out, size_t in,
                         double factor, bool joined)
{
    bool head = b->block < 0;
    double m = b->width;
    double std = head ? b->init->std((double)out, (double)in / m) / m
                      : ns_init_std(b->init, m, (double)out, (double)in);
    return add(b, parameter,
               (NsTensor){.rows = out,
                          .cols = in,
                          .init = b->init->kind,
                          .std = factor * std,
                          .lr = 1 / m,
                          .eps = head ? 1 : 1 / m,
                          .decay = true},
               joined);
}

static size_t add_zeros(const Builder *b, NsParameterKind parameter, size_t n, bool joined)
{
    return add(b, parameter, (NsTensor){.rows = n, .init = NS_INIT_ZERO}, joined);
}

static size_t add_constant(const Builder *b, NsParameterKind parameter, size_t n, double value)
{
    return add(b, parameter, (NsTensor){.rows = n, .init = NS_INIT_CONSTANT, .std = value}, false);
}

/* Initial alpha of DyT.  Zhu et al. 2025. */
#define ALPHA_START 0.5

/* `gain` is the parameter kind of the gain; those of bias and alpha follow it. */
static NsNormPlace add_norm(const Builder *b, const NsNorm *norm, NsParameterKind gain, size_t C)
{
    NsNormPlace place = {.norm = norm, .C = C};
    if (norm->gain && norm->scalar)
        place.gain = add_constant(b, gain, 1, sqrt((double)C));
    else if (norm->gain)
        place.gain = add(b, gain, (NsTensor){.rows = C, .init = NS_INIT_ONE}, false);
    if (norm->bias) place.bias = add_zeros(b, gain + 1, C, false);
    if (norm->alpha) place.alpha = add_constant(b, gain + 2, 1, ALPHA_START);
    if (ns_norm_over_batch(norm)) {
        place.running = b->layout->state_size;
        b->layout->state_size += 2 * C;
    }
    return place;
}

static void add_attention(const Builder *b, NsSublayer *s, double factor, double factor_qk,
                          double last)
{
    size_t D = b->layout->D, H = b->layout->H, KV = b->layout->KV;
    bool self = s->kind == NS_SELF_ATTENTION;
    NsParameterKind of = self ? 0 : CROSS;
    if (!s->uniform) {
        s->w_in = add_matrix(b, NS_PARAMETER_WQ + of, D, D, factor_qk, false);
        s->w_memory = add_matrix(b, NS_PARAMETER_WK + of, KV, D, factor_qk, self);
        add_matrix(b, NS_PARAMETER_WV + of, KV, D, factor, true);
        s->b_in = add_zeros(b, NS_PARAMETER_BQ + of, D, false);
        s->b_memory = add_zeros(b, NS_PARAMETER_BK + of, KV, self);
        add_zeros(b, NS_PARAMETER_BV + of, KV, true);
    } else {
        s->w_memory = add_matrix(b, NS_PARAMETER_WV + of, D, D, factor, false);
        s->b_memory = add_zeros(b, NS_PARAMETER_BV + of, D, false);
    }
    /* Norms on queries, keys and values; a norm over the batch has each feature separately. */
    const NsNorm *norm = s->c.norm;
    size_t head = D / H;
    bool full = s->c.qk == NS_QK_FULL, batch = norm && ns_norm_over_batch(norm);
    if (s->c.qk != NS_QK_NONE) {
        s->q = add_norm(b, norm, NS_PARAMETER_Q_NORM_GAIN + of, full || batch ? D : head);
        s->k = add_norm(b, norm, NS_PARAMETER_K_NORM_GAIN + of, full || batch ? KV : head);
    }
    if (s->c.v) s->v = add_norm(b, norm, NS_PARAMETER_V_NORM_GAIN + of, batch ? KV : head);
    if (s->c.head_scale) s->head_scale = add_constant(b, NS_PARAMETER_HEAD_SCALE + of, H, 1);
    if (s->c.mid) s->mid = add_norm(b, s->c.norm, parameters[s->kind].mid, D);
    if (s->uniform) return;
    s->w_out = add_matrix(b, NS_PARAMETER_WO + of, D, D, last, false);
    s->b_out = add_zeros(b, NS_PARAMETER_BO + of, D, false);
}

/* Adds the tensors of a sub-layer.  Its first norm is norm1 or norm2, wherever it is placed, so
 * that Post-LN, Pre-LN and OLMo 2 share the tensor; additional norms have their own names. */
static void add_sublayer(Builder *b, NsSublayer *s, const NsPosition *p)
{
    const Parameters *r = &parameters[s->kind];
    size_t D = b->layout->D;
    NsInitFactors factors = ns_init_factors(b->init, &s->c, p);
    double factor = b->settings->init_scale * factors.others;
    double last = b->init->scaled_residual ? factor / sqrt(2.0 * p->layers) : factor;
    b->lr = s->c.lr;
    b->eps = s->c.eps;
    switch (s->c.gain) {
    case NS_GAIN_NONE:
        break;
    case NS_GAIN_LAYER:
        if (s->first) b->layer_gain = add_constant(b, NS_PARAMETER_LAYER_GAIN, 1, s->c.gain_start);
        s->branch_gain = b->layer_gain;
        break;
    case NS_GAIN_SCALAR:
        s->branch_gain = add_constant(b, r->branch_gain, 1, s->c.gain_start);
        break;
    case NS_GAIN_VECTOR:
        s->branch_gain = add_constant(b, r->branch_gain, D, s->c.gain_start);
        break;
    }
    if (s->c.stream_gain) s->stream_gain = add_constant(b, r->stream_gain, D, 1);

    if (s->c.in) s->in = add_norm(b, s->c.norm, r->in, D);
    if (s->kind == NS_FFN) {
        size_t F = b->layout->F;
        s->w_in = add_matrix(b, NS_PARAMETER_W1, F, D, factor, false);
        s->b_in = add_zeros(b, NS_PARAMETER_B1, F, false);
        if (s->activation->gated) s->w_gate = add_matrix(b, NS_PARAMETER_W3, F, D, factor, false);
        if (s->c.mid) s->mid = add_norm(b, s->c.norm, r->mid, F);
        s->w_out = add_matrix(b, NS_PARAMETER_W2, D, F, last, false);
        s->b_out = add_zeros(b, NS_PARAMETER_B2, D, false);
    } else
        add_attention(b, s, factor, b->settings->init_scale * factors.qk, last);
    bool only = !s->c.in && !s->c.out;
    if (s->c.branch) s->branch = add_norm(b, s->c.norm, only ? r->in : r->branch, D);
    if (s->c.out) s->out = add_norm(b, s->c.norm, s->c.in ? r->out : r->in, D);
    b->lr = b->eps = 1;
}

static void add_layers(Builder *b, const NsStack *stack, const NsStackWiring *wiring)
{
    NsModelLayout *layout = b->layout;
    bool tied = b->settings->tie_layers == NS_TOGGLE_ON;
    NsSublayer *first = &layout->sublayers[stack->first], *s = first;
    b->sharing = tied ? wiring->layers : 1;
    for (unsigned l = 0; l < wiring->layers; l++) {
        NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS];
        size_t n = ns_layer_wiring(b->settings, b->placement, wiring, l, sublayers);
        b->block = (int)l;
        b->layer = (int)(stack->first_layer + l);
        for (size_t k = 0; k < n; k++, s++) {
            const NsPosition *p = &sublayers[k].position;
            if (tied && l > 0) {
                *s = first[k]; /* with its tensors */
                s->c = sublayers[k].c;
                s->layer = stack->first_layer + l;
                s->number = (unsigned)stack->first + p->sublayer;
                s->drop_path = b->settings->drop_path * (l + 1.0) / wiring->layers;
                continue;
            }
            *s = (NsSublayer){
                .kind = p->kind,
                .c = sublayers[k].c,
                .causal = stack->decoder && p->kind == NS_SELF_ATTENTION,
                .uniform = p->kind != NS_FFN && b->settings->attention == NS_ATTENTION_UNIFORM,
                .activation = ns_activation(b->settings->activation),
                .first = k == 0,
                .last = p->kind == NS_FFN,
                .layer = stack->first_layer + l,
                .number = (unsigned)stack->first + p->sublayer,
                .drop_path = b->settings->drop_path * (l + 1.0) / wiring->layers,
            };
            add_sublayer(b, s, p);
        }
    }
    b->block = b->layer = -1;
}

static void add_stack(Builder *b, NsStack *stack, const NsStackWiring *wiring, NsVocab vocab)
{
    b->prefix = stack->prefix;
    /* Add the embeddings of a stack.  Tied embeddings share one matrix with the head, except for
     * those of a source with a separate vocabulary. */
    NsModelLayout *layout = b->layout;
    bool source = stack + 1 < layout->stacks + layout->n_stacks, apart = vocab.source > 0;
    bool tied = b->settings->tie_embeddings == NS_TOGGLE_ON && !(source && apart);
    bool shared = tied && !apart && stack != layout->stacks;
    NsSublayerWiring first[NS_LAYER_SUBLAYERS];
    ns_layer_wiring(b->settings, b->placement, wiring, 0, first);
    const NsPlacement *placement =
        b->placement ? b->placement : ns_placement_at(b->settings, 0, wiring->layers);
    NsEmbeddingInit init =
        ns_init_embedding(b->init, placement, &first[0].position, (double)layout->D, tied);
    Builder outside = *b;
    if (tied && !apart) outside.prefix = "";
    /* A tied embedding is also a head, to which weight decay applies. */
    stack->tok_emb = shared ? layout->stacks[0].tok_emb
                            : add(&outside, NS_PARAMETER_TOK_EMB,
                                  (NsTensor){.rows = source && apart ? vocab.source : vocab.in,
                                             .cols = layout->D,
                                             .init = NS_INIT_NORMAL,
                                             .std = init.token,
                                             .decay = tied},
                                  false);
    if (layout->learned_positions)
        stack->pos_emb = add(
            b, NS_PARAMETER_POS_EMB,
            (NsTensor){
                .rows = stack->T, .cols = layout->D, .init = NS_INIT_NORMAL, .std = init.position},
            false);
    if (vocab.segments > 0)
        stack->seg_emb = add(b, NS_PARAMETER_SEG_EMB,
                             (NsTensor){.rows = vocab.segments,
                                        .cols = layout->D,
                                        .init = NS_INIT_NORMAL,
                                        .std = init.position},
                             false);
    if (wiring->embedding_norm)
        stack->embedding_norm = add_norm(b, wiring->norm, NS_PARAMETER_EMB_NORM_GAIN, b->layout->D);
    add_layers(b, stack, wiring);
    if (wiring->final_norm)
        stack->final_norm = add_norm(b, wiring->norm, NS_PARAMETER_FINAL_NORM_GAIN, b->layout->D);
}

static size_t shards_of(const NsSettings *settings)
{
    if (ns_norm_over_batch(ns_norm(settings->norm))) return 1;
    int64_t threads = settings->threads ? settings->threads : (int64_t)ns_processors();
    return (size_t)CLAMP(threads, 1, ns_settings_batch(settings));
}

/* The number of sequences that a part may hold in addition to its share of a batch of full length:
 * two, because the divisions into batches, shards and parts round up, and more if a batch by tokens
 * can contain more sequences of the shorter one of source and target. */
static size_t spare_of(const NsModelLayout *layout, const NsSettings *settings)
{
    if (settings->batch_tokens == 0) return 0;
    size_t T = (size_t)settings->seq, S = (size_t)ns_settings_source_seq(settings);
    size_t shortest = S > 0 ? MIN(S, T) : T, pieces = layout->shards * layout->parts;
    size_t most = (size_t)settings->batch_tokens / (shortest * pieces);
    size_t share = (size_t)ns_settings_batch(settings) / pieces;
    return MAX(most, share) - share + 2;
}

static void lay_out_stacks(NsModelLayout *layout, const NsSettings *settings,
                           const NsStackWiring *wiring, size_t n)
{
    size_t T = (size_t)settings->seq, S = (size_t)ns_settings_source_seq(settings);
    bool both = n > 1;
    layout->n_stacks = n;
    for (size_t i = 0; i < n; i++) {
        const NsStackWiring *w = &wiring[i];
        bool decoder = w->decoder;
        layout->stacks[i] = (NsStack){.prefix = !both     ? ""
                                                : decoder ? "dec."
                                                          : "enc.",
                                      .decoder = decoder,
                                      .cross = w->cross,
                                      .dual = w->dual,
                                      .L = w->layers,
                                      .T = both && !decoder ? S : T,
                                      .S = decoder ? S : 0,
                                      .first_layer = w->first,
                                      .first = layout->n_sublayers,
                                      .n = (w->cross ? 3 : 2) * (size_t)w->layers};
        layout->layers += w->layers;
        layout->n_sublayers += layout->stacks[i].n;
    }
}

/* A matrix over the vocabulary: a token embedding or the head. */
static bool is_vocabulary(const NsTensor *t)
{
    return t->parameter == NS_PARAMETER_TOK_EMB || t->parameter == NS_PARAMETER_HEAD;
}

/* Returns the span for a tensor that starts a new span. */
static NsSpan *next_span(NsModelLayout *layout, const NsTensor *t)
{
    if (t->layer >= 0) return &layout->spans[t->layer];
    if (is_vocabulary(t)) return &layout->vocabulary[layout->n_vocabulary++];
    return &layout->outside[layout->n_outside++];
}

/* Finds the spans of all tensors.  The tensors of a layer are contiguous, as are the layers of a
 * stack. A span ends where the next one begins, so that it includes the gap before the next one. */
static void find_spans(NsModelLayout *layout)
{
    const NsTensorTable *table = &layout->table;
    layout->spans = g_new0(NsSpan, layout->layers);
    NsSpan none = {0}, *span = &none;
    const NsTensor *before = NULL;
    for (size_t i = 0; i < table->n; before = &table->tensors[i++]) {
        const NsTensor *t = &table->tensors[i];
        bool same = before && before->layer == t->layer && !is_vocabulary(before);
        if (!same || is_vocabulary(t)) {
            span->end = t->offset;
            span = next_span(layout, t);
            *span = (NsSpan){.begin = t->offset, .first = i};
        }
        span->n++;
    }
    span->end = table->size;
    for (size_t l = 1; l < layout->layers; l++) /* tied layers */
        if (layout->spans[l].n == 0) layout->spans[l] = layout->spans[l - 1];
}

void ns_model_layout_init(NsModelLayout *layout, const NsSettings *settings,
                          const NsPlacement *placement, NsVocab vocab)
{
    *layout = (NsModelLayout){
        .V = vocab.out,
        .classes = vocab.classes,
        .D = (size_t)settings->d_model,
        .H = (size_t)settings->heads,
        .F = (size_t)ns_settings_d_ff(settings),
        .KV = (size_t)(settings->d_model / settings->heads * ns_settings_kv_heads(settings)),
        .shards = shards_of(settings),
        .eps = (ns_real)settings->norm_eps,
        .embedding_scale = settings->scale_embeddings == NS_TOGGLE_ON
                               ? (ns_real)sqrt((double)settings->d_model)
                               : 1,
        .standardize = settings->weight_standardization == NS_TOGGLE_ON,
        .sinusoids = settings->positions == NS_POSITIONS_SINUSOIDAL,
        .learned_positions = settings->positions == NS_POSITIONS_LEARNED,
        .rotary = settings->positions == NS_POSITIONS_ROTARY,
        .recompute = settings->recompute == NS_TOGGLE_ON,
        .dropout = settings->dropout,
        .label_smoothing = settings->label_smoothing,
        .z_loss = settings->z_loss,
    };
    NsStackWiring stacks[NS_STACKS_MAX];
    size_t n = ns_stacks_wiring(settings, placement, stacks);
    lay_out_stacks(layout, settings, stacks, n);
    layout->sublayers = g_new0(NsSublayer, layout->n_sublayers);
    Builder b = {
        .layout = layout,
        .settings = settings,
        .placement = placement,
        .init = ns_init(settings->init),
        .layer = -1,
        .block = -1,
        .lr = 1,
        .eps = 1,
        .width = ns_settings_width_ratio(settings),
    };
    for (size_t i = 0; i < n; i++) add_stack(&b, &layout->stacks[i], &stacks[i], vocab);
    b.prefix = "";
    if (layout->classes > 0)
        layout->class_head =
            add_matrix(&b, NS_PARAMETER_CLASS_HEAD, layout->classes, layout->D, 1, false);
    /* Symbols that are read but never predicted (begin, mask) come last, so that the head is the
     * first rows of a tied embedding. */
    layout->head = settings->tie_embeddings == NS_TOGGLE_ON
                       ? layout->stacks[n - 1].tok_emb
                       : add_matrix(&b, NS_PARAMETER_HEAD, layout->V, layout->D, 1, false);
    find_spans(layout);
    layout->parts = ns_model_layout_parts(layout, settings);
    layout->spare = spare_of(layout, settings);
    layout->retained = settings->probe_every > 0 ? layout->parts : 1;
    ns_arena_plan_init(layout, settings);
}

size_t ns_model_layout_outside(const NsModelLayout *layout)
{
    size_t elements = 0;
    for (size_t i = 0; i < layout->n_outside; i++)
        elements += layout->outside[i].end - layout->outside[i].begin;
    return elements;
}

void ns_model_layout_clear(NsModelLayout *layout)
{
    ns_tensor_table_clear(&layout->table);
    g_clear_pointer(&layout->sublayers, g_free);
    g_clear_pointer(&layout->spans, g_free);
    ns_arena_plan_clear(&layout->arena_plan);
}
