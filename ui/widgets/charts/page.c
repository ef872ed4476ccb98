/* A page of the window.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/page.h"

#include "core/base/words.h"
#include "ui/figures/sheet.h"
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

bool ns_page_save(NsPage *page)
{
    NsPageInterface *iface = NS_PAGE_GET_IFACE(page);
    if (iface->save) iface->save(page);
    return iface->save != NULL;
}

void ns_save_plots(NsSession *session, const NsPlot *const *plots, size_t n,
                   const NsProvenance *provenance, const char *path)
{
    g_autoptr(GError) error = NULL;
    NsExportChoices choices;
    ns_export_choices_init(&choices);
    NsSheetFile file = {.choices = &choices, .provenance = provenance, .path = path};
    bool good =
        ns_format_from_path(path, &file.format, &error) && ns_sheet_write(plots, n, &file, &error);
    g_autofree char *name = g_filename_display_basename(path);
    g_autofree char *sentence = good ? g_strdup_printf(_("Exported %s"), name) : NULL;
    ns_session_report(session, good ? sentence : error->message);
}
