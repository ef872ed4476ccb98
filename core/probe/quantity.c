/* SPDX-License-Identifier: MIT */
#include "core/probe/quantity.h"

#define GRADIENT_LABEL(symbol) "Gradient norm of " symbol
#define GRADIENT_PURPOSE(symbol)                                                                   \
    "Frobenius norm of the mini-batch gradient of " symbol ", before clipping."

#define GRADIENT_ROW(ID, role_key, tensor_name, role_symbol, per_layer)                            \
    [NS_QUANTITY_GRAD_##ID] = {                                                                    \
        .choice = {.key = "grad-" role_key,                                                        \
                   .label = GRADIENT_LABEL(role_symbol),                                           \
                   .reference = "Xiong et al. 2020, 3.3",                                          \
                   .purpose = GRADIENT_PURPOSE(role_symbol)},                                      \
        .symbol = "‖∇" role_symbol "‖",                                                            \
        .domain = (per_layer) ? NS_DOMAIN_LAYER : NS_DOMAIN_STEP,                                  \
    },

#define ROW(ID, quantity_key, quantity_label, quantity_symbol, DOMAIN, definition, source)         \
    [NS_QUANTITY_##ID] = {                                                                         \
        .choice = {.key = (quantity_key),                                                          \
                   .label = (quantity_label),                                                      \
                   .reference = (source),                                                          \
                   .purpose = (definition)},                                                       \
        .symbol = (quantity_symbol),                                                               \
        .domain = NS_DOMAIN_##DOMAIN,                                                              \
    },

static const NsQuantityInfo quantities[] = {NS_ROLES(GRADIENT_ROW) NS_QUANTITIES(ROW)};

const NsQuantityInfo *ns_quantity(NsQuantity quantity)
{
    return &quantities[quantity];
}

const NsChoice *ns_quantity_choice(size_t i)
{
    return i < NS_QUANTITY_COUNT ? &quantities[i].choice : NULL;
}

static size_t count_of(NsQuantity quantity, size_t layers)
{
    switch (quantities[quantity].domain) {
    case NS_DOMAIN_STEP:
        return 1;
    case NS_DOMAIN_LAYER:
        return layers;
    case NS_DOMAIN_HIDDEN:
        return layers + 1;
    }
    return 0;
}

void ns_record_layout_init(NsRecordLayout *layout, const NsTensorTable *table, size_t layers,
                           bool final_norm)
{
    bool present[NS_QUANTITY_COUNT] = {
        [NS_QUANTITY_GRAD_LAYER] = true,       [NS_QUANTITY_UPDATE_RATIO] = true,
        [NS_QUANTITY_HIDDEN_NORM] = true,      [NS_QUANTITY_HIDDEN_SQ] = true,
        [NS_QUANTITY_FINAL_NORM] = final_norm, [NS_QUANTITY_FINAL_SQ] = final_norm,
    };
    for (size_t i = 0; i < table->n; i++) present[table->tensors[i].role] = true;

    *layout = (NsRecordLayout){.layers = layers};
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
        layout->offset[q] = layout->width;
        layout->count[q] = present[q] ? count_of(q, layers) : 0;
        layout->width += layout->count[q];
    }
}
