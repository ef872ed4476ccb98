/* What the drop-down of a tile offers.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/tile_choices.h"

#include "core/base/words.h"

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

/* More layers than give so many places are passed over, evenly: figures of places show the nearest
 * that is kept. */
#define PLACES 64

static void add_places(GArray *choices, const NsFigureKind *kind, const NsRecordLayout *layout)
{
    bool of_head = kind->of_head;
    size_t heads = of_head ? layout->heads : 1, layers = layout->layers;
    size_t shown = MIN(MAX(PLACES / MAX(heads, 1), 2), layers);
    for (size_t i = 0; i < shown; i++) {
        size_t layer = shown < 2 ? layers : 1 + i * (layers - 1) / (shown - 1);
        for (size_t head = 1; head <= heads; head++)
            add(choices, NS_TILE_PLACE(layer, of_head ? head : 0));
    }
}

GArray *ns_tile_choices(const NsFigureKind *kind, const NsHistory *history, int shown)
{
    GArray *choices = g_array_new(FALSE, FALSE, sizeof(int));
    if (kind->subject == NS_SUBJECT_SIMILARITY)
        for (int i = 0; i < NS_SIMILARITY_COUNT; i++) add(choices, i);
    if (kind->subject == NS_SUBJECT_PLACE && history)
        add_places(choices, kind, ns_history_layout(history));
    if (kind->domains & 1u << NS_DOMAIN_LAYER)
        for (size_t i = 0; i < G_N_ELEMENTS(USUAL); i++) add(choices, (int)USUAL[i]);
    for (NsQuantity q = 0; kind->domains && q < NS_QUANTITY_COUNT; q++) {
        bool fits = kind->domains & 1u << ns_quantity(q)->domain;
        bool there = !history || ns_history_layout(history)->count[q] > 0 || (int)q == shown ||
                     q == kind->initial ||              /* stays when another is chosen */
                     q == NS_QUANTITY_LAYER_ABLATION || /* the tile offers to measure it */
                     q == NS_QUANTITY_LOGIT_LENS;
        bool listed = kind->domains & 1u << NS_DOMAIN_LAYER && is_usual(q);
        if (fits && there && !listed) add(choices, (int)q);
    }
    return choices;
}

int ns_tile_choice_of(const NsFigureSpec *spec)
{
    if (spec->kind->subject == NS_SUBJECT_SIMILARITY) return (int)spec->similarity;
    if (spec->kind->subject == NS_SUBJECT_PLACE) return NS_TILE_PLACE(spec->layer, spec->head);
    return (int)spec->quantity;
}

void ns_tile_choose(NsFigureSpec *spec, int choice)
{
    if (spec->kind->subject == NS_SUBJECT_SIMILARITY) {
        spec->similarity = (NsSimilarityKind)choice;
    } else if (spec->kind->subject == NS_SUBJECT_PLACE) {
        spec->layer = NS_TILE_LAYER(choice);
        spec->head = NS_TILE_HEAD(choice);
    } else {
        spec->quantity = (NsQuantity)choice;
    }
}

char *ns_tile_choice_label(const NsFigureKind *kind, int choice)
{
    if (kind->subject == NS_SUBJECT_SIMILARITY)
        return g_strdup(_(ns_similarity_choice((size_t)choice)->label));
    if (kind->subject != NS_SUBJECT_PLACE)
        return g_strdup(_(ns_quantity((NsQuantity)choice)->choice.label));
    unsigned layer = NS_TILE_LAYER(choice), head = NS_TILE_HEAD(choice);
    return head ? g_strdup_printf(_("Layer %u, head %u"), layer, head)
                : g_strdup_printf(_("Layer %u"), layer);
}

static bool is_quantity(const NsFigureKind *kind)
{
    return kind->subject != NS_SUBJECT_SIMILARITY && kind->subject != NS_SUBJECT_PLACE;
}

const char *ns_tile_choice_symbol(const NsFigureKind *kind, int choice)
{
    if (!is_quantity(kind)) return NULL;
    if (choice == NS_QUANTITY_GRAD_LAYER) return _("‖∇‖ whole layer");
    return ns_quantity((NsQuantity)choice)->symbol;
}

const char *ns_tile_choice_purpose(const NsFigureKind *kind, int choice)
{
    if (kind->subject == NS_SUBJECT_PLACE) return NULL;
    const char *purpose = is_quantity(kind) ? ns_quantity((NsQuantity)choice)->choice.purpose
                                            : ns_similarity_choice((size_t)choice)->purpose;
    return purpose ? _(purpose) : NULL;
}
