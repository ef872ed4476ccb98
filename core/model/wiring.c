/* SPDX-License-Identifier: MIT */
#include "core/model/wiring.h"

#include "core/base/error.h"
#include "core/base/words.h"

#include <inttypes.h>
#include <string.h>

static bool switched(unsigned setting, bool automatic)
{
    return setting == NS_SWITCH_AUTO ? automatic : setting == NS_SWITCH_ON;
}

/* The norms on queries and keys that the setting selects. */
static NsQkNorm asked_qk(const NsSettings *settings, NsQkNorm automatic)
{
    static const NsQkNorm asked[] = {[NS_QK_NORM_OFF] = NS_QK_NONE,
                                     [NS_QK_NORM_HEAD] = NS_QK_HEAD,
                                     [NS_QK_NORM_FULL] = NS_QK_FULL};
    if (settings->attention == NS_ATTENTION_UNIFORM) return NS_QK_NONE;
    return settings->qk_norm == NS_QK_NORM_AUTO ? automatic : asked[settings->qk_norm];
}

const NsNorm *ns_norm_kind(const NsSettings *settings, const NsPlacement *placement)
{
    unsigned own = placement->norm ? placement->norm : NS_NORM_LAYERNORM;
    const NsNorm *norm = ns_norm(settings->norm == NS_NORM_AUTO ? own : settings->norm);
    return norm->forward ? norm : NULL;
}

bool ns_settings_are_mixed(const NsSettings *settings)
{
    return strpbrk(settings->mixture, ",*") != NULL;
}

const NsPlacement *ns_placement_at(const NsSettings *settings, unsigned layer, unsigned layers)
{
    const NsPlacement *own = ns_placement(settings->placement);
    if (!*settings->mixture) return own;
    const NsPlacement *placement = ns_mixture_at(settings->mixture, layer, layers, NULL);
    return placement ? placement : own;
}

static const NsPlacement *placement_of(const NsSettings *settings, const NsPlacement *placement,
                                       unsigned layer, unsigned layers)
{
    return placement ? placement : ns_placement_at(settings, layer, layers);
}

size_t ns_stacks_wiring(const NsSettings *settings, const NsPlacement *placement,
                        NsStackWiring stacks[NS_STACKS_MAX])
{
    unsigned N = (unsigned)ns_settings_encoder_layers(settings);
    unsigned M = (unsigned)ns_settings_decoder_layers(settings);
    size_t n = 0;
    if (N) stacks[n++] = (NsStackWiring){.layers = N};
    if (M) stacks[n++] = (NsStackWiring){.decoder = true, .cross = N > 0, .first = N, .layers = M};
    for (NsStackWiring *stack = stacks; stack < stacks + n; stack++) {
        /* The embedding norm and the final norm depend on the placements of all layers. */
        for (unsigned l = 0; l < stack->layers; l++) {
            const NsPlacement *row = placement_of(settings, placement, l, stack->layers);
            stack->embedding_norm |= row->embedding_norm;
            stack->final_norm |= row->final_norm;
            stack->dual |= row->dual_stream;
            stack->norm = ns_norm_kind(settings, row);
        }
        bool norms = stack->norm != NULL;
        stack->embedding_norm = norms && switched(settings->embedding_norm, stack->embedding_norm);
        stack->final_norm = norms && switched(settings->final_norm, stack->final_norm);
    }
    return n;
}

size_t ns_layer_wiring(const NsSettings *settings, const NsPlacement *placement,
                       const NsStackWiring *stack, unsigned layer,
                       NsSublayerWiring sublayers[NS_LAYER_SUBLAYERS])
{
    static const NsSublayerKind kinds[] = {NS_SELF_ATTENTION, NS_CROSS_ATTENTION, NS_FFN};
    const NsPlacement *row = placement_of(settings, placement, layer, stack->layers);
    unsigned of_layer = stack->cross ? 3 : 2;
    size_t n = 0;
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        if (kinds[k] == NS_CROSS_ATTENTION && !stack->cross) continue;
        NsSublayerWiring *s = &sublayers[n];
        s->position = (NsPosition){
            .kind = kinds[k],
            .decoder = stack->decoder,
            .N = (unsigned)ns_settings_encoder_layers(settings),
            .M = (unsigned)ns_settings_decoder_layers(settings),
            .layer = layer,
            .layers = stack->layers,
            .sublayer = of_layer * layer + (unsigned)n,
            .sublayers = of_layer * stack->layers,
            .depth_ratio = (double)stack->layers / (double)settings->base_layers,
        };
        s->c = ns_placement_wiring(row, &s->position);
        s->c.norm = ns_norm_kind(settings, row);
        if (kinds[k] != NS_FFN) s->c.qk = asked_qk(settings, s->c.qk);
        if (!s->c.norm) {
            s->c.in = s->c.branch = s->c.out = s->c.mid = s->c.v = false;
            s->c.qk = NS_QK_NONE;
        }
        n++;
    }
    return n;
}

/* Whether two sub-layers have tensors of the same shapes, initial values and rates. */
static bool same_tensors(const NsWiring *a, const NsWiring *b)
{
    const double x[] = {a->gain_start, a->init, a->init_qk, a->lr, a->eps},
                 y[] = {b->gain_start, b->init, b->init_qk, b->lr, b->eps};
    for (size_t i = 0; i < G_N_ELEMENTS(x); i++)
        if (x[i] < y[i] || x[i] > y[i]) return false;
    return a->norm == b->norm && a->in == b->in && a->branch == b->branch && a->out == b->out &&
           a->mid == b->mid && a->qk == b->qk && a->v == b->v && a->head_scale == b->head_scale &&
           a->gain == b->gain && !a->stream_gain && !b->stream_gain;
}

static bool check_tied(const NsSettings *settings, GError **error)
{
    NsStackWiring stacks[NS_STACKS_MAX];
    NsSublayerWiring first[NS_LAYER_SUBLAYERS], other[NS_LAYER_SUBLAYERS];
    size_t n = ns_stacks_wiring(settings, NULL, stacks);
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        size_t kinds = ns_layer_wiring(settings, NULL, &stacks[i], 0, first);
        for (unsigned l = 1; l < stacks[i].layers; l++) {
            ns_layer_wiring(settings, NULL, &stacks[i], l, other);
            for (size_t k = 0; k < kinds; k++) same &= same_tensors(&first[k].c, &other[k].c);
        }
        if (first[0].c.norm && ns_norm_over_batch(first[0].c.norm))
            return ns_refuse(error, NS_ERROR_SETTING,
                             N_("Tied layers cannot have a norm over the batch, whose statistics "
                                "differ by layer; set tie-layers=off or choose another norm."));
    }
    return same || ns_refuse(error, NS_ERROR_SETTING,
                             N_("This placement gives each layer its own initial weights, rates or "
                                "norms, so that layers cannot be tied; set tie-layers=off."));
}

bool ns_wiring_check(const NsSettings *settings, GError **error)
{
    if (settings->d_model % settings->heads != 0)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The width (d-model) is %" PRId64 " and cannot be divided among %" PRId64
                         " heads; make it a multiple of the number of heads.",
                         settings->d_model, settings->heads);
    if (settings->kv_heads > 0 && settings->heads % settings->kv_heads != 0)
        return ns_refuse(
            error, NS_ERROR_SETTING,
            "%" PRId64 " heads cannot be shared evenly among %" PRId64
            " key and value heads (kv-heads); set kv-heads to a divisor of the number of heads.",
            settings->heads, settings->kv_heads);
    if (settings->attention == NS_ATTENTION_UNIFORM && settings->heads != 1)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("Uniform attention has one head; set heads=1."));
    if (settings->attention == NS_ATTENTION_UNIFORM && settings->qk_norm >= NS_QK_NORM_HEAD)
        return ns_refuse(
            error, NS_ERROR_SETTING,
            N_("Uniform attention has no queries and keys to normalize; set qk-norm=off."));
    if (settings->positions == NS_POSITIONS_ROTARY && settings->attention == NS_ATTENTION_UNIFORM)
        return ns_refuse(error, NS_ERROR_SETTING,
                         N_("Uniform attention has no queries and keys to rotate; choose other "
                            "positions than rotary."));
    if (settings->positions == NS_POSITIONS_ROTARY && settings->d_model / settings->heads % 2 != 0)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "Rotary positions rotate pairs of features, but each of %" PRId64
                         " heads has %" PRId64
                         " features; choose d-model and heads so that this number is even.",
                         settings->heads, settings->d_model / settings->heads);
    if (*settings->mixture && !ns_mixture_at(settings->mixture, 0, 1, error)) return false;
    return settings->tie_layers != NS_TOGGLE_ON || check_tied(settings, error);
}
