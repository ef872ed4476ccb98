/* The table of pages.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/charts/page.h"
#include "ui/widgets/diagram/diagram_page.h"
#include "ui/widgets/pages/paper_page.h"
#include "ui/widgets/pages/phase_page.h"

static GtkWidget *new_overview(NsSession *session)
{
    static const char *const figures[] = {"loss", "gradient-norm", "hidden-norm",
                                          "gradient-heatmap", NULL};
    GtkWidget *page = ns_dashboard_new(session, figures);
    ns_dashboard_remember_stage(NS_DASHBOARD(page), "stage");
    return page;
}

static GtkWidget *new_profile(NsSession *session)
{
    static const char *const figures[] = {"profile", NULL};
    return ns_dashboard_new(session, figures);
}

static GtkWidget *new_heatmap(NsSession *session)
{
    static const char *const figures[] = {"heatmap", NULL};
    return ns_dashboard_new(session, figures);
}

static GtkWidget *new_curves(NsSession *session)
{
    static const char *const figures[] = {"loss", "steps", "schedule", "edge", "update-loss", NULL};
    return ns_dashboard_new(session, figures);
}

static GtkWidget *new_similarity(NsSession *session)
{
    static const char *const figures[] = {"similarity", NULL};
    return ns_dashboard_new_by_lane(session, figures);
}

static GtkWidget *new_attention(NsSession *session)
{
    static const char *const figures[] = {"attention", "heads", "cross-attention", NULL};
    return ns_dashboard_new(session, figures);
}

static const NsPageKind PAGES[] = {
    {"dashboard", N_("Dashboard"), new_overview},  {"profile", N_("Profile"), new_profile},
    {"heatmap", N_("Heatmap"), new_heatmap},       {"diagram", N_("Diagram"), ns_diagram_page_new},
    {"attention", N_("Attention"), new_attention}, {"similarity", N_("Similarity"), new_similarity},
    {"curves", N_("Curves"), new_curves},          {"phase", N_("Phase"), ns_phase_page_new},
    {"paper", N_("Paper"), ns_paper_page_new},
};

const NsPageKind *ns_page_kind(size_t i)
{
    return i < G_N_ELEMENTS(PAGES) ? &PAGES[i] : NULL;
}
