/* What the drop-down of a tile offers.  SPDX-License-Identifier: MIT */
#include "ui/widgets/tile_choices.h"

/* The whole layer and the six weight matrices come before whatever else there is. */
static const NsQuantity USUAL[] = {
    NS_QUANTITY_GRAD_LAYER, NS_QUANTITY_GRAD_WQ, NS_QUANTITY_GRAD_WK, NS_QUANTITY_GRAD_WV,
    NS_QUANTITY_GRAD_WO,    NS_QUANTITY_GRAD_W1, NS_QUANTITY_GRAD_W2,
};

static bool is_usual(NsQuantity quantity)
{
    for (size_t i = 0; i < G_N_ELEMENTS(USUAL); i++)
        if (USUAL[i] == quantity) return true;
    return false;
}

static void add(GArray *choices, int choice)
{
    g_array_append_val(choices, choice);
}

GArray *ns_tile_choices(const NsFigureKind *kind, const NsHistory *history, int shown)
{
    GArray *choices = g_array_new(FALSE, FALSE, sizeof(int));
    if (kind->subject == NS_SUBJECT_SIMILARITY)
        for (int i = 0; i < NS_SIMILARITY_COUNT; i++) add(choices, i);
    if (kind->domains & 1u << NS_DOMAIN_LAYER)
        for (size_t i = 0; i < G_N_ELEMENTS(USUAL); i++) add(choices, (int)USUAL[i]);
    for (NsQuantity q = 0; kind->domains && q < NS_QUANTITY_COUNT; q++) {
        bool fits = kind->domains & 1u << ns_quantity(q)->domain;
        bool there = !history || ns_history_layout(history)->count[q] > 0 || (int)q == shown;
        bool listed = kind->domains & 1u << NS_DOMAIN_LAYER && is_usual(q);
        if (fits && there && !listed) add(choices, (int)q);
    }
    return choices;
}

const char *ns_tile_choice_label(const NsFigureKind *kind, int choice)
{
    return kind->subject == NS_SUBJECT_SIMILARITY ? ns_similarity_choice((size_t)choice)->label
                                                  : ns_quantity((NsQuantity)choice)->choice.label;
}

const char *ns_tile_choice_symbol(const NsFigureKind *kind, int choice)
{
    if (kind->subject == NS_SUBJECT_SIMILARITY) return NULL;
    if (choice == NS_QUANTITY_GRAD_LAYER) return "‖∇‖ whole layer";
    return ns_quantity((NsQuantity)choice)->symbol;
}

const char *ns_tile_choice_purpose(const NsFigureKind *kind, int choice)
{
    return kind->subject == NS_SUBJECT_SIMILARITY ? ns_similarity_choice((size_t)choice)->purpose
                                                  : ns_quantity((NsQuantity)choice)->choice.purpose;
}
