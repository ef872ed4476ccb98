/* A page of the window.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/page.h"

#include "ui/widgets/common/helpers.h"

G_DEFINE_INTERFACE(NsPage, ns_page, GTK_TYPE_WIDGET)

static void ns_page_default_init(NsPageInterface *page)
{
    ns_signal_new(G_TYPE_FROM_INTERFACE(page), "pointed", 1, NS_TYPE_CHART_TILE);
}

bool ns_page_refresh(NsPage *page)
{
    return NS_PAGE_GET_IFACE(page)->refresh(page);
}

NsChartTile *ns_page_current(NsPage *page)
{
    NsPageInterface *iface = NS_PAGE_GET_IFACE(page);
    return iface->current ? iface->current(page) : NULL;
}

bool ns_page_back(NsPage *page)
{
    NsPageInterface *iface = NS_PAGE_GET_IFACE(page);
    return iface->back && iface->back(page);
}

bool ns_page_saves(NsPage *page)
{
    return NS_PAGE_GET_IFACE(page)->save != NULL;
}

void ns_page_save(NsPage *page)
{
    if (ns_page_saves(page)) NS_PAGE_GET_IFACE(page)->save(page);
}

void ns_page_point(NsPage *page, NsChartTile *tile)
{
    g_signal_emit_by_name(page, "pointed", tile);
}
