/* A norm that is carried to another place.  SPDX-License-Identifier: MIT */
#include "ui/widgets/diagram/diagram_view-private.h"

#include "core/base/words.h"

#include <math.h>

static const NsPlacement *promised(NsDiagramView *view)
{
    const NsDiagramLook *hand = &view->hand;
    if (!hand->carried || !view->diagram) return NULL;
    return ns_diagram_moved(view->diagram, hand->sublayer, hand->carried_from, hand->aim);
}

static void aim_at(NsDiagramView *view, int sublayer, int place)
{
    view->hand.sublayer = sublayer;
    view->hand.aim = place;
    const NsPlacement *placement = promised(view);
    view->hand.promise = placement ? _(placement->choice.label) : NULL;
    gtk_widget_queue_draw(GTK_WIDGET(view));
}

bool ns_diagram_view_take(NsDiagramView *view, int sublayer, int place)
{
    if (!view->diagram || *view->data->settings.mixture) return false;
    view->hand.carried = true;
    view->hand.carried_from = place;
    view->hand.at = (NsPoint){NAN, NAN};
    aim_at(view, MAX(sublayer, 0), place);
    return true;
}

static bool is_near(const NsBox *box, double x, double y)
{
    double dx = box->width / 2, dy = 0.6 * box->height;
    return x > box->x - dx && x < box->x + box->width + dx && y > box->y - dy &&
           y < box->y + box->height + dy;
}

void ns_diagram_view_carry(NsDiagramView *view, double x, double y)
{
    if (!view->hand.carried || !view->diagram) return;
    const NsDiagram *d = view->diagram;
    int from = view->hand.carried_from;
    view->hand.at = (NsPoint){x, y};
    if (is_near(&d->tray, x, y)) {
        aim_at(view, view->hand.sublayer, -1);
        return;
    }
    for (int k = 0; k < (int)d->sublayers; k++)
        for (int place = 0; place < NS_PLACES_MOVABLE; place++) {
            bool own = from < 0 || k == view->hand.sublayer;
            if (!own || !is_near(&d->slot[k][place], x, y)) continue;
            aim_at(view, k, place);
            return;
        }
    aim_at(view, view->hand.sublayer, from);
}

void ns_diagram_view_let_go(NsDiagramView *view, bool drop)
{
    const NsPlacement *placement = drop ? promised(view) : NULL;
    NsDiagramLook hand = view->hand;
    view->hand.carried = false;
    view->hand.promise = NULL;
    gtk_widget_queue_draw(GTK_WIDGET(view));
    if (!placement) return;
    view->sublayer_shown = hand.aim >= 0 && isnan(hand.at.x) ? hand.sublayer : -1;
    view->place_shown = (NsPlace)MAX(hand.aim, 0);
    ns_session_set_active(view->session, view->lane);
    ns_session_set_lane(view->session, view->lane, "placement", placement->choice.key);
    ns_session_tell_placement(view->session);
}

bool ns_diagram_view_is_carrying(NsDiagramView *view)
{
    return view->hand.carried;
}

void ns_diagram_view_aim_next(NsDiagramView *view, int by)
{
    const NsDiagramLook *hand = &view->hand;
    const int places = NS_PLACES_MOVABLE + 1; /* the tray is the last */
    int at = hand->aim < 0 ? NS_PLACES_MOVABLE : hand->aim;
    for (int i = 0; i < places; i++) {
        at = (at + by + places) % places;
        int place = at == NS_PLACES_MOVABLE ? -1 : at;
        bool legal = place == hand->carried_from ||
                     ns_diagram_moved(view->diagram, hand->sublayer, hand->carried_from, place);
        if (!legal) continue;
        aim_at(view, hand->sublayer, place);
        return;
    }
}
