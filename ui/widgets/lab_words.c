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
    g_autofree char *layers = ns_group_digits(s->layers);
    return g_strdup_printf("%s, %s %s", ns_placement_choice(s->placement)->label, layers,
                           s->layers == 1 ? "layer" : "layers");
}

static double steps_per_second(const NsHistory *history)
{
    size_t records = ns_history_steps(history);
    double seconds = 0.0;
    size_t n = 0;
    for (size_t i = records; i > 1 && seconds < SPEED_WINDOW_S; i--, n++)
        seconds += ns_history_step(history, i - 1)->seconds;
    return seconds > 0.0 ? (double)n / seconds : (double)NAN;
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
    double speed = steps_per_second(history);
    if (state != NS_TRAINER_DIVERGED && isfinite(speed))
        g_string_append_printf(
            text, ", %s steps/s",
            g_ascii_formatd(number, sizeof number, speed < 9.95 ? "%.1f" : "%.0f", speed));
    int64_t pinned = ns_lab_view(lab)->step;
    if (pinned >= 0) {
        g_autofree char *shown = ns_group_digits(pinned);
        g_string_append_printf(text, "; profiles at step %s", shown);
    }
    return g_string_free(text, FALSE);
}
