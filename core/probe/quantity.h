/* The registry of measured quantities, and where each lies in a record.
 * SPDX-License-Identifier: MIT
 *
 * One row a quantity, besides one for the gradient of every role (core/model/role.h):
 *
 * X(ID, key, label, symbol, domain, definition, source)
 *
 * domain: STEP, one value a step; LAYER, one a layer, l = 1..L; HIDDEN, one for each x_0 .. x_L.
 * Symbols use _ and ^ (with braces) for sub- and superscripts. */
#pragma once

#include "core/base/choice.h"
#include "core/base/tensor.h"
#include "core/model/role.h"

#define NS_QUANTITIES(X)                                                                           \
    X(GRAD_LAYER, "grad-layer", "Gradient norm, whole layer", "‖∇_l‖", LAYER,                      \
      "Frobenius norm of the mini-batch gradient of all tensors of a layer, before clipping.",     \
      "Xiong et al. 2020, 3.3")                                                                    \
    X(UPDATE_RATIO, "update-ratio", "Update / weight", "‖ΔW‖ / ‖W‖", LAYER,                        \
      "Norm of the update that led to this step over the norm of the weights it changed, "         \
      "all tensors of a layer; 0 at step 0.",                                                      \
      "CS231n notes, ratio of weights to updates")                                                 \
    X(HIDDEN_NORM, "hidden-norm", "Hidden-state norm", "‖x_l‖", HIDDEN,                            \
      "L2 norm of the hidden state after layer l, mean over tokens; l = 0 is the embedding.",      \
      "Xiong et al. 2020, Lemma 2")                                                                \
    X(HIDDEN_SQ, "hidden-sq", "Squared hidden-state norm", "‖x_l‖^2", HIDDEN,                      \
      "Squared L2 norm of the hidden state after layer l, mean over tokens.",                      \
      "Xiong et al. 2020, Lemma 2")                                                                \
    X(FINAL_NORM, "final-hidden-norm", "Hidden-state norm after the final norm", "‖x_{final}‖",    \
      STEP, "L2 norm of the hidden state after the final norm, mean over tokens.",                 \
      "Xiong et al. 2020, Table 1")                                                                \
    X(FINAL_SQ, "final-hidden-sq", "Squared hidden-state norm after the final norm",               \
      "‖x_{final}‖^2", STEP,                                                                       \
      "Squared L2 norm of the hidden state after the final norm, mean over tokens.",               \
      "Xiong et al. 2020, Table 1")

typedef enum { NS_DOMAIN_STEP, NS_DOMAIN_LAYER, NS_DOMAIN_HIDDEN } NsDomain;

typedef enum {
#define NS_QUANTITY_OF_ROLE(ID, ...) NS_QUANTITY_GRAD_##ID,
    NS_ROLES(NS_QUANTITY_OF_ROLE)
#undef NS_QUANTITY_OF_ROLE
#define NS_QUANTITY_ID(ID, ...) NS_QUANTITY_##ID,
        NS_QUANTITIES(NS_QUANTITY_ID)
#undef NS_QUANTITY_ID
            NS_QUANTITY_COUNT
} NsQuantity;

typedef struct {
    NsChoice choice;
    const char *symbol;
    NsDomain domain;
} NsQuantityInfo;

/* Of a quantity below NS_QUANTITY_COUNT.  The quantity of role r's gradient has the number r and
 * the key "grad-" followed by the role's. */
const NsQuantityInfo *ns_quantity(NsQuantity quantity);
const NsChoice *ns_quantity_choice(size_t i);

/* Where the values of one step lie: values[offset[q] .. offset[q] + count[q]). */
typedef struct {
    size_t layers;
    size_t offset[NS_QUANTITY_COUNT];
    size_t count[NS_QUANTITY_COUNT]; /* 0 where the model does not have it */
    size_t width;                    /* floats in a record */
} NsRecordLayout;

void ns_record_layout_init(NsRecordLayout *layout, const NsTensorTable *table, size_t layers,
                           bool final_norm);
