/* SPDX-License-Identifier: MIT */
#include "core/study/study.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/words.h"
#include "core/data/reader.h"
#include "core/data/task.h"
#include "core/data/tokenizer.h"
#include "core/experiment/param.h"
#include "core/probe/quantity.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Has to be incremented when the inputs of the hash change; then all cells are run again. */
#define HASH_VERSION 1

void ns_study_init(NsStudy *study)
{
    *study = (NsStudy){
        .seeds = 1,
        .draws = 1,
        .draw_seed = 1,
        .stop = {NAN, NAN},
        .results = {{NS_RESULT_USUAL}, 1},
    };
    ns_experiment_init(&study->experiment);
}

static void forget_contents(NsStudy *study)
{
    for (size_t i = 0; i < NS_LANES_MAX; i++) g_clear_pointer(&study->contents[i], g_free);
}

void ns_study_clear(NsStudy *study)
{
    ns_experiment_clear(&study->experiment);
    g_clear_pointer(&study->note, g_free);
    for (size_t i = 0; i < NS_LANES_MAX; i++) g_clear_pointer(&study->names[i], g_free);
    for (size_t i = 0; i < study->n_grid; i++) ns_study_axis_clear(&study->grid[i]);
    for (size_t i = 0; i < study->n_random; i++) ns_study_distribution_clear(&study->random[i]);
    study->n_grid = study->n_random = 0;
    forget_contents(study);
}

/* ---- Cells ---- */

static size_t grid_points(const NsStudy *study)
{
    size_t n = 1;
    for (size_t i = 0; i < study->n_grid; i++) n *= study->grid[i].n;
    return n;
}

size_t ns_study_configurations(const NsStudy *study)
{
    return grid_points(study) * (size_t)study->draws;
}

size_t ns_study_cells(const NsStudy *study)
{
    return ns_study_configurations(study) * study->experiment.n * (size_t)study->seeds;
}

NsStudyPlace ns_study_place(const NsStudy *study, size_t i)
{
    size_t seeds = (size_t)study->seeds, lanes = study->experiment.n;
    return (NsStudyPlace){
        .configuration = i / seeds / lanes, .lane = i / seeds % lanes, .seed = i % seeds};
}

size_t ns_study_cell(const NsStudy *study, NsStudyPlace place)
{
    return (place.configuration * study->experiment.n + place.lane) * (size_t)study->seeds +
           place.seed;
}

size_t ns_study_axes(const NsStudy *study)
{
    return study->n_grid + study->n_random;
}

const NsParam *ns_study_axis_param(const NsStudy *study, size_t axis)
{
    return axis < study->n_grid ? study->grid[axis].param
                                : study->random[axis - study->n_grid].param;
}

/* The first axis of the grid changes fastest. */
char *ns_study_axis_value(const NsStudy *study, size_t axis, size_t configuration)
{
    size_t points = grid_points(study), rest = configuration % points;
    if (axis >= study->n_grid)
        return ns_study_distribution_draw(&study->random[axis - study->n_grid],
                                          (uint64_t)study->draw_seed, configuration / points);
    for (size_t i = 0; i < axis; i++) rest /= study->grid[i].n;
    return g_strdup(study->grid[axis].values[rest % study->grid[axis].n]);
}

void ns_study_cell_settings(const NsStudy *study, size_t i, NsSettings *settings)
{
    NsStudyPlace place = ns_study_place(study, i);
    ns_settings_copy(settings, &study->experiment.lane[place.lane]);
    for (size_t axis = 0; axis < ns_study_axes(study); axis++) {
        g_autofree char *value = ns_study_axis_value(study, axis, place.configuration);
        ns_settings_set(settings, ns_study_axis_param(study, axis)->key, value, NULL);
    }
    settings->seeds = 1;
    settings->threads = 1;
    settings->seed += (int64_t)place.seed;
    settings->data_seed += (int64_t)place.seed;
}

char *ns_study_configuration_words(const NsStudy *study, size_t configuration)
{
    GString *words = g_string_new(NULL);
    for (size_t axis = 0; axis < ns_study_axes(study); axis++) {
        g_autofree char *value = ns_study_axis_value(study, axis, configuration);
        g_string_append_printf(words, "%s%s=%s", words->len ? " " : "",
                               ns_study_axis_param(study, axis)->key, value);
    }
    return g_string_free(words, FALSE);
}

char *ns_study_lane_words(const NsStudy *study, size_t lane)
{
    const char *name = study->names[lane], *letter = ns_lane_letter(lane);
    if (study->experiment.n == 1) return g_strdup(name ? name : "all");
    return name ? g_strdup_printf("%s %s", letter, name) : g_strdup(letter);
}

/* ---- Changes ---- */

bool ns_study_set(NsStudy *study, const char *assignment, GError **error)
{
    g_autofree char *key = g_strndup(assignment, strcspn(assignment, "="));
    g_strstrip(key);
    bool is_varied = false;
    for (size_t axis = 0; axis < ns_study_axes(study); axis++)
        is_varied |= g_str_equal(ns_study_axis_param(study, axis)->key, key);
    if (is_varied)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The study varies %s, and one value would replace all of them; change "
                         "the study instead.",
                         key);
    if (g_str_equal(key, "threads") || g_str_equal(key, "seeds"))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "A cell is one run with one seed and one thread, so “%s” would have no "
                         "effect; use --seeds to set the number of seeds.",
                         key);
    for (size_t lane = 0; lane < study->experiment.n; lane++)
        if (!ns_settings_assign(&study->experiment.lane[lane], assignment, error)) return false;
    ns_experiment_link(&study->experiment);
    return true;
}

/* ---- Checks ---- */

static bool add_content(GChecksum *sum, const char *path, GError **error)
{
    gsize size;
    g_autofree char *text = ns_read_file(path, NS_TEXT_MAX, &size, error);
    if (!text) return false;
    g_autofree char *head = g_strdup_printf("%" G_GSIZE_FORMAT "\n", size);
    g_checksum_update(sum, (const guchar *)head, -1);
    g_checksum_update(sum, (const guchar *)text, (gssize)size);
    return true;
}

/* Hashes the contents of the training files, not their paths. */
static bool read_contents(NsStudy *study, size_t lane, GError **error)
{
    NsSettings *settings = &study->experiment.lane[lane];
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_auto(GStrv) files = ns_tokenizer_files(settings->tokenizer);
    char **path;
    for (size_t i = 0; (path = ns_settings_file(settings, i)); i++)
        if (!**path)
            g_checksum_update(sum, (const guchar *)"-\n", -1);
        else if (!add_content(sum, *path, error))
            return false;
    for (size_t i = 0; files[i]; i++)
        if (!add_content(sum, files[i], error)) return false;
    if (g_str_equal(settings->tokenizer, "bpe")) g_checksum_update(sum, (const guchar *)"bpe", 3);
    study->contents[lane] = g_strdup(g_checksum_get_string(sum));
    return true;
}

/* A curve is over steps, or over layers or bins at one step, but not both. */
static bool check_curve(const NsResult *result, GError **error)
{
    bool one_step =
        result->at == NS_RESULT_STEP || (result->at == NS_RESULT_LAST && result->n == 1);
    bool along = result->layer == NS_LAYER_ALL || result->kind == NS_RESULT_TOKENS;
    if (result->layer == NS_LAYER_ALL &&
        (result->kind != NS_RESULT_QUANTITY ||
         (ns_quantity(result->quantity)->domain != NS_DOMAIN_LAYER &&
          ns_quantity(result->quantity)->domain != NS_DOMAIN_HIDDEN)))
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The result is of all layers, but the quantity has no values by layer; "
                         "omit layer in [result].");
    if (!along || one_step) return true;
    return ns_refuse(error, NS_ERROR_SETTING,
                     "A result of all layers or of token-norms is taken at a single step; set at = "
                     "last or at = step N in [result].");
}

/* If there are several results, their curves must have the same points. */
static bool check_more(const NsStudy *study, GError **error)
{
    const NsResult *first = &study->results.of[0];
    bool alike = true, plain = true;
    for (size_t i = 0; i < study->results.n; i++) {
        const NsResult *result = &study->results.of[i];
        bool every = result->at == NS_RESULT_EVERY;
        alike &= every == (first->at == NS_RESULT_EVERY);
        if (every) alike &= ns_result_is_validated(result) == ns_result_is_validated(first);
        plain &= result->layer != NS_LAYER_ALL && result->kind != NS_RESULT_TOKENS;
    }
    if (study->results.n == 1 || (alike && plain)) return true;
    return ns_refuse(
        error, NS_ERROR_SETTING,
        plain ? N_("The results of a study must be of one kind: each a single number, or "
                   "each at every step, where all or none are measured with the "
                   "validation loss; change “at” in [result] and the sections after it.")
              : N_("A result of all layers or of token-norms is the only one of a study; "
                   "omit the sections after [result]."));
}

static bool check_results(const NsStudy *study, const NsSettings *settings, GError **error)
{
    bool mlm = g_str_equal(ns_task(settings->task)->choice.key, "mlm");
    int64_t layers = ns_settings_encoder_layers(settings) + ns_settings_decoder_layers(settings);
    for (size_t i = 0; i < study->results.n; i++) {
        const NsResult *result = &study->results.of[i];
        bool at_step = result->at == NS_RESULT_STEP;
        if (settings->steps < 1 && !(at_step && result->n == 0))
            return ns_refuse(
                error, NS_ERROR_SETTING,
                "A study needs a number of steps, such as steps = 200; 0 is enough only "
                "for a result at step 0.");
        if (at_step && result->n > settings->steps)
            return ns_refuse(error, NS_ERROR_SETTING,
                             "The result is at step %" PRId64 ", but the runs end at step "
                             "%" PRId64 "; raise steps.",
                             result->n, settings->steps);
        const char *every =
            result->kind == NS_RESULT_QUANTITY ? ns_quantity(result->quantity)->every : NULL;
        bool never = every && !ns_quantity(result->quantity)->validated &&
                     ns_settings_get_number(settings, ns_param_find(every)) < 1;
        bool often = result->at == NS_RESULT_MINIMUM || result->at == NS_RESULT_EVERY ||
                     (result->at == NS_RESULT_LAST && result->n > 1);
        if (never && often)
            return ns_refuse(error, NS_ERROR_SETTING,
                             "The quantity “%s” is expensive and measured at the end only; set "
                             "%s, or choose “at = last”.",
                             ns_quantity(result->quantity)->choice.key, every);

        if (result->kind == NS_RESULT_QUANTITY && result->layer > layers)
            return ns_refuse(error, NS_ERROR_SETTING,
                             "The result is of layer %" PRId64 ", but there are %" PRId64
                             " layers; name another layer in [result].",
                             result->layer, layers);
        if (ns_result_is_downstream(result) && !mlm)
            return ns_refuse(
                error, NS_ERROR_SETTING,
                "Fine-tuning needs an encoder of the task mlm; set task = mlm and arch = encoder.");
    }
    return true;
}

static bool check_cell(const NsStudy *study, size_t i, GError **error)
{
    g_auto(NsSettings) settings;
    g_autoptr(GError) wrong = NULL;
    ns_study_cell_settings(study, i, &settings);
    if (ns_settings_check(&settings, &wrong) && check_results(study, &settings, &wrong))
        return true;
    NsStudyPlace place = ns_study_place(study, i);
    g_autofree char *words = ns_study_configuration_words(study, place.configuration);
    if (*words) g_prefix_error(&wrong, "At %s: ", words);
    if (study->experiment.n > 1) g_prefix_error(&wrong, "Lane %s: ", ns_lane_letter(place.lane));
    g_propagate_error(error, g_steal_pointer(&wrong));
    return false;
}

bool ns_study_check_cells(const NsStudy *study, GError **error)
{
    double cells = (double)study->experiment.n * (double)study->seeds * (double)study->draws;
    for (size_t i = 0; i < study->n_grid; i++) cells *= (double)study->grid[i].n;
    if (cells > NS_STUDY_CELLS_MAX)
        return ns_refuse(error, NS_ERROR_SETTING,
                         "The study has %.0f cells, more than the limit of %d; shorten an axis, or "
                         "draw configurations at random instead of taking every combination.",
                         cells, NS_STUDY_CELLS_MAX);
    for (size_t i = 0; i < study->results.n; i++)
        if (!check_curve(&study->results.of[i], error)) return false;
    if (!check_more(study, error)) return false;
    for (size_t i = 0; i < ns_study_cells(study); i++)
        if (!check_cell(study, i, error)) return false;
    return true;
}

bool ns_study_check(NsStudy *study, GError **error)
{
    forget_contents(study);
    for (size_t lane = 0; lane < study->experiment.n; lane++)
        if (!read_contents(study, lane, error)) return false;
    return ns_study_check_cells(study, error);
}

/* ---- Hashes ---- */

/* Whether a setting does not affect the results of a cell, or is set by the study. */
static bool is_idle(const NsStudy *study, const NsParam *param)
{
    static const char *const idle[] = {"threads", "seeds", "recompute", "tokenizer", NULL};
    /* The hash contains the contents of files instead of their paths. */
    if (ns_param_is_file(param) || g_strv_contains(idle, param->key)) return true;
    return g_str_equal(param->key, "eval-every") && !ns_results_are_validated(&study->results);
}

static void add_number(GString *text, const char *key, double value)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_string_append_printf(text, "%s=%s\n", key, g_ascii_dtostr(number, sizeof number, value));
}

void ns_study_hash(const NsStudy *study, size_t i, char *hash)
{
    g_auto(NsSettings) settings;
    g_autoptr(GString) text = g_string_new(NULL);
    ns_study_cell_settings(study, i, &settings);
    g_string_append_printf(text, "version=%d\ncontents=%s\n", HASH_VERSION,
                           study->contents[ns_study_place(study, i).lane]);
    for (size_t k = 0; k < NS_PARAM_COUNT; k++) {
        const NsParam *param = ns_param(k);
        if (is_idle(study, param)) continue;
        if (ns_param_is_number(param)) {
            add_number(text, param->key, ns_settings_get_number(&settings, param));
        } else {
            g_autofree char *word = ns_settings_get(&settings, param);
            g_string_append_printf(text, "%s=%s\n", param->key, word);
        }
    }
    add_number(text, "loss-below", study->stop.loss_below);
    add_number(text, "loss-above", study->stop.loss_above);
    for (size_t k = 0; k < study->results.n; k++) {
        const NsResult *result = &study->results.of[k];
        const char *key =
            result->kind == NS_RESULT_QUANTITY ? ns_quantity(result->quantity)->choice.key : "";
        g_string_append_printf(
            text, "result=%u %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %u %" G_GINT64_FORMAT,
            result->kind, key, result->layer, result->head, result->at, result->n);
        if (result->finetune) add_number(text, " finetune", (double)result->finetune);
    }
    g_autofree char *sum =
        g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, (gssize)text->len);
    g_strlcpy(hash, sum, NS_STUDY_HASH + 1);
}
