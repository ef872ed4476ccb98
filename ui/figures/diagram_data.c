/* The measured values of a diagram.  SPDX-License-Identifier: MIT */
#include "ui/figures/diagram-private.h"

#include "core/experiment/param.h"
#include "ui/figures/figure.h"

#include <math.h>
#include <string.h>

const NsFlowValues ns_flow_unknown = {{(double)NAN, (double)NAN}};

NsDiagramData *ns_diagram_data_new(const NsSettings *settings, const char *name, NsHistory *history,
                                   int64_t step)
{
    NsDiagramData *data = g_new0(NsDiagramData, 1);
    ns_settings_copy(&data->settings, settings);
    data->name = g_strdup(name);
    data->steps = (NsBucket){-1, -1};
    int64_t record = ns_figure_record(history, step);
    if (record < 0) return data;
    data->layout = *ns_history_layout(history);
    data->values = ns_values_new(data->layout.width);
    for (NsQuantity q = 0; q < NS_QUANTITY_COUNT; q++) {
        size_t at = data->layout.offset[q];
        if (data->layout.count[q])
            data->steps = ns_history_read(history, q, (size_t)record, NULL, data->values.value + at,
                                          data->values.has + at);
    }
    return data;
}

void ns_diagram_data_free(NsDiagramData *data)
{
    if (!data) return;
    ns_settings_clear(&data->settings);
    g_free(data->name);
    ns_values_free(&data->values);
    g_free(data);
}

bool ns_diagram_data_equal(const NsDiagramData *a, const NsDiagramData *b)
{
    if (g_strcmp0(a->name, b->name) != 0 || !a->values.value != !b->values.value) return false;
    if (a->pending != b->pending) return false;
    if (a->steps.first != b->steps.first || a->steps.last != b->steps.last) return false;
    size_t width = a->layout.width;
    if (a->values.value &&
        (width != b->layout.width ||
         memcmp(a->values.value, b->values.value, width * sizeof *a->values.value) != 0 ||
         memcmp(a->values.has, b->values.has, width * sizeof *a->values.has) != 0))
        return false;
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        if (!ns_param_is_of_model(param)) continue;
        g_autofree char *of_a = ns_settings_get(&a->settings, param);
        g_autofree char *of_b = ns_settings_get(&b->settings, param);
        if (!g_str_equal(of_a, of_b)) return false;
    }
    return true;
}

double ns_diagram_value(const NsDiagramData *data, NsQuantity quantity, size_t i)
{
    if (!data->values.value || i >= data->layout.count[quantity]) return NAN;
    size_t at = data->layout.offset[quantity] + i;
    if (!data->values.has[at]) return NAN;
    float value = data->values.value[at];
    return isfinite(value) ? (double)value : (double)INFINITY;
}

NsFlowValues ns_diagram_hidden(const NsDiagramData *data, size_t i)
{
    return (NsFlowValues){{sqrt(ns_diagram_value(data, NS_QUANTITY_HIDDEN_SQ, i)),
                           ns_diagram_value(data, NS_QUANTITY_HIDDEN_GRAD, i)}};
}

NsFlowValues ns_diagram_final(const NsDiagramData *data)
{
    return (NsFlowValues){{sqrt(ns_diagram_value(data, NS_QUANTITY_FINAL_SQ, 0)), NAN}};
}

bool ns_diagram_is_one(double x)
{
    return !(x < 1 || x > 1);
}

static double skip_factor(const NsWiring *c)
{
    return c->stream_gain ? 0 : fabs(c->a);
}

/* The norm of the gradient of the sum.  The gradient of the residual connection is a times it. */
static double sum_gradient(const NsDiagram *diagram, size_t k, size_t layer, double after)
{
    const NsWiring *c = &diagram->wiring[k].c;
    NsSublayerKind kind = diagram->wiring[k].position.kind;
    double a = skip_factor(c);
    if (a > 0)
        return ns_diagram_value(diagram->data, ns_sublayer_quantities[kind].skip_grad, layer) / a;
    return c->out ? (double)NAN : after;
}

void ns_diagram_flows(const NsDiagram *diagram, size_t stack, size_t layer,
                      NsSublayerFlows flows[NS_LAYER_SUBLAYERS])
{
    const NsDiagramData *data = diagram->data;
    const size_t last = diagram->sublayers - 1;
    const NsFlowValues below = ns_diagram_hidden(data, layer + stack);
    const NsFlowValues above = ns_diagram_hidden(data, layer + stack + 1);
    for (size_t k = last + 1; k-- > 0;) {
        const NsWiring *c = &diagram->wiring[k].c;
        const NsSublayerQuantities *of = &ns_sublayer_quantities[diagram->wiring[k].position.kind];
        NsSublayerFlows *f = &flows[k];
        f->out = k == last ? above : flows[k + 1].x;
        double a = skip_factor(c), skip = ns_diagram_value(data, of->skip_signal, layer);
        double past = ns_diagram_value(data, of->skip_grad, layer);
        double through = ns_diagram_value(data, of->branch_grad, layer);
        double dz = sum_gradient(diagram, k, layer, f->out.value[NS_FLOW_GRADIENT]);
        double x = k == 0 ? below.value[NS_FLOW_SIGNAL] : a > 0 ? skip / a : (double)NAN;
        double dx = k == 0 ? below.value[NS_FLOW_GRADIENT] : (double)NAN;
        if (k > 0 && !diagram->wiring[k - 1].c.out) dx = sum_gradient(diagram, k - 1, layer, NAN);
        double y = ns_diagram_value(data, of->branch_signal, layer);
        /* Whether y = b v without a learned gain or dropout, and b is not 0. */
        const NsSettings *settings = &data->settings;
        bool plain = c->gain == NS_GAIN_NONE && !(settings->dropout > 0) &&
                     !(settings->drop_path > 0) && c->b != 0;
        double dy = diagram->dual ? (double)NAN : dz; /* a second stream also has a gradient */
        f->x = (NsFlowValues){{x, dx}};
        f->skip_in = (NsFlowValues){{x, past}};
        f->skip = (NsFlowValues){{skip, ns_diagram_is_one(c->a) && !c->stream_gain ? past : dz}};
        f->branch_in = (NsFlowValues){{x, through}};
        f->u = c->in ? ns_flow_unknown : (NsFlowValues){{x * fabs(c->s), through / fabs(c->s)}};
        f->v = plain ? (NsFlowValues){{y / fabs(c->b), dy * fabs(c->b)}} : ns_flow_unknown;
        f->y = (NsFlowValues){{y, dy}};
        f->y_in = (NsFlowValues){{y, dz}};
        f->extra = (NsFlowValues){{below.value[NS_FLOW_SIGNAL], dz}};
        f->z = (NsFlowValues){{c->out ? (double)NAN : f->out.value[NS_FLOW_SIGNAL], dz}};
    }
}
