/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

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

static int run(NsArguments *a, GError **error)
{
    g_autoptr(NsCheckpoint) checkpoint = NULL;
    if (a->pytorch && !ns_pytorch_check(a->pytorch, error)) return NS_EXIT_USAGE;
    if (!ns_checkpoint_open(a, &checkpoint, error)) return NS_EXIT_OK;
    if (a->out && !ns_dump_check(a->out, error)) return NS_EXIT_ERROR;
    gint64 limit = a->experiment.lane[0].steps;
    g_autoptr(NsLockstep) lockstep = ns_lanes_start(&a->experiment, checkpoint, NULL, error);
    if (!lockstep || (a->out && !ns_folder_make(a->out, error))) return NS_EXIT_ERROR;
    ns_lanes_train(lockstep, limit, finish_early, NULL);
    NsRun *run = ns_lockstep_run(lockstep, 0, 0);
    if (a->out && !ns_dump(run, a->out, error)) return NS_EXIT_ERROR;
    g_autoptr(NsCheckpoint) now = a->pytorch ? ns_run_checkpoint(run, error) : NULL;
    if (a->pytorch && (!now || !ns_pytorch_write(now, a->pytorch, error))) return NS_EXIT_ERROR;
    ns_lanes_report_end(lockstep, limit);
    return ns_interrupt_status();
}

const NsCommand ns_cli_dump = {
    .choice = {.key = "dump", .purpose = "Write weights, gradients and batch for other programs"},
    .settings = "",
    .one_seed = "writes one seed",
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
        "an encoder-decoder.  Batches are int64; padding follows each length.  Files that exist\n"
        "are never replaced.\n\n"
        "If the run diverges or Ctrl-C ends it, the files are of its last step, which "
        "meta.json\n"
        "names; nothing is written if it ends in the middle of a long step.\n\n"
        "--pytorch exports the model: one readable script that needs only PyTorch and NumPy, "
        "whose\n"
        "first ten losses are those of this program, up to rounding.",
    .examples = NS_CLI " dump --set placement=pre --set layers=2 --out step0\n" NS_CLI
                       " dump --set placement=pre --steps 500 --pytorch pre.py",
    .run = run,
};
