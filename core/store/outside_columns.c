/* SPDX-License-Identifier: MIT */
#include "core/store/outside_columns-private.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/words.h"
#include "core/data/reader.h"
#include "core/store/output_file.h"

#include <string.h>

/* Columns that are listed, also in a message; choices that are remembered, and bytes of their
 * file. */
#define MOST_COLUMNS 2000
#define MOST_LISTED 16
#define MOST_CHOICES 200
#define MOST_BYTES ((size_t)4 << 20)

/* ---- Columns ---- */

static void column_free(gpointer data)
{
    g_free(((NsOutsideColumn *)data)->name);
    g_free(data);
}

/* Whether of several names of a number of the step this is the one that is taken. */
static bool is_best(const GPtrArray *list, guint i)
{
    const NsOutsideName *name = list->pdata[i];
    for (guint k = 0; k < list->len; k++) {
        const NsOutsideName *other = list->pdata[k];
        bool same = other->use->number && other->kind == name->kind && other->lane == name->lane;
        if (same && (other->rank < name->rank || (other->rank == name->rank && k < i)))
            return false;
    }
    return true;
}

GPtrArray *ns_outside_columns(const NsOutsideNames *names, const NsOutsideName *const *taken,
                              size_t n, GHashTable *left_out)
{
    GPtrArray *columns = g_ptr_array_new_with_free_func(column_free);
    g_autoptr(GHashTable) patterns = g_hash_table_new(g_str_hash, g_str_equal);
    const GPtrArray *list = names->list;
    for (guint i = 0; i < list->len && columns->len < MOST_COLUMNS; i++) {
        const NsOutsideName *name = list->pdata[i];
        if (!name->use->number) continue;
        bool loss = name->kind == NS_OUTSIDE_LOSS || name->kind == NS_OUTSIDE_VALIDATION;
        bool drawn = loss || name->kind == NS_OUTSIDE_LR || name->kind == NS_OUTSIDE_GRAD_NORM ||
                     name->kind == NS_OUTSIDE_VALUE;
        bool is_taken = !loss && name->kind != NS_OUTSIDE_VALUE && is_best(list, i);
        for (size_t k = 0; k < n; k++) is_taken |= taken[k] == name;
        bool by_layer = name->layered || name->group->profile;
        unsigned meaning = by_layer ? NS_OUTSIDE_BY_LAYER : NS_OUTSIDE_CURVE;
        if (!drawn || g_hash_table_contains(left_out, name->group->key))
            meaning = NS_OUTSIDE_LEFT_OUT;
        if (is_taken && name->kind <= NS_OUTSIDE_SECONDS) meaning = name->kind;
        if (is_taken && name->part) meaning = name->part;
        if (is_taken && name->tokens) meaning = NS_OUTSIDE_STEP;
        size_t end = strlen(name->whole) - name->behind, at = end;
        while (at && g_ascii_isdigit(name->whole[at - 1])) at--;
        g_autofree char *shown =
            name->layered ? g_strdup_printf("%.*s{l}%s", (int)at, name->whole, name->whole + end)
                          : g_strdup(name->whole);
        NsOutsideColumn *column = g_hash_table_lookup(patterns, shown);
        if (!column) {
            column = g_new0(NsOutsideColumn, 1);
            column->name = g_steal_pointer(&shown);
            column->meaning = meaning;
            g_hash_table_insert(patterns, column->name, column);
            g_ptr_array_add(columns, column);
        }
        column->layers += name->layered;
    }
    return columns;
}

char *ns_outside_columns_words(const NsOutsideNames *names)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0, n = 0; i < names->list->len && n < MOST_LISTED; i++) {
        const NsOutsideName *name = names->list->pdata[i];
        if (name->use->listed) g_string_append_printf(text, n++ ? ", %s" : "%s", name->raw);
    }
    return g_string_free(text, FALSE);
}

bool ns_outside_columns_have_loss(const NsOutsideNames *names)
{
    for (guint i = 0; i < names->list->len; i++) {
        const NsOutsideName *name = names->list->pdata[i];
        bool loss = name->kind == NS_OUTSIDE_LOSS || name->kind == NS_OUTSIDE_VALIDATION;
        if (name->use->listed && (loss || name->part)) return true;
    }
    return false;
}

bool ns_outside_columns_may_be_mapped(const NsOutsideNames *names)
{
    for (guint i = 0; i < names->list->len; i++)
        if (((const NsOutsideName *)names->list->pdata[i])->use->number) return true;
    return false;
}

bool ns_outside_columns_refuse(const NsOutsideNames *columns, const char *name, bool limited,
                               GError **error)
{
    g_autofree char *names = ns_outside_columns_words(columns);
    if (!*names)
        return ns_refuse(error, NS_ERROR_FILE,
                         N_("“%s” has no record that is recognized%s; a record needs a step and a "
                            "loss, as in the line “step 3, loss 2.1”."),
                         name, limited ? " up to the step that is asked for" : "");
    const char *missing = ns_outside_names_missing(columns);
    if (missing)
        return ns_refuse(error, NS_ERROR_FILE, N_("“%s” has no column “%s”; it has %s."), name,
                         missing, names);
    const char *limit = limited ? " up to the step that is asked for" : "";
    if (!ns_outside_columns_may_be_mapped(columns))
        return ns_refuse(error, NS_ERROR_FILE, N_("“%s” has no numbers%s, only the names %s."),
                         name, limit, names);
    return ns_refuse(error, NS_ERROR_FILE,
                     N_("“%s” has no step with a training loss%s; it needs “step” and “loss”, and "
                        "has %s. Use “--map loss=NAME” to say which one is the loss."),
                     name, limit, names);
}

static void clear_reading(gpointer data)
{
    NsOutsideReading *reading = data;
    g_ptr_array_unref(reading->columns);
    g_free(reading->map);
    g_free(reading->file);
}

NsOutsideReading *ns_outside_reading_ref(NsOutsideReading *reading)
{
    return reading ? g_atomic_rc_box_acquire(reading) : NULL;
}

void ns_outside_reading_unref(NsOutsideReading *reading)
{
    if (reading) g_atomic_rc_box_release_full(reading, clear_reading);
}

const char *ns_outside_program(const NsOutsideNames *names)
{
    /* Names that no other program writes. */
    static const struct {
        const char *program, *name;
    } programs[] = {
        {"Hugging Face Trainer", "train_runtime"},
        {"Hugging Face Trainer", "train/total_flos"},
        {"Hugging Face Trainer", "eval_runtime"},
        {"Hugging Face Trainer", "eval/runtime"},
        {"LLaMA-Factory", "current_steps"},
        {"Weights & Biases", "_runtime"},
        {"Weights & Biases", "_step"},
        {"fairseq", "num_updates"},
        {"fairseq", "train_num_updates"},
        {"Megatron-LM", "lm loss"},
        {"Megatron-LM", "lm-loss-training/lm loss"},
        {"DeepSpeed", "Train/Samples/train_loss"},
        {"Lightning", "train_loss_step"},
        {"Lightning", "lr-AdamW"},
        {"TensorBoard", "Wall time"},
        {"MosaicML Composer", "time/batch"},
        {"Keras", "epoch_loss"},
    };
    const GPtrArray *list = names->list;
    for (size_t k = 0; k < G_N_ELEMENTS(programs); k++)
        for (guint i = 0; i < list->len; i++) {
            const NsOutsideName *name = list->pdata[i];
            if (name->use->listed && g_str_equal(name->raw, programs[k].name))
                return programs[k].program;
        }
    return NULL;
}

/* ---- Choices that are remembered ---- */

/* A line of the file has the choice and the names, with tabs between them. */
static char *path_of_choices(void)
{
    return g_build_filename(g_get_user_data_dir(), "normscope", "columns", NULL);
}

static char **read_choices(void)
{
    size_t bytes;
    g_autofree char *path = path_of_choices();
    g_autofree char *text = ns_read_file(path, MOST_BYTES, &bytes, NULL);
    return g_strsplit(text ? text : "", "\n", -1);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of a log, sorted, each once; with # in the place of each number, so that models of all
 * sizes have the same ones. */
static GPtrArray *names_of(const NsOutsideNames *names)
{
    g_autoptr(GRegex) numbers = g_regex_new("\\d+", G_REGEX_DEFAULT, G_REGEX_MATCH_DEFAULT, NULL);
    g_autoptr(GHashTable) set = g_hash_table_new(g_str_hash, g_str_equal);
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    const GPtrArray *list = names->list;
    for (guint i = 0; i < list->len; i++) {
        const NsOutsideName *name = list->pdata[i];
        if (!name->use->listed) continue;
        g_autofree char *escaped = g_strescape(name->raw, NULL);
        g_autofree char *text =
            g_regex_replace_literal(numbers, escaped, -1, 0, "#", G_REGEX_MATCH_DEFAULT, NULL);
        if (g_hash_table_contains(set, text)) continue;
        g_hash_table_add(set, text);
        g_ptr_array_add(found, g_steal_pointer(&text));
    }
    g_ptr_array_sort(found, compare_texts);
    return found;
}

/* Whether a choice for the logs with these names, words[1] and following, is one for this log. */
static bool suits(const NsOutsideNames *names, const GPtrArray *own, char **words)
{
    for (guint i = 0; i < own->len; i++)
        if (!g_strv_contains((const char *const *)words + 1, own->pdata[i])) return false;
    NsOutsideNames *mapped = ns_outside_names_new();
    const GPtrArray *list = names->list;
    bool chosen = false;
    if (ns_outside_names_map(mapped, words[0], NULL))
        for (guint i = 0; i < list->len && !chosen; i++) {
            const NsOutsideName *name = list->pdata[i];
            chosen = name->use->listed && ns_outside_names_find(mapped, NULL, name->raw)->chosen;
        }
    ns_outside_names_free(mapped);
    return chosen;
}

char *ns_outside_columns_recall(const NsOutsideNames *names)
{
    g_auto(GStrv) choices = read_choices();
    g_autoptr(GPtrArray) own = *choices && **choices ? names_of(names) : NULL;
    for (char **choice = choices; own && *choice; choice++) {
        g_auto(GStrv) words = g_strsplit(*choice, "\t", -1);
        g_autofree char *map = g_strcompress(words[0] ? words[0] : "");
        if (!*map) continue;
        g_free(words[0]);
        words[0] = g_strdup(map);
        if (suits(names, own, words)) return g_steal_pointer(&map);
    }
    return NULL;
}

bool ns_outside_columns_remember(const NsOutsideNames *names, const char *map, GError **error)
{
    g_auto(GStrv) choices = read_choices();
    g_autoptr(GPtrArray) own = names_of(names);
    g_autoptr(GString) key = g_string_new(NULL), text = g_string_new(NULL);
    for (guint i = 0; i < own->len; i++)
        g_string_append_printf(key, "\t%s", (const char *)own->pdata[i]);
    g_autofree char *escaped = g_strescape(map, NULL), *path = path_of_choices();
    if (*map) g_string_append_printf(text, "%s%s\n", escaped, key->str);
    bool had = false;
    for (size_t i = 0; choices[i] && i < MOST_CHOICES; i++) {
        const char *tab = strchr(choices[i], '\t');
        bool same = tab && g_str_equal(tab, key->str);
        had |= same;
        if (tab && !same) g_string_append_printf(text, "%s\n", choices[i]);
    }
    if (!*map && !had) return true;
    g_autofree char *folder = g_path_get_dirname(path);
    return ns_folder_make(folder, error) && ns_save(path, text->str, text->len, error);
}
