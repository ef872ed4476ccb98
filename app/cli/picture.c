/* SPDX-License-Identifier: MIT */
#include "app/cli/picture.h"

#include "core/base/error.h"

void ns_picture_init(NsPicture *picture)
{
    *picture = (NsPicture){0};
    ns_export_choices_init(&picture->choices);
}

void ns_picture_clear(NsPicture *picture)
{
    g_free(picture->out);
    for (size_t i = 0; i < NS_PICTURE_TEXTS; i++) g_free(picture->texts[i]);
}

void ns_picture_add_entries(NsPicture *picture, GArray *entries, const char *const *without)
{
    const GOptionEntry out = {"out",
                              'o',
                              0,
                              G_OPTION_ARG_FILENAME,
                              &picture->out,
                              "The file; its ending png, svg, pdf, csv or tex (pgfplots) says the "
                              "format",
                              "FILE"};
    g_array_append_val(entries, out);
    const NsChoice *choice;
    for (size_t i = 0; (choice = ns_export_choice(i)); i++) {
        g_assert(i < NS_PICTURE_TEXTS);
        if (without && g_strv_contains(without, choice->key)) continue;
        const GOptionEntry entry = {
            choice->key,    0, 0, G_OPTION_ARG_STRING, &picture->texts[i], choice->purpose,
            choice->formula};
        g_array_append_val(entries, entry);
    }
}

bool ns_picture_understand(NsPicture *picture, GError **error)
{
    if (!picture->out) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE, "--out FILE is missing.");
        return false;
    }
    const NsChoice *choice;
    for (size_t i = 0; (choice = ns_export_choice(i)); i++)
        if (picture->texts[i] &&
            !ns_export_choices_set(&picture->choices, choice->key, picture->texts[i], error))
            return false;
    return ns_format_from_path(picture->out, &picture->format, error);
}

static char *path_of(const NsPicture *picture, const char *key)
{
    return key ? ns_export_path(picture->out, key) : g_strdup(picture->out);
}

bool ns_picture_check(const NsPicture *picture, const char *key, const char *input, GError **error)
{
    g_autofree char *path = path_of(picture, key);
    return ns_output_check(path, error) && ns_output_spares(path, input, error);
}

bool ns_picture_write(const NsPicture *picture, const NsPlot *const *plots, size_t n,
                      const NsExperiment *experiment, const char *key, GError **error)
{
    const NsExportChoices *choices = &picture->choices;
    g_autofree char *line = experiment ? ns_experiment_line(experiment) : NULL;
    g_autofree char *caption = experiment ? ns_experiment_caption(experiment) : NULL;
    g_autofree char *path = path_of(picture, key);
    NsStyle style;
    NsExport options = {.format = picture->format,
                        .experiment = choices->experiment ? line : NULL,
                        .caption = choices->caption ? caption : NULL};
    size_t columns = ns_export_choices_apply(choices, n, &style, &options);
    return ns_export(plots, n, columns, &options, path, error);
}
