/* Output of the command “study”.  SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/store/json.h"
#include "core/store/output_file.h"
#include "core/study/compare.h"
#include "core/study/statistics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The most configurations that the table lists one by one. */
#define MOST_ROWS 40

/* ---- Table ---- */

typedef struct {
    size_t n, diverged, waiting;
    NsMoments of; /* over the n seeds with a result */
} Seeds;

#define CELL 26

static void show_configurations(const NsStudyResults *r)
{
    size_t n = ns_study_configurations(r->study), lanes = r->study->experiment.n;
    if (n > MOST_ROWS) {
        printf("%zu configurations; --csv and --json have every one\n", n);
        return;
    }
    g_autoptr(GString) row = g_string_new(NULL);
    for (size_t lane = 0; lane < lanes; lane++) {
        g_autofree char *name = ns_study_lane_words(r->study, lane);
        ns_row_add(row, CELL, "%s", name);
    }
    g_string_append(row, n > 1 ? "  configuration" : "");
    ns_row_print(row);
    for (size_t i = 0; i < n; i++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            Seeds seeds = {0};
            double values[NS_STUDY_SEEDS];
            for (size_t seed = 0; seed < (size_t)r->study->seeds; seed++) {
                NsStudyPlace place = {i, lane, seed};
                const NsStudyCell *cell = &r->cells[ns_study_cell(r->study, place)];
                seeds.diverged += cell->state == NS_CELL_DIVERGED;
                seeds.waiting += cell->state <= NS_CELL_RUNNING;
                if (!isnan(cell->value)) values[seeds.n++] = cell->value;
            }
            seeds.of = ns_moments(values, seeds.n);

            /* "2.31 ± 0.04", and how many seeds diverged. */
            g_autoptr(GString) words = g_string_new(NULL);
            char number[G_ASCII_DTOSTR_BUF_SIZE];
            if (seeds.n)
                g_string_append(words,
                                g_ascii_formatd(number, sizeof number, "%.4g", seeds.of.mean));
            if (seeds.n > 1)
                g_string_append_printf(words, " ± %s",
                                       g_ascii_formatd(number, sizeof number, "%.2g", seeds.of.sd));
            if (seeds.diverged)
                g_string_append_printf(words, "%s%zu diverged", words->len ? ", " : "",
                                       seeds.diverged);
            if (!words->len) g_string_append(words, seeds.waiting ? "waiting" : NS_ABSENT);
            ns_row_add(row, CELL, "%s", words->str);
        }
        g_autofree char *words = ns_study_configuration_words(r->study, i);
        g_string_append_printf(row, "  %s", words);
        ns_row_print(row);
    }
}

/* Comparison of lanes and sensitivity to the learning rate, if the study allows them. */

#define BUDGET 5
#define INTERVAL 32

static void add_interval(GString *row, const NsInterval *interval, const char *format)
{
    char value[G_ASCII_DTOSTR_BUF_SIZE], lo[G_ASCII_DTOSTR_BUF_SIZE], hi[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(value, sizeof value, format, interval->value);
    if (isnan(interval->value))
        ns_row_add(row, INTERVAL, NS_ABSENT);
    else if (isnan(interval->lo))
        ns_row_add(row, INTERVAL, "%s", value);
    else
        ns_row_add(row, INTERVAL, "%s [%s, %s]", value,
                   g_ascii_formatd(lo, sizeof lo, format, interval->lo),
                   g_ascii_formatd(hi, sizeof hi, format, interval->hi));
}

static void add_lanes(GString *row, const NsStudy *study)
{
    for (size_t lane = 0; lane < study->experiment.n; lane++) {
        g_autofree char *name = ns_study_lane_words(study, lane);
        ns_row_add(row, INTERVAL, "%s", name);
    }
}

static void show_sensitivity(const NsStudy *study, const NsSensitivity *s)
{
    printf("\nBest result at each learning rate%s\n",
           isnan(s->sensitivity[0].lo) ? "" : ", with 95% intervals over the seeds");
    g_autoptr(GString) row = g_string_new(NULL);
    ns_row_add(row, 10, "lr");
    add_lanes(row, study);
    ns_row_print(row);
    for (size_t i = 0; i < s->n; i++) {
        ns_row_number(row, 10, "%.3g", s->rates[i]);
        for (size_t lane = 0; lane < study->experiment.n; lane++)
            add_interval(row, &s->scores[lane][i], "%.4g");
        ns_row_print(row);
    }
    g_string_append(row, ns_study_better(study) < 0 ? "mean−best " : "best−mean ");
    for (size_t lane = 0; lane < study->experiment.n; lane++)
        add_interval(row, &s->sensitivity[lane], "%.3g");
    g_string_append(row, "  sensitivity");
    ns_row_print(row);
}

static void show_comparison(const NsStudyResults *r)
{
    g_autoptr(GError) reason = NULL;
    g_autofree NsComparison *c = ns_comparison_new(r, &reason);
    g_autoptr(NsSensitivity) s = ns_sensitivity_new(r, NULL);
    size_t untrained = 0;
    if (!c && r->study->experiment.n > 1) printf("\n%s\n", reason->message);
    if (c) {
        printf("\nExpected best result of k of the %zu configurations%s; %s is better\n",
               c->configurations, isnan(c->best[0][0].lo) ? "" : ", with 95% intervals",
               c->better < 0 ? "lower" : "higher");
        g_autoptr(GString) row = g_string_new("    k");
        add_lanes(row, r->study);
        ns_row_print(row);
        for (size_t i = 0; i < c->n_budgets; i++) {
            ns_row_add(row, BUDGET, "%zu", c->budgets[i]);
            for (size_t lane = 0; lane < c->lanes; lane++)
                add_interval(row, &c->best[lane][i], "%.4g");
            ns_row_print(row);
        }
        for (size_t lane = 0; lane < c->lanes; lane++) untrained += c->untrained[lane];
        for (size_t one = 0; one < c->lanes; one++)
            for (size_t other = one + 1; other < c->lanes; other++) {
                const char *a = ns_lane_letter(one), *b = ns_lane_letter(other);
                printf("\n%s against %s, each with its best of k configurations\n", a, b);
                g_string_assign(row, "    k");
                ns_row_add(row, INTERVAL, "%s − %s", a, b);
                ns_row_add(row, INTERVAL, "probability that %s wins", a);
                ns_row_print(row);
                for (size_t i = 0; i < c->n_budgets; i++) {
                    const NsDuel *duel = &c->duels[one][other][i];
                    ns_row_add(row, BUDGET, "%zu", c->budgets[i]);
                    add_interval(row, &duel->difference, "%.3g");
                    add_interval(row, &(NsInterval){duel->beats, NAN, NAN}, "%.2f");
                    ns_row_print(row);
                }
            }
        if (c->lanes > 1) {
            size_t k = c->budgets[c->n_budgets - 1];
            if (c->no_verdict) printf("\n%s\n", c->no_verdict);
            for (size_t one = 0; !c->no_verdict && one < c->lanes; one++)
                for (size_t other = one + 1; other < c->lanes; other++) {
                    NsBetter better = c->verdicts[one][other];
                    printf("%sVerdict, %s against %s at k = %zu: ", one || other > 1 ? "" : "\n",
                           ns_lane_letter(one), ns_lane_letter(other), k);
                    if (better == NS_BETTER_NEITHER)
                        puts("undecided");
                    else
                        printf("%s is better\n",
                               ns_lane_letter(better == NS_BETTER_A ? one : other));
                }
        }
    }
    if (s) show_sensitivity(r->study, s);
    if (untrained && !ns_result_is_loss(&r->study->results.of[0]))
        printf("\n%zu runs have no result; in the comparison they count as the worst of the "
               "study.\n",
               untrained);
    else if (untrained)
        printf("\n%zu runs diverged or ended above the loss of the untrained model; in the "
               "comparison they\ncount as the untrained model.\n",
               untrained);
}

/* ---- The whole study ---- */

static void count_word(GHashTable *words, const char *word)
{
    if (!word) return;
    size_t n = GPOINTER_TO_SIZE(g_hash_table_lookup(words, word));
    g_hash_table_insert(words, (gpointer)(uintptr_t)word, GSIZE_TO_POINTER(n + 1));
}

/* Reports mixed programs or instruction sets, because the bits of results depend on both. */
static void show_mixture(GHashTable *words, const char *what)
{
    if (g_hash_table_size(words) < 2) return;
    GHashTableIter iter;
    gpointer word, n;
    g_autoptr(GString) list = g_string_new(NULL);
    g_hash_table_iter_init(&iter, words);
    while (g_hash_table_iter_next(&iter, &word, &n))
        g_string_append_printf(list, "%s%s (%zu)", list->len ? ", " : "", (const char *)word,
                               GPOINTER_TO_SIZE(n));
    printf("The cells ran with different %s: %s.  They agree to rounding, not bit for bit.\n", what,
           list->str);
}

void ns_study_show_table(const NsStudyResults *r)
{
    size_t cells = ns_study_cells(r->study);
    g_autofree char *what = ns_study_result_words(r->study);
    if (r->study->experiment.title) printf("%s\n", r->study->experiment.title);
    printf("%s; %" G_GINT64_FORMAT " %s; %zu of %zu cells", what, r->study->seeds,
           r->study->seeds == 1 ? "seed" : "seeds, mean ± standard deviation", r->ended, cells);
    if (r->diverged) printf(", %zu diverged", r->diverged);
    if (r->failed) printf(", %zu failed (%s)", r->failed, r->failure);
    printf("\n\n");
    show_configurations(r);
    show_comparison(r);
    g_autoptr(GHashTable) programs = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) instructions = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; i < ns_study_cells(r->study); i++) {
        count_word(programs, r->origins[i].program);
        count_word(instructions, r->origins[i].instructions);
    }
    show_mixture(programs, "programs");
    show_mixture(instructions, "instruction sets");
}

/* ---- JSON ---- */

static int64_t seed_of(const NsStudy *study, NsStudyPlace place)
{
    NsSettings settings;
    ns_study_cell_settings(study, ns_study_cell(study, place), &settings);
    int64_t seed = settings.seed;
    ns_settings_clear(&settings);
    return seed;
}

static void write_interval(NsJson *json, const char *key, const NsInterval *interval)
{
    ns_json_open(json, key, '{');
    ns_json_known(json, "value", interval->value);
    ns_json_known(json, "lo", interval->lo);
    ns_json_known(json, "hi", interval->hi);
    ns_json_close(json, '}');
}

static void write_comparison(NsJson *json, const NsComparison *c)
{
    ns_json_open(json, "comparison", '{');
    ns_json_int(json, "configurations", (int64_t)c->configurations);
    ns_json_string(json, "better", c->better < 0 ? "lower" : "higher");
    ns_json_open(json, "best_of_k", '[');
    for (size_t lane = 0; lane < c->lanes; lane++)
        for (size_t i = 0; i < c->n_budgets; i++) {
            ns_json_open(json, NULL, '{');
            ns_json_string(json, "lane", ns_lane_letter(lane));
            ns_json_int(json, "k", (int64_t)c->budgets[i]);
            write_interval(json, "best", &c->best[lane][i]);
            ns_json_close(json, '}');
        }
    ns_json_close(json, ']');
    ns_json_open(json, "pairs", '[');
    for (size_t one = 0; one < c->lanes; one++)
        for (size_t other = one + 1; other < c->lanes; other++) {
            static const char *const words[] = {"a", "undecided", "b", "no verdict"};
            ns_json_open(json, NULL, '{');
            ns_json_string(json, "a", ns_lane_letter(one));
            ns_json_string(json, "b", ns_lane_letter(other));
            ns_json_open(json, "budgets", '[');
            for (size_t i = 0; i < c->n_budgets; i++) {
                const NsDuel *duel = &c->duels[one][other][i];
                ns_json_open(json, NULL, '{');
                ns_json_int(json, "k", (int64_t)c->budgets[i]);
                write_interval(json, "difference", &duel->difference);
                ns_json_known(json, "a_wins", duel->beats);
                ns_json_string(json, "better", words[duel->better]);
                ns_json_close(json, '}');
            }
            ns_json_close(json, ']');
            ns_json_string(json, "verdict", words[c->verdicts[one][other]]);
            ns_json_close(json, '}');
        }
    ns_json_close(json, ']');
    ns_json_close(json, '}');
}

static void write_cell(NsJson *json, const NsStudyResults *r, size_t i)
{
    NsStudyPlace place = ns_study_place(r->study, i);
    const NsStudyCell *cell = &r->cells[i];
    ns_json_open(json, NULL, '{');
    ns_json_string(json, "lane", ns_lane_letter(place.lane));
    ns_json_open(json, "configuration", '{');
    for (size_t axis = 0; axis < ns_study_axes(r->study); axis++) {
        g_autofree char *key = ns_json_key(ns_study_axis_param(r->study, axis)->key);
        g_autofree char *value = ns_study_axis_value(r->study, axis, place.configuration);
        ns_json_string(json, key, value);
    }
    ns_json_close(json, '}');
    ns_json_int(json, "seed", seed_of(r->study, place));
    ns_json_string(json, "state", ns_cell_state_word(cell->state));
    ns_json_int(json, "step", cell->step);
    ns_json_known(json, "first", cell->first);
    ns_json_known(json, "value", cell->value);
    ns_json_known(json, "loss", cell->loss);
    ns_json_known(json, "validation_loss", cell->validation);
    ns_json_double(json, "seconds", cell->seconds);
    ns_json_string(json, "program", r->origins[i].program);
    ns_json_string(json, "instructions", r->origins[i].instructions);
    if (*cell->text) ns_json_string(json, "message", cell->text);
    ns_json_close(json, '}');
}

void ns_study_show_json(const NsStudyResults *r)
{
    NsJson json;
    g_autofree char *what = ns_study_result_words(r->study);
    ns_json_init(&json);
    ns_json_string(&json, "title", r->study->experiment.title);
    ns_json_string(&json, "result", what);
    ns_json_open(&json, "lanes", '[');
    for (size_t lane = 0; lane < r->study->experiment.n; lane++) {
        ns_json_open(&json, NULL, '{');
        ns_json_string(&json, "lane", ns_lane_letter(lane));
        ns_json_string(&json, "name", r->study->names[lane]);
        ns_json_settings(&json, &r->study->experiment.lane[lane]);
        ns_json_close(&json, '}');
    }
    ns_json_close(&json, ']');
    ns_json_open(&json, "cells", '[');
    for (size_t i = 0; i < ns_study_cells(r->study); i++) write_cell(&json, r, i);
    ns_json_close(&json, ']');
    g_autofree NsComparison *comparison = ns_comparison_new(r, NULL);
    g_autoptr(NsSensitivity) sensitivity = ns_sensitivity_new(r, NULL);
    if (comparison) write_comparison(&json, comparison);
    if (sensitivity) {
        ns_json_open(&json, "sensitivity", '[');
        for (size_t lane = 0; lane < r->study->experiment.n; lane++) {
            ns_json_open(&json, NULL, '{');
            ns_json_string(&json, "lane", ns_lane_letter(lane));
            write_interval(&json, "sensitivity", &sensitivity->sensitivity[lane]);
            ns_json_doubles(&json, "lr", sensitivity->rates, sensitivity->n);
            ns_json_open(&json, "best", '[');
            for (size_t i = 0; i < sensitivity->n; i++)
                write_interval(&json, NULL, &sensitivity->scores[lane][i]);
            ns_json_close(&json, ']');
            ns_json_close(&json, '}');
        }
        ns_json_close(&json, ']');
    }
    ns_json_program(&json);
    g_autofree char *text = ns_json_finish(&json);
    puts(text);
}

/* ---- CSV ---- */

static void add_field(GString *line, const char *text)
{
    if (line->len) g_string_append_c(line, ',');
    if (text) ns_csv_add_field(line, text);
}

bool ns_study_write_csv(const NsStudyResults *r, const char *path, GError **error)
{
    NsLines *lines = ns_lines_open(path, false, error);
    if (!lines) return false;
    static const char *const rest[] = {
        "seed", "state",           "step",    "first_loss", "value",
        "loss", "validation_loss", "seconds", "program",    "instructions"};
    g_autoptr(GString) line = g_string_new("lane,name");
    for (size_t axis = 0; axis < ns_study_axes(r->study); axis++) {
        g_autofree char *key = ns_json_key(ns_study_axis_param(r->study, axis)->key);
        /* Every study has a column “seed”. */
        add_field(line, g_str_equal(key, "seed") ? "seed_axis" : key);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(rest); i++) add_field(line, rest[i]);
    bool good = ns_lines_write(lines, line->str, error);
    for (size_t i = 0; good && i < ns_study_cells(r->study); i++) {
        NsStudyPlace place = ns_study_place(r->study, i);
        const NsStudyCell *cell = &r->cells[i];
        const char *name = r->study->names[place.lane];
        g_string_assign(line, ns_lane_letter(place.lane));
        add_field(line, name);
        for (size_t axis = 0; axis < ns_study_axes(r->study); axis++) {
            g_autofree char *value = ns_study_axis_value(r->study, axis, place.configuration);
            add_field(line, value);
        }
        g_string_append_printf(line, ",%" G_GINT64_FORMAT, seed_of(r->study, place));
        add_field(line, ns_cell_state_word(cell->state));
        g_string_append_printf(line, ",%" G_GINT64_FORMAT, cell->step);
        const double numbers[] = {cell->first, cell->value, cell->loss, cell->validation,
                                  cell->seconds};
        for (size_t k = 0; k < G_N_ELEMENTS(numbers); k++) {
            char number[G_ASCII_DTOSTR_BUF_SIZE];
            g_ascii_dtostr(number, sizeof number, numbers[k]);
            add_field(line, isnan(numbers[k]) ? NULL : number);
        }
        add_field(line, r->origins[i].program);
        add_field(line, r->origins[i].instructions);
        good = ns_lines_write(lines, line->str, error);
    }
    return ns_lines_close(lines, good, error);
}
