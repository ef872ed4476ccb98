/* SPDX-License-Identifier: MIT */
#include "ui/figures/figure.h"

#include "core/base/words.h"

#include <inttypes.h>
#include <math.h>

enum { EMBEDDING, LAYER, GAUSSIAN, SERIES };
G_STATIC_ASSERT(SERIES <= NS_FIGURE_SERIES);

typedef struct {
    NsFigure figure;
    NsTokenSource newest;
    unsigned layer;
    size_t shown; /* index of the state in the snapshot */
    size_t bins;  /* number of bins up to one after the last that is not empty */
    bool theory;
    double edges[NS_TOKEN_SNAPSHOT_BINS + 1], x[NS_TOKEN_SNAPSHOT_BINS];
    double counts[2][NS_TOKEN_SNAPSHOT_BINS], expected[NS_TOKEN_SNAPSHOT_BINS];
} Tokens;

/* The expected number of n tokens in a bin if the D features of each were independent and normal:
 * the density of chi-square / D at the middle of the bin. */
static double gaussian_count(double r, double width, double D, double n)
{
    if (r <= 0) return 0;
    double k = D / 2, x = D * r;
    return n * width * D * exp((k - 1) * log(x) - x / 2 - k * log(2) - lgamma(k));
}

static void show(Tokens *tokens, const NsFigureInput *input)
{
    NsFigure *figure = &tokens->figure;
    NsPlot *plot = &figure->plot;
    plot->n_series = 0;
    if (!tokens->newest.there) return;
    const NsTokenSnapshot *snapshot = &tokens->newest.snapshot;
    const size_t states[2] = {0, tokens->shown};
    for (size_t k = 0; k <= NS_TOKEN_SNAPSHOT_BINS; k++)
        tokens->edges[k] = ((double)k - 0.5) * NS_TOKEN_SNAPSHOT_BIN;
    tokens->bins = 0;
    double D = input->settings ? (double)input->settings->d_model : 1;
    for (size_t k = 0; k < NS_TOKEN_SNAPSHOT_BINS; k++) {
        tokens->x[k] = (double)k * NS_TOKEN_SNAPSHOT_BIN;
        for (int i = 0; i < 2; i++) {
            tokens->counts[i][k] = (double)snapshot->count[states[i]][k];
            if (snapshot->count[states[i]][k]) tokens->bins = MIN(k + 2, NS_TOKEN_SNAPSHOT_BINS);
        }
        tokens->expected[k] = gaussian_count(tokens->x[k], NS_TOKEN_SNAPSHOT_BIN, D,
                                             (double)snapshot->tokens[tokens->shown]);
    }
    for (int i = 0; i < 2; i++) {
        if (i == EMBEDDING && tokens->shown == 0) continue;
        figure->series[plot->n_series++] = (NsSeries){.label = figure->labels[i],
                                                      .kind = NS_SERIES_BARS,
                                                      .previous = i == EMBEDDING,
                                                      .n = tokens->bins,
                                                      .x = tokens->x,
                                                      .y = tokens->counts[i],
                                                      .edges = tokens->edges};
    }
    if (tokens->theory && input->settings)
        figure->series[plot->n_series++] = (NsSeries){.label = figure->labels[GAUSSIAN],
                                                      .theory = true,
                                                      .n = tokens->bins,
                                                      .x = tokens->x,
                                                      .y = tokens->expected};
}

static char *state_label(const NsTokenSnapshot *snapshot, size_t i)
{
    unsigned state = snapshot->state[i];
    return state ? g_strdup_printf(_("after layer %u"), state) : g_strdup(_("embedding"));
}

static char *note(const Tokens *tokens, const NsFigureInput *input)
{
    const NsTokenSnapshot *snapshot = &tokens->newest.snapshot;
    if (!tokens->newest.there) return NULL;
    GString *words = g_string_new(NULL);
    unsigned beyond = snapshot->beyond[tokens->shown];
    if (beyond)
        ns_figure_add_sentence(words, _("%u of %u tokens lie beyond the axis, or are not finite."),
                               beyond, snapshot->tokens[tokens->shown]);
    g_autofree char *other = ns_figure_newest_note(input, true, snapshot->step);
    if (other) ns_figure_add_sentence(words, "%s", other);
    return g_string_free(words, words->len == 0);
}

static void update(NsFigure *figure, const NsFigureInput *input)
{
    Tokens *tokens = (Tokens *)figure;
    ns_token_source_follow(&tokens->newest, figure, input->history);
    NS_FIGURE_SET(figure, tokens->layer, input->layer);
    NS_FIGURE_SET(figure, tokens->theory, input->theory);
    const NsTokenSnapshot *snapshot = &tokens->newest.snapshot;
    bool there = tokens->newest.there && snapshot->states;
    if (there) {
        /* The index of the state after a layer, or of the nearest one in the snapshot; the last one
         * for layer 0. */
        size_t best = snapshot->states - 1;
        for (size_t i = 0; i < snapshot->states && input->layer > 0; i++) {
            unsigned distance = (unsigned)ABS((int)snapshot->state[i] - (int)input->layer);
            if (distance < (unsigned)ABS((int)snapshot->state[best] - (int)input->layer)) best = i;
        }
        tokens->shown = best;
        ns_figure_text(figure, &figure->labels[EMBEDDING], state_label(snapshot, 0));
        ns_figure_text(figure, &figure->labels[LAYER], state_label(snapshot, tokens->shown));
    }
    if (input->settings)
        ns_figure_text(figure, &figure->labels[GAUSSIAN],
                       g_strdup_printf(_("normal features, d %" PRId64), input->settings->d_model));
    g_autofree char *empty = ns_token_source_empty(input);
    ns_figure_words(figure, input,
                    (NsFigureWords){.title = _("Squared hidden norm of tokens"),
                                    .empty = empty,
                                    .step = there ? snapshot->step : -1,
                                    .note = note(tokens, input)});
    if (figure->changed) show(tokens, input);
}

static void init(NsFigure *figure)
{
    figure->plot.x.label = _("squared norm / mean");
    figure->plot.x.integer = false;
    figure->plot.left.label = _("tokens");
    figure->plot.left.integer = true;
    figure->plot.left.lo = 0;
}

const NsFigureClass ns_tokens_class = {sizeof(Tokens), init, update, NULL, NS_SEEDS_FIRST};
