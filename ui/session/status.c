/* A session in words: what the title bar says.  SPDX-License-Identifier: MIT */
#include "core/base/words.h"
#include "core/experiment/param.h"
#include "ui/figures/words.h"
#include "ui/session/session-private.h"

#include <math.h>

/* The speed is an average over this much time. */
#define SPEED_WINDOW_S 1.0

/* More differences between lanes than this are counted. */
#define DIFFERENCES_TOLD 4

char *ns_group_digits(int64_t number)
{
    g_autofree char *digits = g_strdup_printf("%" G_GINT64_FORMAT, number < 0 ? -number : number);
    size_t n = strlen(digits);
    GString *out = g_string_new(number < 0 ? "\u2212" : NULL);
    /* Translators: where a comma begins decimals, a narrow no-break space. */
    const char *between = C_("between thousands", ",");
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) g_string_append(out, between);
        g_string_append_c(out, digits[i]);
    }
    return g_string_free(out, FALSE);
}

/* ---- What a session is about ---- */

static char *depth_of(const NsSettings *s)
{
    g_autofree char *layers = ns_group_digits(s->layers);
    if (s->arch != NS_ARCH_ENCODER_DECODER)
        return g_strdup_printf(ns_plural("%s layer", "%s layers", s->layers), layers);
    g_autofree char *decoder = ns_group_digits(ns_settings_decoder_layers(s));
    return g_strdup_printf(_("%s + %s layers"), layers, decoder);
}

/* "Post-LN vs Pre-LN": what each lane has. */
static char *versus(const NsLanes *lanes, char *(*words)(const NsSettings *))
{
    GString *text = g_string_new(NULL);
    for (size_t lane = 0; lane < lanes->n; lane++) {
        g_autofree char *own = words(&lanes->settings[lane]);
        if (lane) g_string_append(text, C_("between lanes", " vs "));
        g_string_append(text, own);
    }
    return g_string_free(text, FALSE);
}

static bool differs(const NsLanes *lanes, const char *key)
{
    return ns_lanes_differ(lanes, ns_param_find(key));
}

static size_t count_differences(const NsLanes *lanes)
{
    size_t n = 0;
    for (size_t i = 0; ns_param(i); i++) n += ns_lanes_differ(lanes, ns_param(i));
    return n;
}

char *ns_lanes_title(const NsLanes *lanes)
{
    size_t n = count_differences(lanes);
    bool placement = differs(lanes, "placement") || differs(lanes, "mixture");
    bool depth = differs(lanes, "layers") || differs(lanes, "decoder-layers");
    g_autofree char *left = placement ? versus(lanes, ns_settings_placement_words)
                                      : ns_settings_placement_words(&lanes->settings[0]);
    g_autofree char *right = depth ? versus(lanes, depth_of) : depth_of(&lanes->settings[0]);
    if (n == 0 || placement || depth) return g_strdup_printf(_("%s, %s"), left, right);
    const NsParam *param = ns_param(0);
    while (!ns_lanes_differ(lanes, param)) param++;
    if (n > 1)
        return g_strdup_printf(
            ns_plural("%s, %s; %zu setting differs", "%s, %s; %zu settings differ", n), left, right,
            n);
    return g_strdup_printf(_("%s, %s; %s differs"), left, right, _(param->label));
}

char *ns_session_title(NsSession *session)
{
    return ns_lanes_title(ns_session_pending(session) ? &session->run : &session->lanes);
}

/* "A Post-LN, B Pre-LN", "Layers: A 6, B 12". */
static void append_difference(GString *text, const NsLanes *lanes, const NsParam *param)
{
    bool plain = g_str_equal(param->key, "placement");
    if (!plain) g_string_append_printf(text, "%s: ", _(param->label));
    for (size_t lane = 0; lane < lanes->n; lane++) {
        g_autofree char *value = ns_lanes_value(&lanes->settings[lane], param);
        g_string_append_printf(text, "%s%s %s", lane ? ", " : "", ns_lane_letter(lane), value);
    }
}

char *ns_session_differences(NsSession *session)
{
    const NsLanes *lanes = ns_session_all_settings(session);
    if (lanes->n < 2) return NULL;
    size_t n = count_differences(lanes), told = 0;
    if (n == 0) return g_strdup(_("All lanes are the same as yet."));
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t i = 0; ns_param(i) && told < DIFFERENCES_TOLD; i++) {
        if (!ns_lanes_differ(lanes, ns_param(i))) continue;
        if (told++) g_string_append_c(text, '\n');
        append_difference(text, lanes, ns_param(i));
    }
    if (n == told) return g_strdup_printf(_("%s; all else the same."), text->str);
    n -= told;
    return g_strdup_printf(ns_plural("%s\nand %zu more", "%s\nand %zu more", n), text->str, n);
}

/* ---- How fast it is ---- */

/* Goes back over the window and, where expensive quantities are measured, to the last time they
 * were. */
static NsPace pace_of(const NsHistory *history, int64_t probe_every)
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
    if (seconds <= 0.0) return (NsPace){(double)NAN, 0.0};
    return (NsPace){(double)n / seconds, probes / seconds};
}

NsPace ns_session_pace(NsSession *session)
{
    const NsView *view = ns_session_view(session);
    NsPace slowest = {(double)NAN, 0.0};
    for (size_t lane = 0; lane < view->n_lanes; lane++) {
        const NsViewRun *run = &view->lanes[lane];
        if (!run->history) continue;
        NsPace pace = pace_of(run->history, run->settings.probe_every);
        if (!(slowest.steps_per_second <= pace.steps_per_second)) slowest = pace;
    }
    double limit = ns_session_speed(session);
    if (limit > 0.0 && slowest.steps_per_second > limit) slowest.steps_per_second = limit;
    return slowest;
}

/* ---- What it does ---- */

/* "2.31", or "A 3.1, B 2.2"; NULL where no lane has a finite one. */
static char *losses(NsSession *session)
{
    const NsView *view = ns_session_view(session);
    g_autoptr(GString) text = g_string_new(NULL);
    for (size_t lane = 0; lane < view->n_lanes; lane++) {
        const NsStep *step = ns_session_newest(session, lane);
        char number[G_ASCII_DTOSTR_BUF_SIZE];
        if (!step || !isfinite(step->loss)) continue;
        g_ascii_formatd(number, sizeof number, step->loss < 1e4 ? "%.2f" : "%.2e", step->loss);
        if (text->len) g_string_append(text, ", ");
        if (view->n_lanes > 1) g_string_append_printf(text, "%s ", ns_lane_letter(lane));
        g_string_append(text, number);
    }
    return text->len ? g_string_free(g_steal_pointer(&text), FALSE) : NULL;
}

/* The lanes that have stopped while others go on. */
static void append_diverged(GString *text, NsSession *session)
{
    const NsView *view = ns_session_view(session);
    for (size_t lane = 0; view->n_lanes > 1 && lane < view->n_lanes; lane++) {
        if (ns_session_lane_state(session, lane) != NS_TRAINER_DIVERGED) continue;
        const NsStep *step = ns_session_newest(session, lane);
        g_autofree char *digits = ns_group_digits(step ? step->step : 0);
        g_autofree char *words =
            g_strdup_printf(_("%s diverged at step %s"), ns_lane_letter(lane), digits);
        g_string_append_printf(text, "; %s", words);
    }
}

/* "paused at step 1,240", "step 1,240". */
static void append_state(GString *text, NsSession *session, NsTrainerState state, bool brief)
{
    const char *word = _(ns_trainer_state_word(state));
    int64_t step = ns_session_steps(session);
    g_autofree char *count = ns_group_digits(step);
    if (brief)
        g_string_append_printf(text, _("step %s"), count);
    else if (ns_session_slow_motion(session) && ns_session_is_running(session))
        g_string_append_printf(text, _("in slow motion at step %s"), count);
    else if (step > 0)
        g_string_append_printf(text, _("%s at step %s"), word, count);
    else
        g_string_append_printf(text, _("%s, step %s"), word, count);
}

static void append_pace(GString *text, NsSession *session, NsTrainerState state)
{
    NsPace pace = ns_session_pace(session);
    double speed = pace.steps_per_second;
    bool slow = ns_session_slow_motion(session) && ns_session_is_running(session);
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    if (state != NS_TRAINER_DIVERGED && !slow && isfinite(speed))
        g_string_append_printf(
            text, _(", %s steps/s"),
            g_ascii_formatd(number, sizeof number, speed < 9.95 ? "%.1f" : "%.0f", speed));
    if (pace.probe_share > 0.0)
        g_string_append_printf(text, _(", measuring %.0f %%"), 100.0 * pace.probe_share);
}

char *ns_session_status(NsSession *session, NsStatusLength length)
{
    NsTrainerState state = ns_session_state(session);
    const char *word = _(ns_trainer_state_word(state));
    const NsHistory *history = ns_session_view(session)->history;
    if (state == NS_TRAINER_PREPARING || state == NS_TRAINER_FAILED || !history)
        return g_strdup(word);

    g_autoptr(GString) text = g_string_new(NULL);
    append_state(text, session, state, length == NS_STATUS_BRIEF);
    g_autofree char *loss = losses(session);
    if (loss)
        g_string_append_printf(text, length == NS_STATUS_BRIEF ? ", %s" : _(", loss %s"), loss);
    if (length == NS_STATUS_WHOLE) append_pace(text, session, state);
    append_diverged(text, session);
    g_autofree char *past = ns_session_past_words(session);
    if (past) g_string_append_printf(text, "; %s", past);
    int64_t pinned = ns_session_view(session)->step;
    if (pinned >= 0) {
        g_autofree char *shown = ns_group_digits(pinned);
        g_string_append_printf(text, _("; showing step %s"), shown);
    }
    return g_string_free(g_steal_pointer(&text), FALSE);
}
