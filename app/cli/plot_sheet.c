/* SPDX-License-Identifier: MIT */
#include "app/cli/plot_sheet.h"

#include <math.h>
#include <string.h>

void *ns_plot_keep(GPtrArray *kept, void *taken)
{
    g_ptr_array_add(kept, taken);
    return taken;
}

char *ns_plot_plain(const char *name)
{
    return g_strdelimit(g_strdup(name), "_^", ' ');
}

const char *ns_plot_label(NsPlotSheet *sheet, size_t column, const char **unit)
{
    const char *name = ns_table_name(sheet->table, column);
    char *label = NULL;
    for (char **given = sheet->request->labels; given && *given && !label; given++) {
        const char *equals = strchr(*given, '=');
        if (equals && strlen(name) == (size_t)(equals - *given) && g_str_has_prefix(*given, name))
            label = g_strdup(equals + 1);
    }
    label = ns_plot_keep(sheet->strings, label ? label : ns_plot_plain(name));
    char *bracket = strrchr(label, '[');
    *unit = NULL;
    if (bracket && g_str_has_suffix(bracket, "]")) {
        bracket[strlen(bracket) - 1] = '\0';
        *unit = bracket + 1;
        *bracket = '\0';
        g_strchomp(label);
    }
    return label;
}

bool ns_plot_is_log(const NsPlotSheet *sheet, size_t column)
{
    if (!sheet->request->log) return false;
    g_auto(GStrv) names = g_strsplit(sheet->request->log, ",", -1);
    return g_strv_contains((const char *const *)names, ns_table_name(sheet->table, column));
}

NsAxis ns_plot_axis_of(NsPlotSheet *sheet, size_t column)
{
    const char *unit;
    const char *label = ns_plot_label(sheet, column, &unit);
    return (NsAxis){.label = label,
                    .unit = unit,
                    .scale = ns_plot_is_log(sheet, column) ? NS_SCALE_LOG : NS_SCALE_LINEAR,
                    .lo = (double)NAN,
                    .hi = (double)NAN};
}

bool ns_plot_in_group(const NsPlotSheet *sheet, size_t row, const char *group)
{
    return !group || g_str_equal(ns_table_cell(sheet->table, row, sheet->by), group);
}
