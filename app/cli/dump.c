/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/store/dump.h"
#include "core/store/pytorch.h"

#include <stdio.h>

/* A dump needs the state of one step, which is incomplete while the next one is computed. */
static void finish_early(void *data)
{
    (void)data;
    fputs(NS_CLI ": Interrupted in the middle of a long step; nothing was written.\n", stderr);
}

int ns_cli_dump(int argc, char **argv, GError **error)
{
    g_autofree char *out = NULL, *steps = NULL, *folder = NULL, *program = NULL;
    g_autoptr(NsCheckpoint) checkpoint = NULL;
    NsNamed named = {0};
    const GOptionEntry entries[] = {
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
         "The folder to write to; it is created if needed", "DIR"},
        {"pytorch", 'p', 0, G_OPTION_ARG_FILENAME, &program,
         "Write the model, its optimizer and its schedule as a program in PyTorch, with the "
         "weights "
         "and ten batches beside it in FILE.safetensors; alone or with --out",
         "FILE.py"},
        {"steps", 'n', 0, G_OPTION_ARG_STRING, &steps,
         "Steps to train before writing (default: setting “steps”, else 0)", "N"},
        ns_checkpoint_entry(&folder),
        {0},
    };
    g_auto(NsExperiment) experiment;
    ns_experiment_init(&experiment);
    const NsOptions options = {
        .command = "dump",
        .summary =
            "Writes everything that another program needs to repeat one step:\n"
            "  params.safetensors  the weights\n"
            "  grads.safetensors   the gradient of the mean loss at these weights\n"
            "  batch.safetensors   tokens, targets (-1: none), length; with a source src, "
            "src_mask;\n"
            "                      of the task mlm second (where segment 2 begins), labels (-1: "
            "none)\n"
            "  meta.json           settings, step, loss and gradient norm, named as in “train”\n"
            "Tensors are [out, in], and layers count from 0: blk0.attn.wq, and dec.blk0.cross.wq "
            "in\n"
            "an encoder-decoder.  Batches are int64; padding follows each length.\n\n"
            "If the run diverges or Ctrl-C ends it, the files are of its last step, which "
            "meta.json\n"
            "names; nothing is written if it ends in the middle of a long step.\n\n"
            "With --pytorch the model leaves: one readable file that needs only PyTorch and NumPy, "
            "whose\n"
            "first ten losses are those of this program, up to rounding.",
        .examples = NS_CLI " dump --set placement=pre --set layers=2 --out step0\n" NS_CLI
                           " dump --set placement=pre --steps 500 --pytorch pre.py",
        .entries = entries,
        .experiment = &experiment,
        .named = &named,
        .one_seed = "writes one seed",
        .steps = &steps,
    };
    bool go = ns_options_read(&options, &argc, &argv, error);
    if (go && !out && !program)
        go = ns_refuse(error, NS_ERROR_USAGE, "--out DIR or --pytorch FILE.py is missing.");
    go = go && ns_checkpoint_open(folder, &experiment, &named, &checkpoint, error);
    gint64 limit = experiment.lane[0].steps;
    g_autoptr(NsLockstep) lockstep =
        go ? ns_lanes_start(&experiment, checkpoint, NULL, error) : NULL;
    if (!go) return NS_EXIT_OK;
    if (!lockstep || (out && !ns_folder_make(out, error))) return NS_EXIT_ERROR;
    ns_lanes_train(lockstep, limit, finish_early, NULL);
    NsRun *run = ns_lockstep_run(lockstep, 0, 0);
    if (out && !ns_dump(run, out, error)) return NS_EXIT_ERROR;
    g_autoptr(NsCheckpoint) now = program ? ns_run_checkpoint(run, error) : NULL;
    if (program && (!now || !ns_pytorch_write(now, program, error))) return NS_EXIT_ERROR;
    ns_lanes_tell_end(lockstep, limit);
    return ns_interrupt_status();
}
