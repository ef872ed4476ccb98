/* SPDX-License-Identifier: MIT */
#include "ui/widgets/shell/help_topics.h"

#include "core/base/words.h"
#include "core/data/task.h"
#include "core/experiment/param.h"
#include "core/model/init.h"
#include "core/model/placement.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"
#include "core/optim/optimizer.h"
#include "core/optim/schedule.h"
#include "core/probe/quantity.h"
#include "ui/figures/figures.h"

#include <gio/gio.h>
#include <string.h>

#define HANDBOOK "/org/normscope/Normscope/help/handbook.txt"

static void free_topic(gpointer data)
{
    NsHelpTopic *topic = data;
    g_free(topic->key);
    g_free(topic->section);
    g_free(topic->title);
    g_ptr_array_unref(topic->paragraphs);
    g_free(topic);
}

static NsHelpTopic *add(GPtrArray *topics, const char *section, const char *key, const char *title)
{
    NsHelpTopic *topic = g_new0(NsHelpTopic, 1);
    topic->key = g_strdup(key);
    topic->section = g_strdup(section);
    topic->title = g_strdup(title);
    topic->paragraphs = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(topics, topic);
    return topic;
}

/* A paragraph, which is taken; nothing where there is none. */
static void say(NsHelpTopic *topic, char *paragraph)
{
    if (paragraph && *paragraph)
        g_ptr_array_add(topic->paragraphs, paragraph);
    else
        g_free(paragraph);
}

/* Paragraphs are set apart by empty lines; one that begins with "# " is the title of a topic.  Each
 * is one message for the translator. */
static void add_handbook(GPtrArray *topics)
{
    g_autoptr(GBytes) bytes = g_resources_lookup_data(HANDBOOK, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    if (!bytes) return;
    g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
    g_auto(GStrv) parts = g_strsplit(text, "\n\n", -1);
    NsHelpTopic *topic = NULL;
    unsigned number = 0;
    for (char **part = parts; *part; part++) {
        g_strstrip(*part);
        if (g_str_has_prefix(*part, "# ")) {
            g_autofree char *key = g_strdup_printf("%u", ++number);
            topic = add(topics, _("Using Normscope"), key, _(*part + 2));
        } else if (topic && **part) {
            say(topic, g_strdup(_(*part)));
        }
    }
}

static char *source_of(const char *reference)
{
    /* Translators: the paper that a statement is taken from. */
    return reference ? g_strdup_printf(_("Source: %s"), reference) : NULL;
}

static char *choices_of(const NsParam *param)
{
    if (param->type != NS_PARAM_CHOICE) return NULL;
    GString *text = g_string_new(NULL);
    for (size_t i = 0; param->choices(i); i++) {
        const NsChoice *row = param->choices(i);
        g_string_append_printf(text, "%s%s: %s", i ? "\n" : "", _(row->label),
                               row->purpose ? _(row->purpose) : "");
    }
    return g_string_free(text, FALSE);
}

static char *effect_of(const NsParam *param)
{
    if (param->effect == NS_EFFECT_LIVE)
        return g_strdup(_("Live: acts on the running model from the next step."));
    if (param->effect == NS_EFFECT_RESTART)
        return g_strdup(
            _("Restart: the model is rebuilt; a fork keeps the tensors that still fit."));
    return g_strdup(_("Fork: a new branch continues with all weights."));
}

static void add_settings(GPtrArray *topics)
{
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        NsHelpTopic *topic = add(topics, _("Settings"), param->key, _(param->label));
        say(topic, g_strdup(_(param->help)));
        if (param->unit) say(topic, g_strdup_printf(_("Unit: %s"), _(param->unit)));
        say(topic, choices_of(param));
        say(topic, effect_of(param));
        if (*param->default_text)
            say(topic, g_strdup_printf(_("Default: %s"), param->default_text));
        say(topic, g_strdup_printf(_("In presets and on the command line: %s"), param->key));
        say(topic, source_of(param->source));
    }
}

static void add_choices(GPtrArray *topics, const char *section, NsChoices choices)
{
    const NsChoice *row;
    for (size_t i = 0; (row = choices(i)); i++) {
        NsHelpTopic *topic = add(topics, section, row->key, _(row->label));
        if (row->purpose) say(topic, g_strdup(_(row->purpose)));
        say(topic, g_strdup(row->formula ? _(row->formula) : NULL));
        say(topic, g_strdup_printf(_("In presets and on the command line: %s"), row->key));
        say(topic, source_of(row->reference));
        if (row->differs) say(topic, g_strdup(_(row->differs)));
    }
}

static void add_quantities(GPtrArray *topics)
{
    for (int i = 0; i < NS_QUANTITY_COUNT; i++) {
        const NsQuantityInfo *info = ns_quantity((NsQuantity)i);
        NsHelpTopic *topic =
            add(topics, _("Measured quantities"), info->choice.key, _(info->choice.label));
        say(topic, g_strdup(info->symbol));
        say(topic, g_strdup(_(info->choice.purpose)));
        say(topic,
            g_strdup(info->expensive
                         ? _("Expensive: measured at the “Interval of expensive probes” only.")
                         : _("Measured at every step.")));
        say(topic, g_strdup_printf(_("On the command line: %s"), info->choice.key));
        say(topic, source_of(info->choice.reference));
    }
}

GPtrArray *ns_help_topics(void)
{
    GPtrArray *topics = g_ptr_array_new_with_free_func(free_topic);
    add_handbook(topics);
    add_settings(topics);
    add_choices(topics, _("Norm placements"), ns_placement_choice);
    add_choices(topics, _("Kinds of norm"), ns_norm_choice);
    add_choices(topics, _("Initializations"), ns_init_choice);
    add_choices(topics, _("Optimizers"), ns_optimizer_choice);
    add_choices(topics, _("Schedules"), ns_schedule_choice);
    add_choices(topics, _("Tasks"), ns_task_choice);
    add_choices(topics, _("Figures"), ns_figure_choice);
    add_quantities(topics);
    return topics;
}

gboolean ns_help_topic_matches(const NsHelpTopic *topic, const char *question)
{
    g_autoptr(GString) all = g_string_new(topic->title);
    g_string_append_printf(all, "\n%s", topic->key);
    for (guint i = 0; i < topic->paragraphs->len; i++)
        g_string_append_printf(all, "\n%s", (char *)g_ptr_array_index(topic->paragraphs, i));
    g_autofree char *text = g_utf8_casefold(all->str, -1);
    g_autofree char *folded = g_utf8_casefold(question, -1);
    g_auto(GStrv) words = g_strsplit_set(folded, " \t", -1);
    for (char **word = words; *word; word++)
        if (**word && !strstr(text, *word)) return FALSE;
    return TRUE;
}
