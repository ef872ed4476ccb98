/* The menu of a chart, at its button and under the pointer.  SPDX-License-Identifier: MIT */
#include "ui/widgets/tile_menu.h"

#include "ui/figures/figures.h"

static void add_section(GMenu *menu, const char *label, GMenu *section)
{
    g_menu_append_section(menu, label, G_MENU_MODEL(section));
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
        g_autoptr(GMenuItem) item = g_menu_item_new(choice->label, NULL);
        g_menu_item_set_action_and_target(item, "tile.kind", "s", choice->key);
        g_menu_append_item(menu, item);
    }
    return menu;
}

GMenuModel *ns_tile_menu_new(bool maximised)
{
    GMenu *menu = g_menu_new(), *show = g_menu_new(), *copy = g_menu_new(), *view = g_menu_new();
    g_autoptr(GMenu) all = kinds();
    g_menu_append_submenu(show, "Show", G_MENU_MODEL(all));
    add_section(menu, NULL, show);
    add(copy, "Copy image", "tile.copy-image", "<Control><Shift>c");
    add(copy, "Copy data", "tile.copy-data", "<Control>c");
    add(copy, "Export this chart…", "tile.export", NULL);
    add_section(menu, NULL, copy);
    add(view, "Set limits…", "tile.limits", NULL);
    add(view, "Reset view", "tile.reset", "f");
    add(view, "Remove pins", "tile.unpin", NULL);
    add(view, maximised ? "Back to all charts" : "Fill the window", "tile.maximise", "m");
    add_section(menu, NULL, view);
    return G_MENU_MODEL(menu);
}
