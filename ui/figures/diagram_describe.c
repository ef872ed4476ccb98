/* A diagram as text.  SPDX-License-Identifier: MIT */
#include "ui/figures/diagram-private.h"

#include "core/base/words.h"
#include "ui/plot/text.h"

#include <math.h>

static const NsPlacement *placement_of(const NsDiagram *d)
{
    const NsPosition *position = &d->wiring[0].position;
    return ns_placement_at(&d->data->settings, position->layer, position->layers);
}

char *ns_diagram_title(const NsDiagram *d)
{
    const char *label = _(placement_of(d)->choice.label), *name = d->data->name;
    bool lacks = placement_of(d)->final_norm && d->data->settings.final_norm == NS_SWITCH_OFF;
    return g_strconcat(name ? name : "", name ? "  " : "", label, lacks ? ", " : "",
                       lacks ? _("no final norm") : "", d->data->pending ? " (" : NULL,
                       _("pending"), ")", NULL);
}

const char *ns_diagram_formula(const NsDiagram *d)
{
    const char *formula = placement_of(d)->choice.formula;
    return formula ? _(formula) : "";
}

static const char *const part_names[NS_SUBLAYER_KINDS] = {
    [NS_SELF_ATTENTION] = N_("self-attention"),
    [NS_CROSS_ATTENTION] = N_("cross-attention"),
    [NS_FFN] = N_("feed-forward"),
};

/* A number in the text. */
static char *number(double value)
{
    if (isnan(value)) return g_strdup(_("not measured"));
    if (isinf(value)) return g_strdup(_("not finite"));
    return ns_text_input(value, 3);
}

/* ---- nodes ---- */

double ns_diagram_sigma(const NsDiagram *d, const NsNode *n)
{
    if (n->kind != NS_NODE_NORM || n->sublayer < 0) return NAN;
    /* The recorded divisor is that of the first norm in this order. */
    const NsWiring *c = &d->wiring[n->sublayer].c;
    NsPlace first = c->in       ? NS_PLACE_IN
                    : c->mid    ? NS_PLACE_MID
                    : c->branch ? NS_PLACE_BRANCH
                                : NS_PLACE_OUT;
    if (n->place != first) return NAN;
    return ns_diagram_value(d->data, ns_sublayer_quantities[n->part].norm_sigma, n->layer - 1);
}

/* The elements over which a norm of queries, keys or values is computed. */
static const char *extent(const NsDiagram *d, const NsNode *n)
{
    const NsWiring *c = &d->wiring[n->sublayer].c;
    if (ns_norm_over_batch(c->norm)) return _("per feature over the batch");
    bool full = n->place != NS_PLACE_VALUE && c->qk == NS_QK_FULL;
    return full ? _("over all heads jointly") : _("per head");
}

static char *describe_norm(const NsDiagram *d, const NsNode *n)
{
    /* Outside the layers the text of the node is the kind of norm. */
    const char *kind = n->sublayer < 0 ? n->text : _(d->wiring[n->sublayer].c.norm->choice.label);
    const char *part = _(part_names[n->part]);
    switch (n->place) {
    case NS_PLACE_IN:
        return g_strdup_printf(_("%s before %s, on the branch: u = s N(x)."), kind, part);
    case NS_PLACE_BRANCH:
        return g_strdup_printf(_("%s after %s, before the residual addition: y = b N(F(u))."), kind,
                               part);
    case NS_PLACE_OUT:
        return g_strdup_printf(_("%s after the residual addition of %s: x' = N(a x + y)."), kind,
                               part);
    case NS_PLACE_MID:
        return g_strdup_printf(_("%s inside %s, before its output matrix."), kind, part);
    case NS_PLACE_QUERY:
        return g_strdup_printf(_("%s on the queries, %s: N(x W_Q)."), kind, extent(d, n));
    case NS_PLACE_KEY:
        return g_strdup_printf(_("%s on the keys, %s: N(x W_K)."), kind, extent(d, n));
    case NS_PLACE_VALUE:
        return g_strdup_printf(_("%s on the values, %s: N(x W_V)."), kind, extent(d, n));
    case NS_PLACE_EMBEDDING:
        return g_strdup_printf(_("%s after the embedding: x_0 = N(token + position)."), kind);
    case NS_PLACE_FINAL:
        break;
    }
    return g_strdup_printf(_("%s after the last layer, before the head."), kind);
}

static char *describe_scale(const NsDiagram *d, const NsNode *n)
{
    const NsWiring *c = &d->wiring[n->sublayer].c;
    g_autofree char *value = number(n->number), *start = number(c->gain_start);
    switch (n->factor) {
    case NS_FACTOR_S:
        return g_strdup_printf(_("The input of the branch is multiplied by s = %s."), value);
    case NS_FACTOR_A:
        if (c->stream_gain)
            return g_strdup(_("The residual stream is multiplied by ω, one learned number per "
                              "feature, set by a profiling pass before step 0."));
        return g_strdup_printf(_("The residual stream is multiplied by a = %s."), value);
    case NS_FACTOR_B:
        break;
    }
    if (c->gain == NS_GAIN_VECTOR)
        return g_strdup_printf(
            _("The branch is multiplied by g, one learned number per feature, %s at the start."),
            start);
    if (c->gain != NS_GAIN_NONE)
        return g_strdup_printf(_("The branch is multiplied by α, a learned number, %s at the "
                                 "start."),
                               start);
    return g_strdup_printf(_("The branch is multiplied by b = %s."), value);
}

static const char *const branches[NS_SUBLAYER_KINDS] = {
    [NS_SELF_ATTENTION] =
        N_("Self-attention: every position takes a weighted mean over the positions it attends to, "
           "softmax(Q K^T / √d_h) V W_O."),
    [NS_CROSS_ATTENTION] =
        N_("Cross-attention: queries of the decoder, keys and values of the encoder's output."),
    [NS_FFN] = N_("Feed-forward network, applied to every position separately: act(x W_1 + b_1) "
                  "W_2 + b_2."),
};

/* The nodes that are described by the same sentence everywhere. */
static const char *const nodes[] = {
    [NS_NODE_EMBEDDING] = N_("Embedding: a learned vector for every token, plus its position."),
    [NS_NODE_HEAD] = N_("Head and loss: logits = W x, mean of −log softmax at the targets."),
    [NS_NODE_INPUT] = N_("Input of the layer."),
    [NS_NODE_OUTPUT] = N_("Output of the layer."),
    [NS_NODE_MEMORY] = N_("The output of the encoder, for keys and values."),
    [NS_NODE_FORK] =
        N_("The signal takes both paths; in the backward pass, their gradients are added."),
    [NS_NODE_SUM] = N_("Sum of the residual connection and the branch: a x + y."),
    [NS_NODE_FACTOR] =
        N_("The output of every head is multiplied by a learned factor, 1 at the start."),
};

char *ns_diagram_describe_node(const NsDiagram *d, size_t node)
{
    const NsNode *n = ns_diagram_node(d, node);
    if (nodes[n->kind]) return g_strdup(_(nodes[n->kind]));
    if (n->kind == NS_NODE_LAYER) {
        g_autofree char *gradient =
            number(ns_diagram_value(d->data, NS_QUANTITY_GRAD_LAYER, n->layer - 1));
        g_autofree char *update =
            number(ns_diagram_value(d->data, NS_QUANTITY_UPDATE_RATIO, n->layer - 1));
        return g_strdup_printf(
            _("Layer %u: gradient norm of its weights %s, update-to-weight ratio %s."), n->layer,
            gradient, update);
    }
    if (n->kind == NS_NODE_DOTS)
        return g_strdup_printf(_("Layers %u to %u, collapsed."), n->layer, n->last);
    if (n->kind == NS_NODE_SCALE) return describe_scale(d, n);
    if (n->kind == NS_NODE_BRANCH) return g_strdup(_(branches[n->part]));
    g_autofree char *norm = describe_norm(d, n);
    double sigma = ns_diagram_sigma(d, n);
    if (isnan(sigma)) return g_steal_pointer(&norm);
    g_autofree char *value = number(sigma);
    return g_strdup_printf(_("%s It divides by σ = %s."), norm, value);
}

/* ---- wires ---- */

static const char *const wire_names[] = {
    [NS_WIRE_STREAM] = N_("residual stream"),
    [NS_WIRE_SKIP] = N_("residual connection"),
    [NS_WIRE_BRANCH] = N_("branch"),
    [NS_WIRE_EXTRA] = N_("residual connection from the layer's input"),
    [NS_WIRE_DUAL] = N_("second stream"),
    [NS_WIRE_MEMORY] = N_("output of the encoder"),
};

/* "78% of the gradient" if the wire carries one of two parts of it; otherwise NULL. */
static char *describe_share(const NsDiagram *d, const NsWire *w)
{
    const NsNode *from = ns_diagram_node(d, w->from);
    if (from->kind != NS_NODE_FORK || from->sublayer < 0) return NULL;
    if (w->kind != NS_WIRE_SKIP && w->kind != NS_WIRE_BRANCH) return NULL;
    const NsSublayerQuantities *of = &ns_sublayer_quantities[from->part];
    double share = ns_diagram_value(
        d->data, w->kind == NS_WIRE_SKIP ? of->skip_share : of->branch_share, from->layer - 1);
    if (!isfinite(share)) return NULL;
    return g_strdup_printf(_("%.0f%% of the gradient"), 100 * share);
}

char *ns_diagram_describe_wire(const NsDiagram *d, size_t wire, NsFlow flow)
{
    const NsWire *w = ns_diagram_wire(d, wire);
    g_autofree char *value = number(w->value[flow]);
    g_autofree char *share = flow == NS_FLOW_GRADIENT ? describe_share(d, w) : NULL;
    if (share)
        return g_strdup_printf(_("%s: norm of the gradient %s, %s"), _(wire_names[w->kind]), value,
                               share);
    return g_strdup_printf(flow == NS_FLOW_SIGNAL ? _("%s: norm of the signal %s")
                                                  : _("%s: norm of the gradient %s"),
                           _(wire_names[w->kind]), value);
}

/* ---- the whole ---- */

char *ns_diagram_describe(const NsDiagram *d)
{
    GString *text = g_string_new(NULL);
    g_autofree char *title = ns_diagram_title(d);
    g_string_append_printf(text, _("layer %u, %s: "), d->layer, title);
    for (size_t k = 0; k < d->sublayers; k++) {
        const NsWiring *c = &d->wiring[k].c;
        const char *norm = c->norm ? _(c->norm->choice.label) : "";
        const struct {
            bool there;
            const char *words;
        } parts[] = {
            {c->in, norm},
            {true, _(part_names[d->wiring[k].position.kind])},
            {c->branch, norm},
            {c->a != 0, _("residual addition")},
            {c->skip_layer, _("add the layer's input")},
            {c->out, norm},
        };
        const char *between = k ? "; " : "";
        for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
            if (!parts[i].there) continue;
            g_string_append_printf(text, "%s%s", between, parts[i].words);
            between = ", ";
        }
    }
    for (guint i = 0; i < d->wires->len; i++) {
        const NsWire *w = ns_diagram_wire(d, i);
        const NsNode *to = ns_diagram_node(d, w->to);
        if (to->kind != NS_NODE_OUTPUT || w->kind != NS_WIRE_STREAM) continue;
        g_autofree char *signal = number(w->value[NS_FLOW_SIGNAL]);
        g_autofree char *gradient = number(w->value[NS_FLOW_GRADIENT]);
        g_string_append_printf(text, _("; hidden norm %s, gradient %s"), signal, gradient);
    }
    return g_string_free(text, FALSE);
}
