/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/error.h"
#include "core/experiment/assignment.h"
#include "core/store/run_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* If losses differ by more than this fraction, the run is not the same. */
#define SAME 1e-3

typedef struct {
    const NsArguments *a;
    const char *path;
    char *name;
    NsRunReader *reader;
    NsCheckpoint *origins[NS_LANES_MAX]; /* NULL if there is no checkpoint */
    int64_t from;                        /* the step of these checkpoints, or 0 */
    NsExperiment experiment;             /* at that step; setting “steps” is the new length */
} Resume;

static void resume_clear(Resume *resume)
{
    ns_run_reader_free(resume->reader);
    for (size_t i = 0; i < NS_LANES_MAX; i++)
        g_clear_pointer(&resume->origins[i], ns_checkpoint_unref);
    ns_experiment_clear(&resume->experiment);
    g_free(resume->name);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Resume, resume_clear)

/* ---- Options ---- */

static bool read_limit(Resume *resume, GError **error)
{
    int64_t there = ns_run_reader_provenance(resume->reader)->step;
    for (size_t i = 0; resume->a->steps && i < resume->experiment.n; i++)
        if (!ns_settings_set(&resume->experiment.lane[i], "steps", resume->a->steps, error))
            return false;
    int64_t steps = resume->experiment.lane[0].steps;
    if (steps == 0 || (steps > resume->from && steps >= there)) return true;
    return ns_refuse(error, NS_ERROR_USAGE,
                     "“%s” has step %" PRId64 " already; give --steps a later step to continue to.",
                     resume->name, there);
}

/* The settings from the checkpoint on. */
static bool read_changes(const Resume *resume, NsExperiment *changed, GError **error)
{
    ns_experiment_copy(changed, &resume->experiment);
    for (size_t i = 0; i < changed->n; i++) {
        NsNamed named = {0};
        for (char **word = resume->a->set; word && *word; word++)
            if (!ns_settings_name_assignment(&changed->lane[i], &named, *word, error)) return false;
        for (size_t k = 0; ns_param(k); k++) {
            const NsParam *param = ns_param(k);
            if (param->effect == NS_EFFECT_LIVE || !ns_named_has(&named, param->key)) continue;
            return ns_refuse(error, NS_ERROR_USAGE,
                             "Setting “%s” cannot change during a run%s; “" NS_CLI
                             " list settings” shows which can, and “train --from %s” starts a new "
                             "run.",
                             param->key,
                             g_str_equal(param->key, "steps") ? ", but --steps can" : "",
                             resume->name);
        }
    }
    return ns_experiment_check(changed, NULL, error);
}

/* ---- Reproducibility check ---- */

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* Compares the newly computed record at the checkpoint with the recorded one. */
static bool check_record(const Resume *resume, NsLockstep *lockstep, GError **error)
{
    bool same = true;
    for (size_t i = 0; i < resume->experiment.n; i++)
        for (size_t k = 0; k < ns_lockstep_seeds(lockstep); k++) {
            const NsStep *now = ns_history_step(ns_lockstep_run(lockstep, i, k)->history, 0);
            NsStep then;
            if (now->step > ns_run_reader_lane(resume->reader, i, k).last) continue;
            if (!ns_run_reader_steps((NsRecorded){resume->reader, i, k}, now->step, 1, &then,
                                     error))
                return false;
            if (is_same(now->loss, then.loss) && is_same(now->grad_norm, then.grad_norm)) continue;
            same = false;
            if (fabs(now->loss - then.loss) <= SAME * fabs(then.loss)) continue;
            return ns_refuse(
                error, NS_ERROR_FILE,
                "“%s” cannot be continued: step %" PRId64
                " does not give the recorded result here; its training text must be the same.",
                resume->name, now->step);
        }
    if (!same)
        fprintf(stderr,
                NS_CLI ": Step %" PRId64
                       " differs slightly from the record, and later steps will, too; the program, "
                       "the processor or the number of threads is different.\n",
                resume->from);
    return true;
}

/* ---- The command ---- */

static void show_result(NsLockstep *lockstep, void *data)
{
    const Resume *resume = data;
    printf("“%s” was continued from step %" PRId64 ".\n", resume->name, resume->from);
    g_auto(GStrv) names = ns_lanes_names(&resume->experiment, NULL);
    ns_journal_show_lanes(lockstep, names);
}

static int run(NsArguments *a, GError **error)
{
    g_auto(Resume)
        resume = {.a = a, .path = a->files[0], .name = g_filename_display_basename(a->files[0])};
    g_auto(NsExperiment) changed = {0};
    resume.reader = ns_run_reader_open_to_resume(resume.path, error);
    if (!resume.reader ||
        !ns_run_reader_go_on(resume.reader, &resume.experiment, resume.origins, &resume.from,
                             error) ||
        !read_changes(&resume, &changed, error) || !read_limit(&resume, error))
        return NS_EXIT_ERROR;
    g_autoptr(NsLockstep) lockstep = ns_lockstep_new(
        &resume.experiment, resume.origins[0] ? resume.origins : NULL, NULL, NULL, error);
    if (!lockstep || !check_record(&resume, lockstep, error)) return NS_EXIT_ERROR;
    for (size_t i = 0; i < changed.n; i++)
        for (size_t k = 0; k < ns_lockstep_seeds(lockstep); k++)
            ns_run_set_live(ns_lockstep_run(lockstep, i, k), &changed.lane[i]);
    /* Closed before the file is written. */
    g_clear_pointer(&resume.reader, ns_run_reader_free);
    const NsJournalPlan plan = {
        .run = resume.path,
        .every = a->every,
        .resume = true,
        .limit = resume.experiment.lane[0].steps > 0 ? resume.experiment.lane[0].steps : -1,
        .show = show_result,
        .data = &resume,
    };
    bool ok = ns_journal_run(lockstep, &plan, error);
    return ok || ns_interrupt_signal() ? ns_interrupt_status() : NS_EXIT_ERROR;
}

const NsCommand ns_cli_resume = {
    .choice = {.key = "resume", .purpose = "Continue a run file from its newest checkpoint"},
    .words = "FILE",
    .least = 1,
    .most = 1,
    .wrong = "One run file is needed; write “" NS_CLI " resume FILE”.",
    .summary =
        "Continues a run that “train” or “compare --run FILE” has recorded, from its newest\n"
        "checkpoint, with the same bits as if it had never ended; steps recorded after the\n"
        "checkpoint are computed again.  A run without a checkpoint starts at step 0.",
    .examples = NS_CLI " train --steps 200 --run a.nsrun\n" NS_CLI
                       " resume a.nsrun --steps 400 --set lr=1e-3",
    .run = run,
};
