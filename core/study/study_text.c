/* Reading and writing studies as texts.  SPDX-License-Identifier: MIT */
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/reader.h"
#include "core/data/tokenizer.h"
#include "core/experiment/param.h"
#include "core/store/entries.h"
#include "core/store/preset.h"
#include "core/study/study.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define EVERY "every step"

static const char *const kinds[] = {
    [NS_RESULT_LOSS] = "loss",
    [NS_RESULT_VALIDATION] = "validation-loss",
    [NS_RESULT_GRADIENT] = "grad-norm",
    [NS_RESULT_QUANTITY] = "",
    [NS_RESULT_SECONDS] = "step-seconds",
    [NS_RESULT_TOKENS] = "token-norms",
    [NS_RESULT_MEMORY] = "memory",
    [NS_RESULT_ENTAILMENT] = "entailment-accuracy",
    [NS_RESULT_PARAPHRASE] = "paraphrase-accuracy",
};

/* Sections of results; every study has the first. */
static const char *const results[] = {"result", "result-2", "result-3"};
G_STATIC_ASSERT(G_N_ELEMENTS(results) == NS_RESULTS_MAX);

/* ---- Reading ---- */

typedef struct {
    NsStudy *study;
    const char *section;  /* the section that is being read; "" before the first */
    NsNamed head, named;  /* settings named before the first section; also in this lane */
    NsNamed any;          /* settings named before the first section or in any lane */
    size_t lanes;         /* number of lanes so far */
    GHashTable *sections; /* names of sections so far */
    GHashTable *keys;     /* keys of this section, except settings */
    bool draws;           /* the number of draws is given */
    NsResult *result;     /* the result of this section */
} Reader;

static bool refuse(const NsEntry *entry, const char *why, GError **error)
{
    return ns_refuse(error, NS_ERROR_SETTING, "Line %zu: %s is “%s”; %s.", entry->line, entry->key,
                     entry->value, _(why));
}

static bool read_integer(const NsEntry *entry, int64_t least, int64_t most, int64_t *value,
                         GError **error)
{
    gint64 number;
    if (!g_ascii_string_to_signed(entry->value, 10, least, most, &number, NULL)) {
        g_autofree char *why = g_strdup_printf(
            _("it must be a whole number from %" PRId64 " to %" PRId64), least, most);
        return refuse(entry, why, error);
    }
    *value = number;
    return true;
}

static bool read_limit(const NsEntry *entry, double *value, GError **error)
{
    char *end;
    *value = g_ascii_strtod(entry->value, &end);
    return (end != entry->value && !*end && isfinite(*value)) ||
           refuse(entry, "it must be a number, such as 5", error);
}

static bool read_text(const NsEntry *entry, char **text)
{
    g_free(*text);
    *text = *entry->value ? g_strdup(entry->value) : NULL;
    return true;
}

/* Reads a setting.  A setting without effect in a study is an error.  `keys` are the other keys of
 * the section. */
static bool read_setting(Reader *reader, const NsEntry *entry, size_t lane, const char *const *keys,
                         GError **error)
{
    GError *wrong = NULL;
    if (g_str_equal(entry->key, "threads"))
        return refuse(entry, "a cell has one thread, so omit it", error);
    if (!ns_param_find(entry->key))
        ns_settings_unknown(entry->key, keys, &wrong);
    else if (ns_settings_name(&reader->study->experiment.lane[lane], &reader->named, entry->key,
                              entry->value, &wrong))
        ns_named_add(&reader->any, &reader->named);
    return !wrong || ns_entry_blame(entry, wrong, error);
}

static bool read_lane(Reader *reader, const NsEntry *entry, GError **error)
{
    static const char *const keys[] = {"name", NULL};
    size_t lane = reader->lanes - 1;
    if (g_str_equal(entry->key, "name")) return read_text(entry, &reader->study->names[lane]);
    if (g_str_equal(entry->key, "seeds"))
        return refuse(entry, "all lanes have the same seeds, so write it before the first section",
                      error);
    return read_setting(reader, entry, lane, keys, error);
}

static bool can_vary(const NsEntry *entry, size_t n, GError **error)
{
    if (n < NS_STUDY_AXES) return true;
    return ns_refuse(error, NS_ERROR_SETTING,
                     "Line %zu: a section can vary %d settings; [%s] has more.", entry->line,
                     NS_STUDY_AXES, entry->section);
}

static char *assignment_of(const NsEntry *entry)
{
    return g_strdup_printf("%s=%s", entry->key, entry->value);
}

static bool read_grid(Reader *reader, const NsEntry *entry, GError **error)
{
    NsStudy *study = reader->study;
    GError *wrong = NULL;
    g_autofree char *text = assignment_of(entry);
    if (!can_vary(entry, study->n_grid, error)) return false;
    NsStudyAxis *axis = &study->grid[study->n_grid];
    if (!ns_study_axis_read(axis, text, &wrong)) return ns_entry_blame(entry, wrong, error);
    study->n_grid++;
    return true;
}

static bool read_random(Reader *reader, const NsEntry *entry, GError **error)
{
    NsStudy *study = reader->study;
    GError *wrong = NULL;
    if (g_str_equal(entry->key, "draws")) {
        reader->draws = true;
        return read_integer(entry, 1, NS_STUDY_CELLS_MAX, &study->draws, error);
    }
    if (g_str_equal(entry->key, "draw-seed"))
        return read_integer(entry, 0, G_MAXINT32, &study->draw_seed, error);
    g_autofree char *text = assignment_of(entry);
    if (!can_vary(entry, study->n_random, error)) return false;
    NsStudyDistribution *distribution = &study->random[study->n_random];
    if (!ns_study_distribution_read(distribution, text, &wrong)) {
        ns_study_distribution_clear(distribution);
        return ns_entry_blame(entry, wrong, error);
    }
    study->n_random++;
    return true;
}

static bool read_stop(Reader *reader, const NsEntry *entry, GError **error)
{
    static const char *const keys[] = {"loss-below", "loss-above", NULL};
    NsStopRules *stop = &reader->study->stop;
    if (g_str_equal(entry->key, keys[0])) return read_limit(entry, &stop->loss_below, error);
    if (g_str_equal(entry->key, keys[1])) return read_limit(entry, &stop->loss_above, error);
    return ns_entry_unknown(entry, keys, error);
}

static bool read_quantity(NsResult *result, const NsEntry *entry, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (*kinds[i] && g_str_equal(entry->value, kinds[i])) {
            result->kind = (NsResultKind)i;
            return true;
        }
    int row = ns_choices_find(ns_quantity_choice, entry->value);
    if (row < 0) {
        NsNearest nearest = {0};
        GError *wrong = NULL;
        for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
            if (*kinds[i]) ns_nearest_look(&nearest, entry->value, kinds[i]);
        for (size_t i = 0; ns_quantity_choice(i); i++)
            ns_nearest_look(&nearest, entry->value, ns_quantity_choice(i)->key);
        if (nearest.key)
            ns_refuse(&wrong, NS_ERROR_SETTING, "There is no quantity “%s”; did you mean “%s”?",
                      entry->value, nearest.key);
        else
            ns_choices_unknown("quantity", entry->value, ns_quantity_choice, &wrong);
        wrong->code = NS_ERROR_SETTING;
        return ns_entry_blame(entry, wrong, error);
    }
    result->kind = NS_RESULT_QUANTITY;
    result->quantity = (NsQuantity)row;
    return true;
}

static bool read_at(NsResult *result, const NsEntry *entry, GError **error)
{
    g_auto(GStrv) words = g_strsplit(entry->value, " ", 2);
    const char *word = words[0] ? words[0] : "", *number = words[0] ? words[1] : NULL;
    bool last = g_str_equal(word, "last"), step = g_str_equal(word, "step");
    gint64 n = 1;
    if (g_str_equal(entry->value, EVERY)) {
        result->at = NS_RESULT_EVERY;
        result->n = NS_CELL_LAST;
        return true;
    }
    bool good = number ? (last || step) && g_ascii_string_to_signed(number, 10, last ? 1 : 0,
                                                                    1000000000, &n, NULL)
                       : last || g_str_equal(word, "minimum");
    if (!good)
        return refuse(entry,
                      "it must be last, a mean such as last 10, minimum, step 100, or "
                      "every step",
                      error);
    result->at = last ? NS_RESULT_LAST : step ? NS_RESULT_STEP : NS_RESULT_MINIMUM;
    result->n = last || step ? n : 0;
    return true;
}

static bool read_result(Reader *reader, const NsEntry *entry, GError **error)
{
    static const char *const keys[] = {"quantity",       "at",     "layer", "head",
                                       "finetune-steps", "better", NULL};
    NsResult *result = reader->result;
    if (g_str_equal(entry->key, "finetune-steps"))
        return read_integer(entry, 2, 1000000000, &result->finetune, error);
    if (g_str_equal(entry->key, "quantity")) return read_quantity(result, entry, error);
    if (g_str_equal(entry->key, "at")) return read_at(result, entry, error);
    if (g_str_equal(entry->key, "head")) return read_integer(entry, 1, 256, &result->head, error);
    if (g_str_equal(entry->key, "better")) {
        result->better = g_str_equal(entry->value, "lower")    ? -1
                         : g_str_equal(entry->value, "higher") ? 1
                                                               : 0;
        return result->better || refuse(entry, "it must be lower or higher", error);
    }
    if (!g_str_equal(entry->key, "layer")) return ns_entry_unknown(entry, keys, error);
    bool all = g_str_equal(entry->value, "all");
    if (!all && !g_str_equal(entry->value, "last"))
        return read_integer(entry, 0, 20001, &result->layer, error);
    result->layer = all ? NS_LAYER_ALL : -1;
    return true;
}

static const struct {
    const char *name;
    bool (*read)(Reader *reader, const NsEntry *entry, GError **error);
} sections[] = {
    {"grid", read_grid},     {"random", read_random},   {"stop", read_stop},
    {"result", read_result}, {"result-2", read_result}, {"result-3", read_result},
};

/* Begins a section of results; returns false if it is out of order. */
static bool begin_result(Reader *reader, const char *section)
{
    NsStudy *study = reader->study;
    if (g_str_equal(section, results[0])) reader->result = &study->results.of[0];
    if (!g_str_has_prefix(section, "result-")) return true;
    if (study->results.n == NS_RESULTS_MAX || !g_str_equal(section, results[study->results.n]))
        return false;
    reader->result = &study->results.of[study->results.n++];
    *reader->result = NS_RESULT_USUAL;
    return true;
}

/* Lanes have to come in order.  Each begins with the settings from before the first section. */
static bool begin_section(Reader *reader, const NsEntry *entry, GError **error)
{
    bool lane = ns_lane_find(entry->section) == reader->lanes && reader->lanes < NS_LANES_MAX;
    bool known = lane;
    for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
        known |= g_str_equal(entry->section, sections[i].name);
    if (!known || !g_hash_table_add(reader->sections, (gpointer)(uintptr_t)entry->section) ||
        !begin_result(reader, entry->section))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "Line %zu: [%s] was not expected here; the sections are [grid], [random], "
                         "[stop], [result], [result-2] and [result-3], and the lanes [A], [B], [C] "
                         "and [D] in this order, "
                         "each once.",
                         entry->line, entry->section);
    if (!*reader->section) reader->head = reader->named;
    reader->section = entry->section;
    g_hash_table_remove_all(reader->keys);
    if (lane) {
        reader->lanes++;
        reader->named = ns_named_below(&reader->head);
    }
    return true;
}

static bool read_entry(Reader *reader, const NsEntry *entry, GError **error)
{
    if (!entry->key) return begin_section(reader, entry, error);
    bool lane = ns_lane_find(reader->section) < NS_LANES_MAX;
    bool setting = ns_param_find(entry->key) && (lane || !*reader->section);
    /* ns_settings_name checks repeated settings, which are allowed with the same value. */
    if ((!setting || g_str_equal(entry->key, "seeds")) &&
        !g_hash_table_add(reader->keys, (gpointer)(uintptr_t)entry->key))
        return ns_refuse(error, NS_ERROR_SETTING, "Line %zu: %s is given twice; omit one of them.",
                         entry->line, entry->key);
    if (!*reader->section) {
        static const char *const keys[] = {"title", "note", "seeds", NULL};
        NsStudy *study = reader->study;
        if (g_str_equal(entry->key, "title")) return read_text(entry, &study->experiment.title);
        if (g_str_equal(entry->key, "note")) return read_text(entry, &study->note);
        if (g_str_equal(entry->key, "seeds"))
            return read_integer(entry, 1, NS_STUDY_SEEDS, &study->seeds, error);
        return read_setting(reader, entry, 0, keys, error);
    }
    if (lane) return read_lane(reader, entry, error);
    for (size_t i = 0; i < G_N_ELEMENTS(sections); i++)
        if (g_str_equal(reader->section, sections[i].name))
            return sections[i].read(reader, entry, error);
    return false;
}

/* A setting that varies must not be set elsewhere or varied twice. */
static bool check_axes(const Reader *reader, GError **error)
{
    const NsStudy *study = reader->study;
    for (size_t axis = 0; axis < ns_study_axes(study); axis++) {
        const char *key = ns_study_axis_param(study, axis)->key;
        bool twice = ns_named_has(&reader->any, key);
        for (size_t other = 0; other < axis; other++)
            twice |= g_str_equal(ns_study_axis_param(study, other)->key, key);
        if (twice)
            return ns_refuse(error, NS_ERROR_SETTING,
                             "%s is varied and also given a second time; omit one of the two.",
                             key);
    }
    if ((study->n_random > 0) == reader->draws) return true;
    return ns_refuse(error, NS_ERROR_SETTING,
                     reader->draws
                         ? N_("The section [random] draws nothing; add a setting to it, such "
                              "as lr = 1e-4:1e-1:log.")
                         : N_("The section [random] needs the number of configurations to "
                              "draw, such as draws = 64."));
}

static bool check_better(NsResult *result, GError **error)
{
    int direction = ns_result_direction(result);
    if (!direction) return true;
    if (result->better == -direction)
        return ns_refuse(
            error, NS_ERROR_SETTING,
            direction < 0 ? N_("The result is a loss, of which lower values are better; omit "
                               "better = higher, or choose another quantity.")
                          : N_("The result is a BLEU score or an accuracy, of which higher values "
                               "are better; omit better = lower, or choose another quantity."));
    result->better = 0;
    return true;
}

bool ns_study_read(NsStudy *study, const char *text, size_t size, GError **error)
{
    g_autoptr(NsEntries) entries = ns_entries_new(text, size, error);
    if (!entries) return false;
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) keys = g_hash_table_new(g_str_hash, g_str_equal);
    Reader reader = {.study = study, .section = "", .sections = names, .keys = keys};
    const NsEntry *entry;
    size_t i = 0;
    for (; (entry = ns_entries_at(entries, i)) && entry->key; i++)
        if (!read_entry(&reader, entry, error)) return false;
    /* The lanes of the text are created before they are read. */
    size_t lanes = 0;
    for (size_t k = i; (entry = ns_entries_at(entries, k)); k++)
        lanes += !entry->key && ns_lane_find(entry->section) < NS_LANES_MAX;
    ns_experiment_resize(&study->experiment, CLAMP(lanes, 1, NS_LANES_MAX), 0);
    for (; (entry = ns_entries_at(entries, i)); i++)
        if (!read_entry(&reader, entry, error)) return false;
    ns_experiment_link(&study->experiment);
    bool good = check_axes(&reader, error);
    for (size_t k = 0; good && k < study->results.n; k++)
        good = check_better(&study->results.of[k], error);
    return good;
}

static void make_absolute(char **path)
{
    char *absolute = g_canonicalize_filename(*path, NULL);
    g_free(*path);
    *path = absolute;
}

bool ns_study_load(NsStudy *study, const char *path, GError **error)
{
    size_t size;
    g_autofree char *text = ns_read_file(path, NS_ENTRIES_MAX, &size, error);
    if (!text) return false;
    g_autoptr(GError) wrong = NULL;
    if (!ns_study_read(study, text, size, &wrong)) {
        g_autofree char *name = g_filename_display_basename(path);
        return ns_refuse(error, NS_ERROR_SETTING, "“%s”: %s", name, wrong->message);
    }
    /* Makes paths absolute, so that they remain valid if the study is copied. */
    g_autofree char *folder = g_path_get_dirname(path);
    ns_preset_find_texts(&study->experiment, folder);
    for (size_t lane = 0; lane < study->experiment.n; lane++) {
        NsSettings *settings = &study->experiment.lane[lane];
        char **file;
        for (size_t i = 0; (file = ns_settings_file(settings, i)); i++)
            if (**file) make_absolute(file);
        if (ns_tokenizer_is_path(settings->tokenizer)) make_absolute(&settings->tokenizer);
    }
    return true;
}

/* ---- Writing ---- */

static void write_number(GString *out, const char *key, double value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (!isnan(value)) ns_entry_write(out, key, g_ascii_dtostr(number, sizeof number, value));
}

static void write_integer(GString *out, const char *key, int64_t value)
{
    g_string_append_printf(out, "%s = %" G_GINT64_FORMAT "\n", key, value);
}

/* Writes "lr=1,2" as the entry "lr = 1,2". */
static void write_assignment(GString *out, const char *assignment)
{
    const char *equals = strchr(assignment, '=');
    g_string_append_printf(out, "%.*s = %s\n", (int)(equals - assignment), assignment, equals + 1);
}

static void write_settings(GString *out, const NsStudy *study, size_t lane, bool shared)
{
    const NsExperiment *experiment = &study->experiment;
    const NsParam *param;
    for (size_t i = 0; (param = ns_param(i)); i++) {
        bool differs = ns_experiment_differs(experiment, param);
        const NsSettings *settings = &experiment->lane[lane];
        if (shared ? differs || ns_settings_is_default(settings, param) : !differs) continue;
        if (!shared && !ns_experiment_names(experiment, lane, param)) continue;
        g_autofree char *value = ns_settings_get(settings, param);
        ns_entry_write(out, param->key, value);
    }
}

const char *ns_study_quantity_key(const NsResult *result)
{
    return result->kind == NS_RESULT_QUANTITY ? ns_quantity(result->quantity)->choice.key
                                              : kinds[result->kind];
}

char *ns_study_write(const NsStudy *study)
{
    GString *out = g_string_new(NULL);
    const NsExperiment *experiment = &study->experiment;
    if (experiment->title) ns_entry_write(out, "title", experiment->title);
    if (study->note) ns_entry_write(out, "note", study->note);
    write_settings(out, study, 0, true);
    if (study->seeds > 1) write_integer(out, "seeds", study->seeds);
    if (study->n_grid) g_string_append(out, "\n[grid]\n");
    for (size_t i = 0; i < study->n_grid; i++) {
        g_autofree char *text = ns_study_axis_text(&study->grid[i]);
        write_assignment(out, text);
    }
    if (study->n_random) {
        g_string_append(out, "\n[random]\n");
        write_integer(out, "draws", study->draws);
        if (study->draw_seed != 1) write_integer(out, "draw-seed", study->draw_seed);
        for (size_t i = 0; i < study->n_random; i++) {
            g_autofree char *text = ns_study_distribution_text(&study->random[i]);
            write_assignment(out, text);
        }
    }

    if (!isnan(study->stop.loss_below) || !isnan(study->stop.loss_above))
        g_string_append(out, "\n[stop]\n");
    write_number(out, "loss-below", study->stop.loss_below);
    write_number(out, "loss-above", study->stop.loss_above);
    for (size_t i = 0; i < study->results.n; i++) {
        const char *section = results[i];
        const NsResult *result = &study->results.of[i];
        g_string_append_printf(out, "\n[%s]\nquantity = %s\nat = ", section,
                               ns_study_quantity_key(result));
        if (result->at == NS_RESULT_MINIMUM)
            g_string_append(out, "minimum\n");
        else if (result->at == NS_RESULT_EVERY)
            g_string_append(out, EVERY "\n");
        else if (result->at == NS_RESULT_LAST && result->n == 1)
            g_string_append(out, "last\n");
        else
            g_string_append_printf(out, "%s %" G_GINT64_FORMAT "\n",
                                   result->at == NS_RESULT_LAST ? "last" : "step", result->n);
        if (result->layer >= 0) write_integer(out, "layer", result->layer);
        if (result->layer == NS_LAYER_ALL) ns_entry_write(out, "layer", "all");
        if (result->head > 1) write_integer(out, "head", result->head);
        if (result->finetune) write_integer(out, "finetune-steps", result->finetune);
        if (result->better) ns_entry_write(out, "better", result->better < 0 ? "lower" : "higher");
    }
    for (size_t lane = 0; lane < experiment->n; lane++) {
        if (experiment->n == 1 && !study->names[lane]) break;
        g_string_append_printf(out, "\n[%s]\n", ns_lane_letter(lane));
        if (study->names[lane]) ns_entry_write(out, "name", study->names[lane]);
        write_settings(out, study, lane, false);
    }
    return g_string_free(out, FALSE);
}

void ns_study_provenance(const NsStudy *study, const char *figure, NsProvenance *provenance)
{
    ns_provenance_init(provenance);
    ns_experiment_clear(&provenance->experiment);
    ns_experiment_copy(&provenance->experiment, &study->experiment);
    for (size_t lane = 0; lane < study->experiment.n; lane++)
        provenance->experiment.lane[lane].seeds = study->seeds;
    provenance->figure = g_strdup(figure);
    provenance->study_text = ns_study_write(study);
}

void ns_study_copy(NsStudy *to, const NsStudy *from)
{
    g_autofree char *text = ns_study_write(from);
    ns_study_init(to);
    ns_study_read(to, text, strlen(text), NULL);
}

/* ---- Texts for the user ---- */

/* "gradient norm of layer 3 at the end" */
static char *result_words(const NsResult *result)
{
    static const char *const labels[] = {
        [NS_RESULT_LOSS] = N_("training loss"),
        [NS_RESULT_VALIDATION] = N_("validation loss"),
        [NS_RESULT_GRADIENT] = N_("gradient norm"),
        [NS_RESULT_SECONDS] = N_("seconds per step"),
        [NS_RESULT_TOKENS] = N_("share of tokens with a squared norm above 1.1 times the mean"),
        [NS_RESULT_MEMORY] = N_("memory in bytes"),
        [NS_RESULT_ENTAILMENT] = N_("accuracy of entailment after fine-tuning"),
        [NS_RESULT_PARAPHRASE] = N_("accuracy of paraphrase after fine-tuning"),
    };
    const NsQuantityInfo *info =
        result->kind == NS_RESULT_QUANTITY ? ns_quantity(result->quantity) : NULL;
    NsDomain domain = info ? info->domain : NS_DOMAIN_STEP;
    const char *label = _(info ? info->choice.label : labels[result->kind]);
    g_autofree char *part =
        domain == NS_DOMAIN_STEP        ? g_strdup(label)
        : result->layer == NS_LAYER_ALL ? g_strdup_printf(_("%s of every layer"), label)
        : result->layer < 0             ? g_strdup_printf(_("%s of the last layer"), label)
                            : g_strdup_printf(_("%s of layer %" PRId64), label, result->layer);
    g_autofree char *place = domain == NS_DOMAIN_HEAD
                                 ? g_strdup_printf(_("%s, head %" PRId64), part, result->head)
                                 : g_strdup(part);
    if (result->at == NS_RESULT_LAST && result->n > 1 && result->kind != NS_RESULT_VALIDATION)
        return g_strdup_printf(_("%s, mean of the last %" PRId64 " records"), place, result->n);
    if (result->at == NS_RESULT_LAST) return g_strdup_printf(_("%s at the end"), place);
    if (result->at == NS_RESULT_EVERY)
        return g_strdup_printf(_("%s at every step; as one number the mean of the last %d"), place,
                               NS_CELL_LAST);
    if (result->at == NS_RESULT_STEP)
        return g_strdup_printf(_("%s at step %" PRId64), place, result->n);
    return g_strdup_printf(_("%s, lowest of the run"), place);
}

char *ns_study_result_words(const NsStudy *study)
{
    GString *words = g_string_new(NULL);
    for (size_t i = 0; i < study->results.n; i++) {
        g_autofree char *one = result_words(&study->results.of[i]);
        g_string_append_printf(words, "%s%s", i ? "; " : "", one);
    }
    return g_string_free(words, FALSE);
}
