/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/store/dump.h"

#include <math.h>

int ns_cli_dump(int argc, char **argv, GError **error)
{
    g_autofree char *out = NULL, *steps = NULL;
    const GOptionEntry entries[] = {
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out, "The folder to write to; it is made if needed",
         "DIR"},
        {"steps", 'n', 0, G_OPTION_ARG_STRING, &steps, "Steps to train before (default: 0)", "N"},
        {0},
    };
    NsSettings settings;
    ns_settings_init(&settings);
    const NsOptions options = {
        .command = "dump",
        .summary =
            "Writes what another program needs to repeat one step:\n"
            "  params.safetensors  the weights\n"
            "  grads.safetensors   the gradient of the mean loss at these weights\n"
            "  batch.safetensors   tokens, targets (-1: none), length; with a source src, "
            "src_mask\n"
            "  meta.json           settings, step, and the loss in full precision\n"
            "Tensors are [out, in], layers count from 0: blk0.attn.wq, and dec.blk0.cross.wq in\n"
            "an encoder-decoder.  Batches are int64; padding follows each length.",
        .examples = NS_CLI " dump --set placement=pre --set layers=2 --out step0",
        .entries = entries,
        .settings = &settings,
        .steps = (const char *const *)&steps,
    };
    bool go = ns_options_read(&options, &argc, &argv, error);
    if (go && !out) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE, "--out DIR is missing.");
        go = false;
    }
    gint64 limit = settings.steps;
    g_autoptr(NsRun) run = go ? ns_run_new(&settings, error) : NULL;
    ns_settings_clear(&settings);
    if (!run) return NS_EXIT_OK;

    NsProgress progress;
    ns_progress_start(&progress, true);
    while (ns_run_steps(run) < limit && ns_run_step(run))
        ns_progress_step(&progress, ns_run_steps(run), limit, (double)NAN);
    ns_progress_end(&progress);
    return ns_dump(run, out, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}
