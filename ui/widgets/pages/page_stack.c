/* The pages of the window, the stack that shows one, and the switcher.
 * SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/page_stack.h"

#include "core/base/words.h"
#include "ui/widgets/charts/dashboard.h"
#include "ui/widgets/charts/page.h"
#include "ui/widgets/common/helpers.h"
#include "ui/widgets/diagram/diagram_page.h"
#include "ui/widgets/pages/paper_page.h"
#include "ui/widgets/pages/phase_page.h"

/* ---- The table of pages ---- */

#define OVERVIEW "loss,gradient-norm,hidden-norm,gradient-heatmap"
#define LAYERS                                                                                     \
    "profile:layer-ablation,profile:logit-lens,gradient-norm,hidden-norm,similarity:angle"

#define ATTENTION "attention,heads,profile:attention-first-key,cross-attention"

static const NsPageKind PAGES[] = {
    {"dashboard", N_("Dashboard"), .figures = OVERVIEW, .stage = "stage"},
    {"profile", N_("Profile"), .figures = "profile", .content = NS_CONTENT_LAYERS},
    {"heatmap", N_("Heatmap"), .figures = "heatmap", .content = NS_CONTENT_LAYERS},
    {"diagram", N_("Diagram"), .create = ns_diagram_page_new, .content = NS_CONTENT_MODEL},
    {"attention", N_("Attention"), .figures = ATTENTION, .by_lane = 1, .content = NS_CONTENT_HEADS},
    {"layers", N_("Layers"), .figures = LAYERS, .content = NS_CONTENT_MODEL},
    {"similarity", N_("Similarity"), .figures = "similarity", .by_lane = 1,
     .content = NS_CONTENT_MODEL},
    {"curves", N_("Curves"), .figures = "loss,steps,schedule,edge,update-loss"},
    {"phase", N_("Phase"), .create = ns_phase_page_new},
    {"paper", N_("Paper"), .create = ns_paper_page_new},
};

const NsPageKind *ns_page_kind(size_t i)
{
    return i < G_N_ELEMENTS(PAGES) ? &PAGES[i] : NULL;
}

/* ---- The stack ---- */

struct _NsPageStack {
    GtkBox parent;
    NsSession *session;
    GtkWidget *stack, *switcher;
    unsigned offered; /* a bit for each page */
};

G_DEFINE_FINAL_TYPE(NsPageStack, ns_page_stack, GTK_TYPE_BOX)

static GtkScrolledWindow *shown_place(NsPageStack *stack)
{
    return GTK_SCROLLED_WINDOW(gtk_stack_get_visible_child(GTK_STACK(stack->stack)));
}

/* GTK puts a viewport between the scrolled window and a page that cannot scroll by itself. */
static NsPage *page_in(GtkScrolledWindow *place)
{
    GtkWidget *child = gtk_scrolled_window_get_child(place);
    if (GTK_IS_VIEWPORT(child)) child = gtk_viewport_get_child(GTK_VIEWPORT(child));
    return child ? NS_PAGE(child) : NULL;
}

static const NsPageKind *kind_of(const char *key)
{
    const NsPageKind *kind;
    for (size_t i = 0; (kind = ns_page_kind(i)); i++)
        if (g_str_equal(kind->key, key)) break;
    return kind;
}

static void on_pointed(NsPageStack *stack, NsChartTile *tile)
{
    g_signal_emit_by_name(stack, "pointed", tile);
}

void ns_page_stack_create(NsPageStack *stack, const char *key)
{
    const NsPageKind *kind = kind_of(key);
    GtkWidget *place = kind ? gtk_stack_get_child_by_name(GTK_STACK(stack->stack), key) : NULL;
    if (!place || page_in(GTK_SCROLLED_WINDOW(place))) return;
    GtkWidget *page = kind->create ? kind->create(stack->session)
                                   : ns_dashboard_new(stack->session, kind->figures, kind->by_lane);
    if (kind->stage) ns_dashboard_remember_stage(NS_DASHBOARD(page), kind->stage);
    ns_connect(page, "pointed", G_CALLBACK(on_pointed), stack);
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(place), page);
}

static void on_switched(NsPageStack *stack)
{
    if (!shown_place(stack)) return;
    ns_page_stack_create(stack, ns_page_stack_key(stack));
    g_signal_emit_by_name(stack, "switched");
}

/* Whether the shown run has the content of a page. */
static bool has_content(NsView *view, NsPageContent content)
{
    bool found = content == NS_CONTENT_ANY || (content != NS_CONTENT_MODEL && !view->history);
    for (unsigned i = 0; i < view->started.n && content != NS_CONTENT_MODEL; i++)
        for (int q = 0; view->histories[i] && q < NS_QUANTITY_ALL && !found; q++) {
            NsDomain domain = ns_quantity(q)->domain;
            bool right =
                content == NS_CONTENT_HEADS ? domain == NS_DOMAIN_HEAD : domain != NS_DOMAIN_STEP;
            found = right && ns_history_layout(view->histories[i])->count[q];
        }
    return found;
}

static void sync_offers(NsPageStack *stack)
{
    bool log = ns_session_is_watching(stack->session);
    unsigned offered = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(PAGES); i++)
        if (!log || has_content(stack->session->view, PAGES[i].content)) offered |= 1u << i;
    if (offered == stack->offered) return;
    stack->offered = offered;
    ns_page_switcher_offer(stack->switcher, offered);
    if (!(offered & 1u << (kind_of(ns_page_stack_key(stack)) - PAGES)))
        gtk_stack_set_visible_child_name(GTK_STACK(stack->stack), PAGES[0].key);
}

bool ns_page_stack_show(NsPageStack *stack, const char *key)
{
    const NsPageKind *kind = kind_of(key);
    if (!kind) return false;
    sync_offers(stack); /* as the view may have changed just now */
    if (stack->offered & 1u << (kind - PAGES))
        gtk_stack_set_visible_child_name(GTK_STACK(stack->stack), key);
    return true;
}

NsPage *ns_page_stack_page(NsPageStack *stack)
{
    return page_in(shown_place(stack));
}

NsPage *ns_page_stack_find(NsPageStack *stack, const char *key)
{
    return page_in(GTK_SCROLLED_WINDOW(gtk_stack_get_child_by_name(GTK_STACK(stack->stack), key)));
}

const char *ns_page_stack_key(NsPageStack *stack)
{
    return gtk_stack_get_visible_child_name(GTK_STACK(stack->stack));
}

static void ns_page_stack_dispose(GObject *object)
{
    NsPageStack *stack = NS_PAGE_STACK(object);
    if (stack->stack) g_signal_handlers_disconnect_by_data(stack->stack, stack);
    stack->stack = NULL;
    G_OBJECT_CLASS(ns_page_stack_parent_class)->dispose(object);
}

static void ns_page_stack_class_init(NsPageStackClass *klass)
{
    G_OBJECT_CLASS(klass)->dispose = ns_page_stack_dispose;
    ns_signal_new(NS_TYPE_PAGE_STACK, "switched", 0);
    ns_signal_new(NS_TYPE_PAGE_STACK, "pointed", 1, NS_TYPE_CHART_TILE);
}

static void ns_page_stack_init(NsPageStack *stack)
{
    (void)stack;
}

GtkWidget *ns_page_stack_new(NsSession *session)
{
    NsPageStack *stack =
        g_object_new(NS_TYPE_PAGE_STACK, "orientation", GTK_ORIENTATION_VERTICAL, NULL);
    stack->session = ns_session_hold(session, stack);
    gtk_widget_set_vexpand(GTK_WIDGET(stack), TRUE);
    stack->stack = gtk_stack_new();
    gtk_stack_set_hhomogeneous(GTK_STACK(stack->stack), FALSE);
    gtk_widget_set_vexpand(stack->stack, TRUE);
    for (size_t i = 0; ns_page_kind(i); i++) {
        GtkWidget *place = ns_scrolled_new(NULL);
        gtk_widget_add_css_class(place, "charts");
        gtk_stack_add_titled(GTK_STACK(stack->stack), place, ns_page_kind(i)->key,
                             _(ns_page_kind(i)->title));
    }
    stack->switcher = ns_page_switcher_new(GTK_STACK(stack->stack));
    ns_box_append(GTK_WIDGET(stack), stack->switcher, stack->stack, NULL);
    g_signal_connect_swapped(stack->stack, "notify::visible-child", G_CALLBACK(on_switched), stack);
    on_switched(stack);
    ns_session_listen(session, "view-changed", G_CALLBACK(sync_offers), stack);
    sync_offers(stack);
    return GTK_WIDGET(stack);
}

/* ---- The switcher ---- */

static int least_width(GtkWidget *widget)
{
    int least = 0;
    gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
    return least;
}

static void measure_switcher(GtkWidget *switcher, GtkOrientation orientation, int for_size,
                             int *minimum, int *natural, int *minimum_baseline,
                             int *natural_baseline)
{
    (void)for_size;
    int tabs = 0, list = 0;
    gtk_widget_measure(gtk_widget_get_first_child(switcher), orientation, -1, &tabs, NULL, NULL,
                       NULL);
    gtk_widget_measure(gtk_widget_get_last_child(switcher), orientation, -1, &list, NULL, NULL,
                       NULL);
    *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? MIN(tabs, list) : MAX(tabs, list);
    *natural = MAX(tabs, *minimum);
    *minimum_baseline = *natural_baseline = -1;
}

static void allocate_switcher(GtkWidget *switcher, int width, int height, int baseline)
{
    GtkWidget *tabs = gtk_widget_get_first_child(switcher);
    GtkWidget *list = gtk_widget_get_last_child(switcher);
    bool fits = least_width(tabs) <= width;
    gtk_widget_set_child_visible(tabs, fits);
    gtk_widget_set_child_visible(list, !fits);
    GtkWidget *shown = fits ? tabs : list;
    int wide = MIN(width, least_width(shown));
    GtkAllocation box = {(width - wide) / 2, 0, wide, height};
    gtk_widget_size_allocate(shown, &box, baseline);
}

static void on_chosen(GtkDropDown *list, GParamSpec *property, GtkSelectionModel *pages)
{
    (void)property;
    guint chosen = gtk_drop_down_get_selected(list);
    if (chosen != GTK_INVALID_LIST_POSITION) gtk_selection_model_select_item(pages, chosen, TRUE);
}

static void on_shown(GtkSelectionModel *pages, guint position, guint n, GtkDropDown *list)
{
    for (guint i = position; i < position + n; i++)
        if (gtk_selection_model_is_selected(pages, i)) gtk_drop_down_set_selected(list, i);
}

/* The button of the menu has the name of the visible page if this has no tab. */
static void sync_more(GtkWidget *more, GParamSpec *property, GtkStack *stack)
{
    (void)property;
    g_autoptr(GtkSelectionModel) pages = gtk_stack_get_pages(stack);
    guint n = g_list_model_get_n_items(G_LIST_MODEL(pages)), at = 0;
    while (at < n && !gtk_selection_model_is_selected(pages, at)) at++;
    bool tab = at < NS_PAGE_TABS || at == n;
    g_autoptr(GObject) page = tab ? NULL : g_list_model_get_item(G_LIST_MODEL(pages), at);
    gtk_menu_button_set_label(GTK_MENU_BUTTON(more),
                              page ? gtk_stack_page_get_title(GTK_STACK_PAGE(page)) : _("More"));
    ns_set_css_class(more, "checked", page != NULL);
}

void ns_page_switcher_offer(GtkWidget *switcher, unsigned offered)
{
    GtkWidget *tabs = gtk_widget_get_first_child(gtk_widget_get_first_child(switcher));
    GtkWidget *more = gtk_widget_get_next_sibling(tabs);
    g_autoptr(GtkSelectionModel) pages =
        gtk_stack_get_pages(gtk_stack_switcher_get_stack(GTK_STACK_SWITCHER(tabs)));
    g_autoptr(GMenu) menu = g_menu_new();
    GtkWidget *tab = gtk_widget_get_first_child(tabs);
    for (guint i = 0; tab; i++, tab = gtk_widget_get_next_sibling(tab)) {
        bool is_offered = offered & 1u << i;
        gtk_widget_set_visible(tab, is_offered && i < NS_PAGE_TABS);
        if (!is_offered || i < NS_PAGE_TABS) continue;
        g_autoptr(GObject) item = g_list_model_get_item(G_LIST_MODEL(pages), i);
        GtkStackPage *page = GTK_STACK_PAGE(item);
        g_autofree char *action = g_strconcat("win.page::", gtk_stack_page_get_name(page), NULL);
        g_menu_append(menu, gtk_stack_page_get_title(page), action);
    }
    gtk_menu_button_set_menu_model(GTK_MENU_BUTTON(more), G_MENU_MODEL(menu));
    gtk_widget_set_visible(more, g_menu_model_get_n_items(G_MENU_MODEL(menu)) > 0);
}

GtkWidget *ns_page_switcher_new(GtkStack *stack)
{
    GtkWidget *switcher = g_object_new(GTK_TYPE_BOX, "css-name", "pageswitcher", NULL);
    GtkWidget *both = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
    g_autoptr(GtkSelectionModel) pages = gtk_stack_get_pages(stack);
    GtkExpression *title = gtk_property_expression_new(GTK_TYPE_STACK_PAGE, NULL, "title");
    GtkWidget *tabs = gtk_stack_switcher_new();
    GtkLayoutManager *row = gtk_widget_get_layout_manager(tabs);
    gtk_box_layout_set_homogeneous(GTK_BOX_LAYOUT(row), FALSE);
    gtk_stack_switcher_set_stack(GTK_STACK_SWITCHER(tabs), stack);
    /* The last pages have no tab, but are in its menu. */
    GtkWidget *more = gtk_menu_button_new();
    sync_more(more, NULL, stack);
    ns_connect(stack, "notify::visible-child", G_CALLBACK(sync_more), more);
    ns_box_append(both, tabs, more, NULL);
    GtkWidget *list = gtk_drop_down_new(g_object_ref(G_LIST_MODEL(pages)), title);
    gtk_widget_set_tooltip_text(list, _("What the window shows (1 to 9)"));
    ns_accessible_name(list, _("Page"));
    ns_box_append(switcher, both, list, NULL);
    gtk_widget_set_layout_manager(switcher,
                                  gtk_custom_layout_new(NULL, measure_switcher, allocate_switcher));
    guint n = g_list_model_get_n_items(G_LIST_MODEL(pages));
    on_shown(pages, 0, n, GTK_DROP_DOWN(list));
    ns_page_switcher_offer(switcher, UINT_MAX);
    g_signal_connect_object(list, "notify::selected", G_CALLBACK(on_chosen), pages, 0);
    g_signal_connect_object(pages, "selection-changed", G_CALLBACK(on_shown), list, 0);
    return switcher;
}
