/* A lab in words: what the title bar says.  SPDX-License-Identifier: MIT */
#include "core/model/placement.h"
#include "ui/widgets/lab.h"

#include <math.h>

/* The speed is an average over this much time. */
#define SPEED_WINDOW_S 1.0

char *ns_group_digits(int64_t number)
{
    g_autofree char *digits = g_strdup_printf("%" G_GINT64_FORMAT, number < 0 ? -number : number);
    size_t n = strlen(digits);
    GString *out = g_string_new(number < 0 ? "\u2212" : NULL);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) g_string_append_c(out, ',');
        g_string_append_c(out, digits[i]);
    }
    return g_string_free(out, FALSE);
}

char *ns_lab_title(NsLab *lab)
{
    const NsSettings *s = ns_lab_settings(lab);
    const char *placement = *s->mixture ? s->mixture : ns_placement_choice(s->placement)->label;
    g_autofree char *layers = ns_group_digits(s->layers);
    if (s->arch == NS_ARCH_ENCODER_DECODER) {
        g_autofree char *decoder = ns_group_digits(ns_settings_decoder_layers(s));
        return g_strdup_printf("%s, %s + %s layers", placement, layers, decoder);
    }
    return g_strdup_printf("%s, %s %s", placement, layers, s->layers == 1 ? "layer" : "layers");
}

/* How fast the newest steps were, and what share of their time the dear quantities took. */
typedef struct {
    double steps_per_second,
        probe_share; /* NaN where there is nothing to go by; 0 without probes */
} Pace;

/* Goes back over the window and, where dear quantities are measured, to the last time they were. */
static Pace pace_of(const NsHistory *history, int64_t probe_every)
{
    size_t records = ns_history_steps(history), n = 0;
    double seconds = 0.0, probes = 0.0;
    for (size_t i = records; i > 1; i--, n++) {
        bool enough = probe_every <= 0 || (int64_t)n >= probe_every;
        if (seconds >= SPEED_WINDOW_S && enough) break;
        const NsStep *step = ns_history_step(history, i - 1);
        seconds += step->seconds;
        probes += step->probe_seconds;
    }
    if (seconds <= 0.0) return (Pace){(double)NAN, 0.0};
    return (Pace){(double)n / seconds, probes / seconds};
}

char *ns_lab_status(NsLab *lab)
{
    NsTrainerState state = ns_lab_state(lab);
    const char *word = ns_trainer_state_word(state);
    const NsHistory *history = ns_lab_view(lab)->history;
    if (state == NS_TRAINER_PREPARING || state == NS_TRAINER_FAILED || !history)
        return g_strdup(word);

    int64_t step = ns_lab_steps(lab);
    GString *text = g_string_new(word);
    g_autofree char *count = ns_group_digits(step);
    g_string_append_printf(text, step > 0 ? " at step %s" : ", step %s", count);
    double loss = ns_history_step(history, (size_t)step)->loss;
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (isfinite(loss))
        g_string_append_printf(text, ", loss %s",
                               g_ascii_formatd(number, sizeof number, "%.2f", loss));
    Pace pace = pace_of(history, ns_lab_settings(lab)->probe_every);
    double speed = pace.steps_per_second;
    if (state != NS_TRAINER_DIVERGED && isfinite(speed))
        g_string_append_printf(
            text, ", %s steps/s",
            g_ascii_formatd(number, sizeof number, speed < 9.95 ? "%.1f" : "%.0f", speed));
    if (pace.probe_share > 0.0)
        g_string_append_printf(text, ", probes %.0f %%", 100.0 * pace.probe_share);
    int64_t pinned = ns_lab_view(lab)->step;
    if (pinned >= 0) {
        g_autofree char *shown = ns_group_digits(pinned);
        g_string_append_printf(text, "; profiles at step %s", shown);
    }
    return g_string_free(text, FALSE);
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
static void append_time(GString *text, double seconds)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    const char *format = seconds < 0.00995 ? "%.1f" : "%.0f";
    g_ascii_formatd(number, sizeof number, format, seconds * 1e3);
    g_string_append_printf(text, ", step 0 in %s ms", number);
}

char *ns_lab_size(NsLab *lab)
{
    NsPlan plan;
    const NsHistory *history = ns_lab_view(lab)->history;
    if (!ns_lab_plan(lab, &plan)) return NULL;
    g_autofree char *parameters = short_count(plan.parameters);
    g_autofree char *memory = g_format_size_full(plan.total_bytes, G_FORMAT_SIZE_IEC_UNITS);
    GString *text = g_string_new(NULL);
    g_string_append_printf(text, "%s parameters, %s", parameters, memory);
    const NsStep *first = history && ns_history_steps(history) ? ns_history_step(history, 0) : NULL;
    if (first && first->step == 0) append_time(text, first->seconds);
    return g_string_free(text, FALSE);
}
