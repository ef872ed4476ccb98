/* The table of pages.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/widgets/dashboard.h"
#include "ui/widgets/diagram_page.h"
#include "ui/widgets/page.h"
#include "ui/widgets/paper_page.h"
#include "ui/widgets/phase_page.h"

static GtkWidget *new_overview(NsLab *lab)
{
    static const char *const figures[] = {"loss", "gradient-norm", "hidden-norm",
                                          "gradient-heatmap", NULL};
    return ns_dashboard_new(lab, figures);
}

static const NsPageKind PAGES[] = {
    {"dashboard", N_("Dashboard"), new_overview},
    {"diagram", N_("Diagram"), ns_diagram_page_new},
    {"phase", N_("Phase"), ns_phase_page_new},
    {"paper", N_("Paper"), ns_paper_page_new},
};

const NsPageKind *ns_page_kind(size_t i)
{
    return i < G_N_ELEMENTS(PAGES) ? &PAGES[i] : NULL;
}
