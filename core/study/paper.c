/* A row of the table as a study, and its texts.  SPDX-License-Identifier: MIT */
#include "core/study/paper.h"

#include "core/base/words.h"
#include "core/probe/token_snapshot.h"
#include "core/store/json.h"

#include <math.h>
#include <string.h>

/* ---- Making a study ---- */

static bool same_key(const char *a, const char *b)
{
    size_t n = strcspn(a, "=");
    return n == strcspn(b, "=") && strncmp(a, b, n) == 0;
}

/* Appends the words of "layers=12 steps=0" as lines; if a key is repeated, the last one is used. */
static void add_settings(GString *text, const char *settings)
{
    g_auto(GStrv) words = g_strsplit(settings, " ", -1);
    for (char **word = words; *word; word++) {
        bool last = **word;
        for (char **other = word + 1; *other; other++) last &= !same_key(*word, *other);
        if (last) g_string_append_printf(text, "%s\n", *word);
    }
}

static const char *both(const char *settings, const char *more)
{
    g_autofree char *words = more ? g_strconcat(settings, " ", more, NULL) : g_strdup(settings);
    return g_intern_string(words);
}

NsPaperStudy ns_paper_at_its_scale(const NsPaperStudy *row)
{
    NsPaperStudy large = *row;
    if (!row->paper) return large;
    large.large = true;
    large.holds = N_("At the paper’s sizes; the data are generated unless --set names files.");
    large.settings = both(row->settings, row->paper);
    if (row->paper_grid) large.grid = row->paper_grid;
    for (unsigned arm = 0; arm < ns_paper_arms(row); arm++)
        large.arms[arm].settings = both(row->arms[arm].settings, row->arms[arm].paper);
    return large;
}

bool ns_paper_make(const NsPaperStudy *row, NsStudy *study, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_string_append_printf(text, "title = %s\nseeds = %u\n", row->choice.label, row->seeds);
    add_settings(text, row->settings);
    if (row->grid) g_string_append_printf(text, "[grid]\n%s\n", row->grid);
    g_string_append_printf(text, "[result]\n%s", row->result);
    for (unsigned arm = 0; arm < ns_paper_arms(row); arm++) {
        g_string_append_printf(text, "[%s]\nname = %s\n", ns_lane_letter(arm),
                               row->arms[arm].label);
        add_settings(text, row->arms[arm].settings);
    }
    ns_study_init(study);
    return ns_study_read(study, text->str, text->len, error);
}

NsPaperKind ns_paper_kind_of(const NsStudy *study)
{
    const NsResult *result = &study->results.of[0];
    if (result->kind == NS_RESULT_TOKENS) return NS_PAPER_TOKENS;
    if (result->at == NS_RESULT_EVERY) return NS_PAPER_STEP;
    return result->layer == NS_LAYER_ALL ? NS_PAPER_LAYER : NS_PAPER_GRID;
}

static bool has_embedding(const NsStudy *study)
{
    return ns_quantity(study->results.of[0].quantity)->domain == NS_DOMAIN_HIDDEN;
}

/* The number of steps between two points of a curve over steps. */
static int64_t stride(const NsStudy *study)
{
    return ns_result_is_validated(&study->results.of[0])
               ? MAX(study->experiment.lane[0].eval_every, 1)
               : 1;
}

size_t ns_paper_points(const NsStudy *study)
{
    const NsSettings *settings = &study->experiment.lane[0];
    switch (ns_paper_kind_of(study)) {
    case NS_PAPER_GRID:
        return study->n_grid ? study->grid[0].n : 1;
    case NS_PAPER_LAYER:
        return (size_t)(ns_settings_encoder_layers(settings) +
                        ns_settings_decoder_layers(settings)) +
               has_embedding(study);
    case NS_PAPER_STEP:
        return (size_t)(settings->steps / stride(study)) + 1;
    case NS_PAPER_TOKENS:
        return NS_TOKEN_SNAPSHOT_BINS;
    }
    return 0;
}

void ns_paper_abscissae(const NsStudy *study, double *x, size_t n)
{
    NsPaperKind kind = ns_paper_kind_of(study);
    for (size_t i = 0; i < n; i++) {
        x[i] = (double)i;
        if (kind == NS_PAPER_GRID && study->n_grid)
            x[i] = g_ascii_strtod(study->grid[0].values[i], NULL);
        if (kind == NS_PAPER_STEP) x[i] *= (double)stride(study);
        if (kind == NS_PAPER_LAYER && !has_embedding(study)) x[i]++;
        if (kind == NS_PAPER_TOKENS) x[i] *= NS_TOKEN_SNAPSHOT_BIN;
    }
}

size_t ns_paper_curves(const NsStudy *study)
{
    bool grid = ns_paper_kind_of(study) == NS_PAPER_GRID;
    return ns_study_lanes(study) * (grid ? 1 : ns_study_configurations(study));
}

const char *ns_paper_curve_label(const NsPaperStudy *row, const NsStudy *study, size_t curve)
{
    size_t arms = ns_paper_arms(row);
    const char *arm = row->arms[curve % arms].label;
    if (ns_paper_curves(study) == arms) return arm;
    g_autofree char *where = ns_study_configuration_words(study, curve / arms);
    g_autofree char *words = g_strdup_printf("%s, %s", _(arm), where);
    return g_intern_string(words);
}

/* The options by which a study differs from its row: settings of all arms, and the number of
 * seeds. */
static char *options_of(const NsPaperStudy *row, const NsStudy *study)
{
    g_auto(NsStudy) own;
    g_autoptr(GString) options = g_string_new(NULL);
    if (!ns_paper_make(row, &own, NULL)) return NULL;
    for (size_t i = 0; ns_param(i); i++) {
        const NsSettings *given = &study->experiment.lane[0];
        if (ns_settings_same(&own.experiment.lane[0], given, ns_param(i))) continue;
        g_string_append(options, options->len ? " --set" : "--set");
        ns_settings_append(options, given, ns_param(i));
    }
    if (study->seeds != own.seeds)
        g_string_append_printf(options, "%s--seeds %" G_GINT64_FORMAT, options->len ? " " : "",
                               study->seeds);
    return options->len ? g_strdup(options->str) : NULL;
}

void ns_paper_provenance(const NsPaperStudy *row, const NsStudy *study, NsProvenance *provenance)
{
    ns_provenance_init(provenance);
    provenance->study = g_strdup(row->choice.key);
    provenance->scale = row->large ? g_strdup("paper") : NULL;
    provenance->options = options_of(row, study);
    ns_experiment_set_lanes(&provenance->experiment,
                            (const NsSettings *[]){&study->experiment.lane[0]}, 1);
}

/* ---- Texts ---- */

static char *number(const char *format, double value)
{
    if (isnan(value)) return g_strdup("–");
    if (isinf(value)) return g_strdup(value > 0 ? "∞" : "−∞");
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(text, sizeof text, format, value);
    bool zero = g_ascii_strtod(text, NULL) == 0;
    if (*text != '-') return g_strdup(text);
    return zero ? g_strdup(text + 1) : g_strconcat("−", text + 1, NULL);
}

/* A format with as many decimals as are meaningful with this error. */
static const char *format_for(double error)
{
    if (!(error > 0)) return "%.2f";
    return error >= 1 ? "%.1f" : error >= 0.005 ? "%.2f" : "%.3f";
}

static char *expected_words(const NsClaim *claim)
{
    g_autofree char *at = number("%.3g", claim->expected);
    g_autofree char *lo = number("%.3g", claim->lo), *hi = number("%.3g", claim->hi);
    bool open = isinf(claim->lo), stated = !isnan(claim->expected);
    if (stated && open) return g_strdup_printf(_("expected %s (at most %s)"), at, hi);
    if (stated) return g_strdup_printf(_("expected %s (%s to %s)"), at, lo, hi);
    if (isinf(claim->hi)) return g_strdup_printf(_("expected above %s"), lo);
    if (open) return g_strdup_printf(_("expected below %s"), hi);
    return g_strdup_printf(_("expected %s to %s"), lo, hi);
}

char *ns_claim_words(const NsClaim *claim)
{
    g_autofree char *expected = expected_words(claim);
    return g_strdup_printf("%s: %s", _(claim->label), expected);
}

NsVerdict ns_claim_verdict(const NsClaim *claim, double value, double reach)
{
    if (isnan(value)) return NS_VERDICT_UNDECIDED;
    double from = value - reach, to = value + reach;
    if (from >= claim->lo && to <= claim->hi) return NS_VERDICT_AGREES;
    return to < claim->lo || from > claim->hi ? NS_VERDICT_DISAGREES : NS_VERDICT_UNDECIDED;
}

const char *ns_verdict_word(NsVerdict verdict)
{
    static const char *const words[] = {
        [NS_VERDICT_AGREES] = N_("agrees"),
        [NS_VERDICT_UNDECIDED] = N_("undecided"),
        [NS_VERDICT_DISAGREES] = N_("disagrees"),
    };
    return words[verdict];
}

char *ns_finding_words(const NsFinding *finding)
{
    const char *format = format_for(finding->reach);
    g_autofree char *value = number(format, finding->value);
    g_autofree char *reach = number(format, finding->reach);
    g_autofree char *measured =
        finding->reach > 0 ? g_strdup_printf("%s ± %s (95%%)", value, reach) : g_strdup(value);
    g_autofree char *expected = expected_words(finding->claim);
    return g_strdup_printf("%s %s, %s: %s", _(finding->claim->label), measured, expected,
                           _(ns_verdict_word(finding->verdict)));
}

/* ---- JSON ---- */

/* Values after a run has diverged are null. */
static void write_values(NsJson *json, const char *key, const double *values, size_t n)
{
    ns_json_open(json, key, '[');
    for (size_t i = 0; i < n; i++) ns_json_known(json, NULL, values[i]);
    ns_json_close(json, ']');
}

static void write_bound(NsJson *json, const char *key, double value)
{
    if (isfinite(value))
        ns_json_double(json, key, value);
    else
        ns_json_null(json, key);
}

static void write_finding(NsJson *json, const NsFinding *finding, const NsStudy *made)
{
    ns_json_open(json, NULL, '{');
    ns_json_string(json, "label", finding->claim->label);
    ns_json_string(json, "quantity",
                   ns_study_quantity_key(&made->results.of[finding->claim->result]));
    write_bound(json, "value", finding->value);
    write_bound(json, "error", finding->error);
    write_bound(json, "reach", finding->reach);
    write_bound(json, "expected", finding->claim->expected);
    ns_json_open(json, "range", '[');
    write_bound(json, NULL, finding->claim->lo);
    write_bound(json, NULL, finding->claim->hi);
    ns_json_close(json, ']');
    ns_json_string(json, "verdict", ns_verdict_word(finding->verdict));
    ns_json_bool(json, "agrees", finding->verdict == NS_VERDICT_AGREES);
    ns_json_close(json, '}');
}

char *ns_paper_json(const NsPaperResult *result)
{
    const NsPaperStudy *study = result->study;
    g_auto(NsStudy) made;
    ns_paper_make(study, &made, NULL);
    NsJson json;
    ns_json_init(&json);
    ns_json_string(&json, "study", study->choice.key);
    ns_json_string(&json, "title", study->choice.label);
    ns_json_string(&json, "reference", study->choice.reference);
    ns_json_string(&json, "says", study->says);
    ns_json_string(&json, "holds", study->holds);
    ns_json_string(&json, "verdict", ns_verdict_word(result->verdict));
    ns_json_bool(&json, "agrees", result->verdict == NS_VERDICT_AGREES);
    ns_json_double(&json, "seconds", result->seconds);
    ns_json_open(&json, "findings", '[');
    for (size_t i = 0; i < result->n_findings; i++)
        write_finding(&json, &result->findings[i], &made);
    ns_json_close(&json, ']');
    ns_json_open(&json, "series", '[');
    for (size_t i = 0; i < result->n_series; i++) {
        const NsPaperSeries *series = &result->series[i];
        ns_json_open(&json, NULL, '{');
        ns_json_string(&json, "label", series->label);
        ns_json_string(&json, "quantity", ns_study_quantity_key(&made.results.of[series->result]));
        ns_json_bool(&json, "theory", series->theory);
        write_values(&json, "x", series->x, series->n);
        write_values(&json, "y", series->y, series->n);
        if (series->lo) write_values(&json, "lo", series->lo, series->n);
        if (series->hi) write_values(&json, "hi", series->hi, series->n);
        ns_json_open(&json, "seeds", '[');
        for (size_t seed = 0; seed < series->seeds; seed++)
            write_values(&json, NULL, series->singles + seed * series->n, series->n);
        ns_json_close(&json, ']');
        ns_json_close(&json, '}');
    }
    ns_json_close(&json, ']');
    ns_json_program(&json);
    return ns_json_finish(&json);
}
