/* Fair comparisons as text and as JSON.  SPDX-License-Identifier: MIT */
#include "app/cli/study.h"

#include "core/study/compare.h"

#include <math.h>
#include <stdio.h>

#define BUDGET 5
#define CELL 32

static void add_interval(GString *row, const NsInterval *interval, const char *format)
{
    char value[G_ASCII_DTOSTR_BUF_SIZE], lo[G_ASCII_DTOSTR_BUF_SIZE], hi[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_formatd(value, sizeof value, format, interval->value);
    if (isnan(interval->value))
        ns_row_add(row, CELL, NS_ABSENT);
    else if (isnan(interval->lo))
        ns_row_add(row, CELL, "%s", value);
    else
        ns_row_add(row, CELL, "%s [%s, %s]", value,
                   g_ascii_formatd(lo, sizeof lo, format, interval->lo),
                   g_ascii_formatd(hi, sizeof hi, format, interval->hi));
}

static void add_lanes(GString *row, const NsStudy *study)
{
    for (size_t lane = 0; lane < ns_study_lanes(study); lane++) {
        g_autofree char *name = ns_study_lane_words(study, lane);
        ns_row_add(row, CELL, "%s", name);
    }
}

static void show_best(const NsStudy *study, const NsComparison *c)
{
    printf("\nExpected best result of k of the %zu configurations%s; %s is better\n",
           c->configurations, isnan(c->best[0][0].lo) ? "" : ", with 95% intervals",
           c->better < 0 ? "lower" : "higher");
    g_autoptr(GString) row = g_string_new("    k");
    add_lanes(row, study);
    ns_row_print(row);
    for (size_t i = 0; i < c->n_budgets; i++) {
        ns_row_add(row, BUDGET, "%zu", c->budgets[i]);
        for (size_t lane = 0; lane < c->lanes; lane++) add_interval(row, &c->best[lane][i], "%.4g");
        ns_row_print(row);
    }
}

static void show_duel(const NsComparison *c, size_t one, size_t other)
{
    const char *a = ns_lane_letter(one), *b = ns_lane_letter(other);
    printf("\n%s against %s, each with its best of k configurations\n", a, b);
    g_autoptr(GString) row = g_string_new("    k");
    ns_row_add(row, CELL, "%s − %s", a, b);
    ns_row_add(row, CELL, "probability that %s wins", a);
    ns_row_print(row);
    for (size_t i = 0; i < c->n_budgets; i++) {
        const NsDuel *duel = &c->duels[one][other][i];
        ns_row_add(row, BUDGET, "%zu", c->budgets[i]);
        add_interval(row, &duel->difference, "%.3g");
        add_interval(row, &(NsInterval){duel->beats, NAN, NAN}, "%.2f");
        ns_row_print(row);
    }
}

static void show_verdicts(const NsComparison *c)
{
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
                printf("%s is better\n", ns_lane_letter(better == NS_BETTER_A ? one : other));
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
        for (size_t lane = 0; lane < ns_study_lanes(study); lane++)
            add_interval(row, &s->scores[lane][i], "%.4g");
        ns_row_print(row);
    }
    g_string_append(row, ns_study_better(study) < 0 ? "mean−best " : "best−mean ");
    for (size_t lane = 0; lane < ns_study_lanes(study); lane++)
        add_interval(row, &s->sensitivity[lane], "%.3g");
    g_string_append(row, "  sensitivity");
    ns_row_print(row);
}

void ns_study_show_comparison(const NsStudyResults *r)
{
    g_autoptr(GError) reason = NULL;
    g_autofree NsComparison *c = ns_comparison_new(r->study, r->cells, &reason);
    g_autoptr(NsSensitivity) s = ns_sensitivity_new(r->study, r->cells, NULL);
    size_t untrained = 0;
    if (!c && ns_study_lanes(r->study) > 1) printf("\n%s\n", reason->message);
    if (c) {
        show_best(r->study, c);
        for (size_t lane = 0; lane < c->lanes; lane++) untrained += c->untrained[lane];
        for (size_t one = 0; one < c->lanes; one++)
            for (size_t other = one + 1; other < c->lanes; other++) show_duel(c, one, other);
        if (c->lanes > 1) show_verdicts(c);
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

/* ---- JSON ---- */

static void write_interval(NsJson *json, const char *key, const NsInterval *interval)
{
    ns_json_open(json, key, '{');
    ns_json_known(json, "value", interval->value);
    ns_json_known(json, "lo", interval->lo);
    ns_json_known(json, "hi", interval->hi);
    ns_json_close(json, '}');
}

static void write_duel(NsJson *json, const NsComparison *c, size_t one, size_t other)
{
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
        for (size_t other = one + 1; other < c->lanes; other++) write_duel(json, c, one, other);
    ns_json_close(json, ']');
    ns_json_close(json, '}');
}

static void write_sensitivity(NsJson *json, const NsStudy *study, const NsSensitivity *s)
{
    ns_json_open(json, "sensitivity", '[');
    for (size_t lane = 0; lane < ns_study_lanes(study); lane++) {
        ns_json_open(json, NULL, '{');
        ns_json_string(json, "lane", ns_lane_letter(lane));
        write_interval(json, "sensitivity", &s->sensitivity[lane]);
        ns_json_doubles(json, "lr", s->rates, s->n);
        ns_json_open(json, "best", '[');
        for (size_t i = 0; i < s->n; i++) write_interval(json, NULL, &s->scores[lane][i]);
        ns_json_close(json, ']');
        ns_json_close(json, '}');
    }
    ns_json_close(json, ']');
}

void ns_study_write_comparison(NsJson *json, const NsStudyResults *r)
{
    g_autofree NsComparison *c = ns_comparison_new(r->study, r->cells, NULL);
    g_autoptr(NsSensitivity) s = ns_sensitivity_new(r->study, r->cells, NULL);
    if (c) write_comparison(json, c);
    if (s) write_sensitivity(json, r->study, s);
}
