/* The menu of a chart, at its button and under the pointer.  SPDX-License-Identifier: MIT */
#include "ui/widgets/charts/tile_menu.h"

#include "core/base/words.h"

#include "ui/figures/figures.h"
#include "ui/widgets/common/passing_popover.h"

#define SMOOTHING "smoothing" /* the place of the control */

static void add_section(GMenu *menu, GMenu *section)
{
    g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
    g_object_unref(section);
}

static void add(GMenu *menu, const char *label, const char *action, const char *accelerator)
{
    g_autoptr(GMenuItem) item = g_menu_item_new(label, action);
    if (accelerator) g_menu_item_set_attribute(item, "accel", "s", accelerator);
    g_menu_append_item(menu, item);
}

static GMenu *kinds(void)
{
    GMenu *menu = g_menu_new();
    for (size_t i = 0; ns_figure_kind(i); i++) {
        const NsChoice *choice = &ns_figure_kind(i)->choice;
        g_autoptr(GMenuItem) item = g_menu_item_new(_(choice->label), NULL);
        g_menu_item_set_action_and_target(item, "tile.kind", "s", choice->key);
        g_menu_append_item(menu, item);
    }
    return menu;
}

static GMenuModel *make_model(bool maximized, bool smoothing)
{
    GMenu *menu = g_menu_new();
    g_autoptr(GMenu) all = kinds();
    GMenu *show = g_menu_new(), *copy = g_menu_new(), *view = g_menu_new();
    g_menu_append_submenu(show, _("Show"), G_MENU_MODEL(all));
    add_section(menu, show);
    if (smoothing) {
        GMenu *section = g_menu_new();
        g_autoptr(GMenuItem) item = g_menu_item_new(NULL, NULL);
        g_menu_item_set_attribute(item, "custom", "s", SMOOTHING);
        g_menu_append_item(section, item);
        add_section(menu, section);
    }
    add(view, _("Set limits…"), "tile.limits", NULL);
    add(view, _("Reset view"), "tile.reset", NULL);
    add(view, _("Remove pins"), "tile.unpin", NULL);
    add(view, maximized ? _("Back to all charts") : _("Fill the window"), "win.maximize", "m");
    add_section(menu, view);
    add(copy, _("Copy image"), "tile.copy-image", "<Control><Shift>c");
    add(copy, _("Copy data"), "tile.copy-data", "<Control>c");
    add(copy, _("Export this chart…"), "win.export", NULL);
    add_section(menu, copy);
    return G_MENU_MODEL(menu);
}

GtkWidget *ns_tile_menu_new(bool maximized, GtkWidget *smoothing)
{
    /* All charts share them: GTK 4.8 keeps a reference to every section that it has ever shown. */
    static GMenuModel *models[2][2];
    GMenuModel **model = &models[maximized][smoothing != NULL];
    if (!*model) *model = make_model(maximized, smoothing != NULL);
    GtkWidget *popover = gtk_popover_menu_new_from_model_full(*model, GTK_POPOVER_MENU_NESTED);
    if (smoothing) gtk_popover_menu_add_child(GTK_POPOVER_MENU(popover), smoothing, SMOOTHING);
    return popover;
}

void ns_tile_pop_up(GtkWidget *over, GtkWidget **slot, GtkWidget *popover,
                    const GdkRectangle *place)
{
    if (*slot) gtk_popover_popdown(GTK_POPOVER(*slot));
    g_set_weak_pointer(slot, popover);
    ns_popover_pass(popover, over, place);
}
