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
#include <stdlib.h>
#include <string.h>

#define MANUAL "/org/normscope/Normscope/help"

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

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

gboolean ns_help_is_code(const char *block)
{
    return g_str_has_prefix(block, "    ");
}

/* A list is translated line by line; code stays as it is. */
static char *translated(const char *block)
{
    if (ns_help_is_code(block)) return g_strdup(block);
    if (!g_str_has_prefix(block, "- ")) return g_strdup(_(block));
    g_auto(GStrv) lines = g_strsplit(block, "\n", -1);
    GString *list = g_string_new(NULL);
    for (char **line = lines; *line; line++)
        g_string_append_printf(list, "%s- %s", list->len ? "\n" : "", _(*line + 2));
    return g_string_free(list, FALSE);
}

/* Adds the topics of a page: blocks between empty lines, of which "# " is the title of the page and
 * "## " that of a topic.  resources/po/text_words.py finds the messages by the same rules. */
static void add_page(GPtrArray *topics, const char *text)
{
    g_auto(GStrv) blocks = g_strsplit(text, "\n\n", -1);
    const char *section = "";
    NsHelpTopic *topic = NULL;
    for (char **block = blocks; *block; block++) {
        g_strchomp(*block);
        if (g_str_has_prefix(*block, "# ")) {
            section = _(*block + 2);
        } else if (g_str_has_prefix(*block, "## ")) {
            g_autofree char *key = g_strdup_printf("%u", topics->len + 1);
            topic = add(topics, section, key, _(*block + 3));
            topic->manual = TRUE;
        } else if (topic && **block) {
            char **last = topic->paragraphs->len
                              ? (char **)&topic->paragraphs->pdata[topic->paragraphs->len - 1]
                              : NULL;
            if (last && ns_help_is_code(*last) && ns_help_is_code(*block)) {
                char *joined = g_strconcat(*last, "\n\n", *block, NULL); /* code with empty lines */
                g_free(*last);
                *last = joined;
            } else {
                say(topic, translated(*block));
            }
        }
    }
}

static void add_manual(GPtrArray *topics)
{
    g_auto(GStrv) pages =
        g_resources_enumerate_children(MANUAL, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    if (!pages) return;
    qsort(pages, g_strv_length(pages), sizeof *pages, compare_names);
    for (char **page = pages; *page; page++) {
        g_autofree char *path = g_build_path("/", MANUAL, *page, NULL);
        g_autoptr(GBytes) bytes = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
        g_autofree char *text = g_strndup(g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
        add_page(topics, text);
    }
}

/* Moves `at` behind a pair of marks around some text, and adds this text between two tags. */
static bool take_pair(GString *markup, const char **at, const char *mark, const char *tag)
{
    size_t length = strlen(mark);
    const char *end = g_str_has_prefix(*at, mark) ? strstr(*at + length, mark) : NULL;
    if (!end) return false;
    g_autofree char *inside = g_markup_escape_text(*at + length, end - *at - (gssize)length);
    g_string_append_printf(markup, "<%s>%s</%s>", tag, inside, tag);
    *at = end + length;
    return true;
}

char *ns_help_markup(const char *block)
{
    GString *markup = g_string_new(NULL);
    if (ns_help_is_code(block)) {
        g_auto(GStrv) lines = g_strsplit(block, "\n", -1);
        for (char **line = lines; *line; line++) {
            g_autofree char *code = g_markup_escape_text(*line + MIN(strlen(*line), 4), -1);
            g_string_append_printf(markup, "%s%s", line == lines ? "" : "\n", code);
        }
        return g_string_free(markup, FALSE);
    }
    for (const char *at = block; *at;) {
        bool begins = at == block || at[-1] == '\n';
        if (begins && g_str_has_prefix(at, "- ")) {
            g_string_append(markup, "•  ");
            at += 2;
        } else if (!take_pair(markup, &at, "`", "tt") && !take_pair(markup, &at, "**", "b") &&
                   !take_pair(markup, &at, "*", "i")) {
            const char *next = g_utf8_next_char(at);
            g_autofree char *character = g_markup_escape_text(at, next - at);
            g_string_append(markup, character);
            at = next;
        }
    }
    return g_string_free(markup, FALSE);
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

GPtrArray *ns_help_topics(void)
{
    GPtrArray *topics = g_ptr_array_new_with_free_func(free_topic);
    add_manual(topics);
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
    add_choices(topics, _("Norm placements"), ns_placement_choice);
    add_choices(topics, _("Kinds of norm"), ns_norm_choice);
    add_choices(topics, _("Initializations"), ns_init_choice);
    add_choices(topics, _("Optimizers"), ns_optimizer_choice);
    add_choices(topics, _("Schedules"), ns_schedule_choice);
    add_choices(topics, _("Tasks"), ns_task_choice);
    add_choices(topics, _("Figures"), ns_figure_choice);
    for (int i = 0; i < NS_QUANTITY_COUNT; i++) {
        const NsQuantityInfo *info = ns_quantity((NsQuantity)i);
        NsHelpTopic *topic =
            add(topics, _("Measured quantities"), info->choice.key, _(info->choice.label));
        say(topic, g_strdup(info->symbol));
        say(topic, g_strdup(_(info->choice.purpose)));
        const NsParam *every = info->every ? ns_param_find(info->every) : NULL;
        say(topic, every ? g_strdup_printf(_("Measured at the “%s” only."), _(every->label))
                         : g_strdup(_("Measured at every step.")));
        say(topic, g_strdup_printf(_("On the command line: %s"), info->choice.key));
        say(topic, source_of(info->choice.reference));
    }
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
