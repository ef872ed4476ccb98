/* The pages of a window.  SPDX-License-Identifier: MIT */
#include "ui/widgets/pages/page_stack.h"

#include "core/base/words.h"
#include "ui/widgets/common/signals.h"
#include "ui/widgets/pages/page_switcher.h"

struct _NsPageStack {
    GtkBox parent;
    NsSession *session;
    const NsStyle *style;
    GtkWidget *stack;
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

static void on_switched(NsPageStack *stack)
{
    GtkScrolledWindow *place = shown_place(stack);
    if (!place) return;
    const NsPageKind *kind = kind_of(ns_page_stack_key(stack));
    if (kind && !page_in(place)) {
        GtkWidget *page = kind->create(stack->session);
        g_signal_connect_object(page, "pointed", G_CALLBACK(on_pointed), stack, G_CONNECT_SWAPPED);
        gtk_scrolled_window_set_child(place, page);
        if (stack->style) ns_page_set_style(NS_PAGE(page), stack->style);
    }
    g_signal_emit_by_name(stack, "switched");
}

bool ns_page_stack_show(NsPageStack *stack, const char *key)
{
    if (!kind_of(key)) return false;
    gtk_stack_set_visible_child_name(GTK_STACK(stack->stack), key);
    return true;
}

NsPage *ns_page_stack_page(NsPageStack *stack)
{
    return page_in(shown_place(stack));
}

const char *ns_page_stack_key(NsPageStack *stack)
{
    return gtk_stack_get_visible_child_name(GTK_STACK(stack->stack));
}

void ns_page_stack_set_style(NsPageStack *stack, const NsStyle *style)
{
    stack->style = style;
    for (GtkWidget *place = gtk_widget_get_first_child(stack->stack); place;
         place = gtk_widget_get_next_sibling(place)) {
        NsPage *page = page_in(GTK_SCROLLED_WINDOW(place));
        if (page) ns_page_set_style(page, style);
    }
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
        GtkWidget *place = gtk_scrolled_window_new();
        gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(place), GTK_POLICY_NEVER,
                                       GTK_POLICY_AUTOMATIC);
        gtk_widget_add_css_class(place, "charts");
        gtk_stack_add_titled(GTK_STACK(stack->stack), place, ns_page_kind(i)->key,
                             _(ns_page_kind(i)->title));
    }
    gtk_box_append(GTK_BOX(stack), ns_page_switcher_new(GTK_STACK(stack->stack), NS_PAGE_TABS));
    gtk_box_append(GTK_BOX(stack), stack->stack);
    g_signal_connect_swapped(stack->stack, "notify::visible-child", G_CALLBACK(on_switched), stack);
    on_switched(stack);
    return GTK_WIDGET(stack);
}
