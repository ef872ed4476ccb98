/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/experiment/param.h"
#include "core/study/initial.h"
#include "ui/figures/settings_caption.h"

#include <math.h>
#include <stdio.h>

/* Columns of the table; --json has every quantity. */
static const NsQuantity columns[] = {NS_QUANTITY_HIDDEN_NORM, NS_QUANTITY_GRAD_LAYER,
                                     NS_QUANTITY_GRAD_WV, NS_QUANTITY_GRAD_W1, NS_QUANTITY_GRAD_W2};
#define CELL 20

/* Adds the standard deviation if there is more than one value. */
static char *cell(double mean, double sd, int64_t n)
{
    g_autofree char *m = ns_output_number("%.4g", mean), *s = ns_output_number("%.2g", sd);
    return n > 1 && isfinite(mean) ? g_strdup_printf("%s ± %s", m, s) : g_steal_pointer(&m);
}

/* Consecutive layers: of the only stack, or of the encoder or decoder. */
typedef struct {
    const char *name;    /* NULL if it is the only stack */
    size_t layers;       /* number of layers */
    size_t first;        /* index of its first layer among all layers */
    size_t first_hidden; /* index of its first hidden state among all */
} Stack;

static void show_stack(const NsInitial *initial, const Stack *stack)
{
    g_autoptr(GString) row = g_string_new(NULL);
    if (stack->name) printf("%s\n", stack->name);
    for (size_t layer = 0; layer <= stack->layers; layer++) {
        ns_row_add(row, 5, "%zu", layer);
        for (size_t i = 0; i < G_N_ELEMENTS(columns); i++) {
            const NsRecordLayout *layout = &initial->layout;
            /* Row 0 is the embedding, which is not a layer. */
            bool hidden = ns_quantity(columns[i])->domain == NS_DOMAIN_HIDDEN;
            size_t at = hidden ? stack->first_hidden + layer : stack->first + layer - 1;
            bool exists = (hidden || layer > 0) && at < layout->count[columns[i]];
            at += layout->offset[columns[i]];
            int64_t n = exists ? initial->measured[at] : 0;
            g_autofree char *text = n > 0 ? cell(initial->mean[at], initial->sd[at], n) : NULL;
            ns_row_add(row, CELL, "%s", text ? text : NS_ABSENT);
        }
        ns_row_print(row);
    }
}

/* A measurement in progress. */
typedef struct {
    const NsSettings *settings;
    bool json;
    NsInitial *so_far; /* result of the finished seeds; NULL before the first */
    NsProgress progress;
} Going;

static void show(const Going *going, const NsInitial *initial)
{
    if (!going->json) {
        g_autofree char *words = ns_settings_words(going->settings);
        int64_t seeds = initial->seeds;
        g_autofree char *loss = cell(initial->loss_mean, initial->loss_sd, seeds);
        g_autofree char *grad = cell(initial->grad_mean, initial->grad_sd, seeds);
        if (seeds > 1)
            printf("%s: before any update, mean ± standard deviation over %" G_GINT64_FORMAT
                   " seeds\n",
                   words, seeds);
        else
            printf("%s: before any update, seed %" G_GINT64_FORMAT "\n", words,
                   going->settings->seed);
        printf("loss %s%s, gradient norm of all tensors %s\n\n", loss,
               isfinite(initial->loss_mean) ? " nats per token" : "", grad);
        g_autoptr(GString) head = g_string_new("layer");
        for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
            ns_row_add(head, CELL, "%s", ns_quantity(columns[i])->choice.key);
        ns_row_print(head);
        size_t N = (size_t)ns_settings_encoder_layers(going->settings);
        size_t M = (size_t)ns_settings_decoder_layers(going->settings);
        bool both = N > 0 && M > 0;
        show_stack(initial, &(Stack){.name = both ? "encoder" : NULL, .layers = both ? N : N + M});
        if (both)
            show_stack(initial,
                       &(Stack){.name = "decoder", .layers = M, .first = N, .first_hidden = N + 1});
        return;
    }
    g_autofree char *text = ns_initial_json(initial, going->settings);
    puts(text);
}

static void finish_early(void *data)
{
    Going *going = data;
    ns_progress_end(&going->progress);
    if (going->so_far) show(going, going->so_far);
}

static bool look(void *data, NsInitial *so_far, int64_t of)
{
    Going *going = data;
    ns_interrupt_end();
    g_clear_pointer(&going->so_far, ns_initial_free);
    going->so_far = so_far;
    ns_progress_cells(&going->progress, NULL, (size_t)so_far->seeds, (size_t)of, (double)NAN);
    ns_interrupt_begin(finish_early, going);
    return !ns_interrupt_signal();
}

static int run(NsArguments *a, GError **error)
{
    g_autoptr(NsCheckpoint) checkpoint = NULL;
    if (!ns_checkpoint_open(a, &checkpoint, error)) return NS_EXIT_OK;
    const NsSettings *settings = &a->experiment.lane[0];
    Going going = {.settings = settings, .json = a->json};
    ns_progress_start(&going.progress, true);
    ns_interrupt_catch();
    ns_interrupt_begin(finish_early, &going);
    g_autoptr(NsInitial) initial =
        ns_initial_new(settings, checkpoint, checkpoint ? 1 : a->seeds, look, &going, error);
    ns_interrupt_end();
    ns_progress_end(&going.progress);
    if (initial) show(&going, initial);
    g_clear_pointer(&going.so_far, ns_initial_free);
    return ns_interrupt_status();
}

const NsCommand ns_cli_probe = {
    .choice = {.key = "probe", .purpose = "Measure models at initialization, over several seeds"},
    .settings = "",
    .one_seed = "takes --seeds",
    .summary =
        "Measures models before any update: norms of hidden states and of gradients, mean and\n"
        "sample standard deviation over seeds, all on one batch.  --json adds every other\n"
        "quantity, including the expensive ones and the norm of the gradient averaged over\n"
        "“probe-batches” batches.\n\n"
        "In the JSON object a value has the same name and shape as in a line of “train "
        "--jsonl”,\n"
        "with “mean” and “sd”.  Ctrl-C ends the command with the result of the seeds measured "
        "up\n"
        "to then.\n\n"
        "With --checkpoint it measures that model, which is the same for every seed.",
    .examples = NS_CLI " probe --set placement=pre --set layers=24 --seeds 10\n" NS_CLI
                       " probe --json > probe.json",
    .run = run,
};
