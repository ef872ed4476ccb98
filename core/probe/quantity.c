/* SPDX-License-Identifier: MIT */
#include "core/probe/quantity.h"

#include "core/model/placement.h"

#include <math.h>
#include <stdatomic.h>

#define GRADIENT_LABEL(symbol) "Gradient norm of " symbol
#define GRADIENT_PURPOSE(symbol)                                                                   \
    "Frobenius norm of the mini-batch gradient of " symbol ", before clipping."

#define GRADIENT_ROW(ID, parameter_key, tensor_name, parameter_symbol, per_layer)                  \
    [NS_QUANTITY_GRAD_##ID] = {                                                                    \
        .choice = {.key = "grad-" parameter_key,                                                   \
                   .label = GRADIENT_LABEL(parameter_symbol),                                      \
                   .reference = "Xiong et al. 2020, 3.3",                                          \
                   .purpose = GRADIENT_PURPOSE(parameter_symbol)},                                 \
        .symbol = "‖∇" parameter_symbol "‖",                                                       \
        .domain = (per_layer) ? NS_DOMAIN_LAYER : NS_DOMAIN_STEP,                                  \
    },

enum { CHEAP, EXPENSIVE, VALIDATED, CURVATURE, SHARPNESS, ABLATION };
enum { SIZE, UNIT };
#define INTERVAL_CHEAP NULL
#define INTERVAL_EXPENSIVE "probe-every"
#define INTERVAL_VALIDATED "eval-every"
#define INTERVAL_CURVATURE "curvature-every"
#define INTERVAL_SHARPNESS "layer-sharpness-every"
#define INTERVAL_ABLATION "ablation-every"

/* Needs that follow from the cost. */
#define NEED_CHEAP NS_NEED_NOTHING
#define NEED_EXPENSIVE NS_NEED_NOTHING
#define NEED_VALIDATED NS_NEED_NOTHING
#define NEED_CURVATURE NS_NEED_CURVATURE
#define NEED_SHARPNESS NS_NEED_SHARPNESS
#define NEED_ABLATION NS_NEED_ABLATION

#define ROW(ID, quantity_key, quantity_label, quantity_symbol, DOMAIN, COST, RANGE, NEEDS,         \
            definition, source)                                                                    \
    [NS_QUANTITY_##ID] = {                                                                         \
        .choice = {.key = (quantity_key),                                                          \
                   .label = (quantity_label),                                                      \
                   .reference = (source),                                                          \
                   .purpose = (definition)},                                                       \
        .symbol = (quantity_symbol),                                                               \
        .domain = NS_DOMAIN_##DOMAIN,                                                              \
        .expensive = (COST) == EXPENSIVE,                                                          \
        .validated = (COST) == VALIDATED,                                                          \
        .every = INTERVAL_##COST,                                                                  \
        .unit = (RANGE) == UNIT,                                                                   \
        .needs = NS_NEED_##NEEDS | NEED_##COST,                                                    \
    },

static const NsQuantityInfo quantities[] = {NS_PARAMETERS(GRADIENT_ROW) NS_QUANTITIES(ROW)};

/* Quantities named by runs of other programs; a row is filled in before n_named includes it. */
static NsQuantityInfo named[NS_QUANTITIES_NAMED];
static atomic_uint n_named;
G_LOCK_DEFINE_STATIC(named);

const NsQuantityInfo *ns_quantity(NsQuantity quantity)
{
    size_t q = (size_t)quantity;
    return q < NS_QUANTITY_COUNT ? &quantities[q] : &named[q - NS_QUANTITY_COUNT];
}

const NsChoice *ns_quantity_choice(size_t i)
{
    bool there = i < NS_QUANTITY_COUNT + (size_t)atomic_load(&n_named);
    return there ? &ns_quantity((NsQuantity)i)->choice : NULL;
}

NsQuantity ns_quantity_name(const char *key, NsDomain domain)
{
    G_LOCK(named);
    unsigned n = atomic_load(&n_named), i = 0;
    while (i < n && !(g_str_equal(named[i].choice.key, key) && named[i].domain == domain)) i++;
    if (i == n && n < NS_QUANTITIES_NAMED) {
        /* In a label “_” and “^” would make subscripts and superscripts. */
        const char *words = g_strdelimit(g_strdup(key), "_^", ' ');
        named[i] =
            (NsQuantityInfo){.choice = {.key = g_strdup(key),
                                        .label = words,
                                        .purpose = "A quantity named by the program that trains."},
                             .symbol = words,
                             .domain = domain};
        atomic_store(&n_named, n + 1);
    }
    G_UNLOCK(named);
    return (NsQuantity)(NS_QUANTITY_COUNT + i);
}

size_t ns_record_layout_count(const NsRecordLayout *layout, NsDomain domain)
{
    switch (domain) {
    case NS_DOMAIN_STEP:
        return 1;
    case NS_DOMAIN_LAYER:
        return layout->layers;
    case NS_DOMAIN_HIDDEN:
        return layout->hidden;
    case NS_DOMAIN_HEAD:
        return layout->layers * layout->heads;
    }
    return 0;
}

/* The parameter that a model must have for the quantity to exist; NS_PARAMETER_COUNT if it needs
 * none. */
static NsParameterKind parameter_of(NsQuantity quantity)
{
    if ((unsigned)quantity < NS_PARAMETER_COUNT) return (NsParameterKind)quantity;
    static const struct {
        NsQuantity quantity;
        NsParameterKind parameter;
    } about[] = {
        {NS_QUANTITY_GRAD_RMS_WV, NS_PARAMETER_WV},
        {NS_QUANTITY_GRAD_RMS_W1, NS_PARAMETER_W1},
        {NS_QUANTITY_GRAD_RMS_W2, NS_PARAMETER_W2},
        {NS_QUANTITY_MEAN_GRAD_WV, NS_PARAMETER_WV},
        {NS_QUANTITY_MEAN_GRAD_W1, NS_PARAMETER_W1},
        {NS_QUANTITY_MEAN_GRAD_W2, NS_PARAMETER_W2},
        {NS_QUANTITY_NORM_SIGMA_ATTENTION, NS_PARAMETER_NORM1_GAIN},
        {NS_QUANTITY_NORM_SIGMA_CROSS, NS_PARAMETER_CROSS_NORM_GAIN},
        {NS_QUANTITY_NORM_SIGMA_FFN, NS_PARAMETER_NORM2_GAIN},
        {NS_QUANTITY_LOGIT_ATTENTION, NS_PARAMETER_WQ},
        {NS_QUANTITY_HEAD_LOGIT_ATTENTION, NS_PARAMETER_WQ},
        {NS_QUANTITY_LOGIT_CROSS, NS_PARAMETER_CROSS_WQ},
        {NS_QUANTITY_HEAD_LOGIT_CROSS, NS_PARAMETER_CROSS_WQ},
#define OF_MATRIX(P)                                                                               \
    {NS_QUANTITY_WEIGHT_##P, NS_PARAMETER_##P}, {NS_QUANTITY_SINGULAR_##P, NS_PARAMETER_##P},      \
        {NS_QUANTITY_STABLE_RANK_##P, NS_PARAMETER_##P},                                           \
        {NS_QUANTITY_GRAD_COSINE_##P, NS_PARAMETER_##P}
        OF_MATRIX(WQ),
        OF_MATRIX(WK),
        OF_MATRIX(WV),
        OF_MATRIX(WO),
        OF_MATRIX(W1),
        OF_MATRIX(W2),
#undef OF_MATRIX
    };
    for (size_t i = 0; i < sizeof about / sizeof *about; i++)
        if (about[i].quantity == quantity) return about[i].parameter;
    return NS_PARAMETER_COUNT;
}

void ns_record_layout_init(NsRecordLayout *layout, const NsRecordShape *shape)
{
    bool tensors[NS_PARAMETER_COUNT + 1] = {[NS_PARAMETER_COUNT] = true};
    for (size_t i = 0; i < shape->table->n; i++) tensors[shape->table->tensors[i].parameter] = true;

    *layout = (NsRecordLayout){.layers = shape->layers,
                               .hidden = shape->hidden,
                               .heads = shape->heads,
                               .probe_every = shape->probe_every,
                               .ablation_every = shape->ablation_every};
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
        const NsQuantityInfo *info = &quantities[q];
        bool present = tensors[parameter_of((NsQuantity)q)] && !(info->needs & ~shape->has) &&
                       (!info->expensive || shape->probe_every > 0);
        layout->offset[q] = layout->width;
        layout->count[q] = present ? ns_record_layout_count(layout, info->domain) : 0;
        layout->width += layout->count[q];
    }
}

#define QUANTITIES_OF(P)                                                                           \
    {                                                                                              \
        NS_QUANTITY_BRANCH_RATIO_##P, NS_QUANTITY_SKIP_SHARE_##P, NS_QUANTITY_BRANCH_SHARE_##P,    \
            NS_QUANTITY_NORM_SIGMA_##P, NS_QUANTITY_SKIP_SIGNAL_##P,                               \
            NS_QUANTITY_BRANCH_SIGNAL_##P, NS_QUANTITY_SKIP_GRAD_##P, NS_QUANTITY_BRANCH_GRAD_##P  \
    }

const NsSublayerQuantities ns_sublayer_quantities[] = {
    [NS_SELF_ATTENTION] = QUANTITIES_OF(ATTENTION),
    [NS_CROSS_ATTENTION] = QUANTITIES_OF(CROSS),
    [NS_FFN] = QUANTITIES_OF(FFN),
};

int64_t ns_record_interval(const NsRecordLayout *layout, NsQuantity quantity)
{
    const char *every = ns_quantity(quantity)->every;
    int64_t steps = g_strcmp0(every, INTERVAL_EXPENSIVE) == 0  ? layout->probe_every
                    : g_strcmp0(every, INTERVAL_ABLATION) == 0 ? layout->ablation_every
                                                               : 1;
    return MAX(steps, 1);
}

void ns_values_reset(NsValues values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        values.value[i] = NAN;
        values.has[i] = false;
    }
}

NsValues ns_values_new(size_t n)
{
    NsValues values = {.value = g_new(float, n), .has = g_new(bool, n)};
    ns_values_reset(values, n);
    return values;
}

void ns_values_free(NsValues *values)
{
    g_clear_pointer(&values->value, g_free);
    g_clear_pointer(&values->has, g_free);
}
