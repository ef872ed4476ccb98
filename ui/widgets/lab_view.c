/* What the charts of a lab show.  SPDX-License-Identifier: MIT */
#include "ui/widgets/lab-private.h"

const NsView *ns_lab_view(NsLab *lab)
{
    return lab->view;
}

void ns_lab_show_gradient(NsLab *lab, NsQuantity quantity)
{
    if (lab->view->gradient == quantity) return;
    lab->view->gradient = quantity;
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

void ns_lab_show_hidden(NsLab *lab, NsQuantity quantity)
{
    if (lab->view->hidden == quantity) return;
    lab->view->hidden = quantity;
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

void ns_lab_show_log(NsLab *lab, bool log)
{
    if (lab->view->log == log) return;
    lab->view->log = log;
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

void ns_lab_show_smoothing(NsLab *lab, NsSmoothing smoothing)
{
    if (ns_smoothing_equal(lab->view->smoothing, smoothing)) return;
    lab->view->smoothing = smoothing;
    if (smoothing.kind != NS_SMOOTH_NONE) lab->usual_smoothing = smoothing;
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

void ns_lab_toggle_smoothing(NsLab *lab)
{
    bool smooth = lab->view->smoothing.kind != NS_SMOOTH_NONE;
    ns_lab_show_smoothing(lab, smooth ? (NsSmoothing){0} : lab->usual_smoothing);
}

void ns_lab_show_theory(NsLab *lab, bool theory)
{
    if (lab->view->theory == theory) return;
    lab->view->theory = theory;
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

void ns_lab_show_heat(NsLab *lab, NsHeatMode heat)
{
    if (lab->view->heat == heat) return;
    lab->view->heat = heat;
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}

int ns_lab_layer(NsLab *lab)
{
    return lab->view->layer;
}

void ns_lab_select_layer(NsLab *lab, int layer)
{
    layer = MAX(layer, 0);
    if (lab->view->layer == layer) return;
    lab->view->layer = layer;
    ns_lab_emit(lab, NS_LAB_VIEW_CHANGED);
}
