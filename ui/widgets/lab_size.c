/* What a run takes: memory and time.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "ui/widgets/lab-private.h"

static void add_plan(NsPlan *sum, const NsPlan *plan)
{
    sum->parameters += plan->parameters;
    sum->weight_bytes += plan->weight_bytes;
    sum->gradient_bytes += plan->gradient_bytes;
    sum->moment_bytes += plan->moment_bytes;
    sum->activation_bytes += plan->activation_bytes;
    sum->total_bytes += plan->total_bytes;
    sum->gflop_per_step += plan->gflop_per_step;
    sum->threads += plan->threads;
}

bool ns_lab_plan(NsLab *lab, NsPlan *plan)
{
    *plan = (NsPlan){0};
    for (size_t lane = 0; lab->trainer && lane < lab->run.n; lane++) {
        NsPlan own;
        if (!ns_trainer_plan(lab->trainer, lane, &own)) return false;
        add_plan(plan, &own);
    }
    return lab->trainer != NULL;
}

/* All digits, or millions from a million on: "311,296", "1.21 M". */
static char *short_count(size_t n)
{
    if (n < 1000000) return ns_group_digits((int64_t)n);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *format = n < 100000000 ? "%.3g" : "%.0f";
    return g_strconcat(g_ascii_formatd(number, sizeof number, format, (double)n / 1e6), " M", NULL);
}

/* Milliseconds with two digits that say something. */
static char *milliseconds(double seconds)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *format = seconds < 0.00995 ? "%.1f" : "%.0f";
    return g_strdup(g_ascii_formatd(number, sizeof number, format, seconds * 1e3));
}

/* Of the slowest lane; 0 where it is not known. */
static double first_seconds(NsLab *lab)
{
    double seconds = 0.0;
    for (size_t lane = 0; lane < lab->view->n_lanes; lane++) {
        if (ns_lab_records(lab, lane) == 0) return 0.0;
        const NsStep *first = ns_history_step(lab->view->lanes[lane].history, 0);
        seconds = MAX(seconds, first->seconds);
    }
    return seconds;
}

char *ns_lab_size(NsLab *lab)
{
    NsPlan plan;
    if (!ns_lab_plan(lab, &plan)) return NULL;
    g_autofree char *parameters = short_count(plan.parameters);
    g_autofree char *memory = g_format_size_full(plan.total_bytes, G_FORMAT_SIZE_IEC_UNITS);
    double seconds = first_seconds(lab);
    if (seconds <= 0.0 || ns_lab_first_step(lab) > 0)
        return g_strdup_printf(_("%s parameters, %s"), parameters, memory);
    g_autofree char *time = milliseconds(seconds);
    return g_strdup_printf(_("%s parameters, %s, step 0 in %s ms"), parameters, memory, time);
}
