/* SPDX-License-Identifier: MIT */
#include "core/experiment/provenance.h"
#include "core/store/run_checkpoint-private.h"
#include "core/store/run_rows-private.h"
#include "core/train/run.h"

#include <math.h>
#include <string.h>

static bool read_experiment(NsProvenance *provenance, sqlite3_stmt *row)
{
    if (sqlite3_step(row) != SQLITE_ROW) return false;
    const char *line = ns_database_text(row, 0);
    return line && ns_provenance_read(provenance, line, NULL);
}

/* ---- Whether the run repeats ---- */

/* A checkpoint stores the settings of its lane only; the initial experiment has those of all
 * lanes. */
static bool has_settings(sqlite3 *db, int64_t checkpoint, int64_t lane, const NsSettings *settings)
{
    static const char *const sql[] = {
        "SELECT experiment FROM run",
        "SELECT settings FROM checkpoints WHERE lane = ? AND seed = ? AND step = ?"};
    bool taken = checkpoint >= 0;
    NS_AUTO_STATEMENT row = ns_database_prepare(db, sql[taken]);
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    size_t i = taken ? 0 : (size_t)lane - 1;
    return ns_database_bind(row, taken ? "iii" : "", lane, settings->seed, checkpoint) &&
           read_experiment(&provenance, row) && i < provenance.experiment.n &&
           !ns_live_differs(settings, &provenance.experiment.lane[i]);
}

static bool changes_later(sqlite3 *db, int64_t checkpoint, int64_t lane, int64_t seed)
{
    NS_AUTO_STATEMENT row =
        ns_database_prepare(db, "SELECT 1 FROM events WHERE lane = ? AND seed = ? AND step > ? "
                                "AND kind = 'setting'");
    return !ns_database_bind(row, "iii", lane, seed, checkpoint) ||
           sqlite3_step(row) != SQLITE_DONE;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Whether a run that stands at a checkpoint, or at step 0 where there is none (-1), will measure
 * again what the file has of it beyond: it has the same live settings there, no setting was changed
 * later, and its record there is the same to the bit. */
static bool repeats(sqlite3 *db, int64_t checkpoint, int64_t lane, NsRun *run)
{
    const NsSettings *settings = &run->settings;
    const NsHistory *history = run->history;
    size_t n = ns_history_steps(history);
    if (n == 0 || !has_settings(db, checkpoint, lane, settings) ||
        changes_later(db, checkpoint, lane, settings->seed))
        return false;
    const NsStep *step = ns_history_step(history, n - 1);
    NS_AUTO_STATEMENT row =
        ns_database_prepare(db, "SELECT loss, grad_norm FROM steps WHERE lane = ? "
                                "AND seed = ? AND step = ?");
    return ns_database_bind(row, "iii", lane, settings->seed, step->step) &&
           sqlite3_step(row) == SQLITE_ROW && same_bits(ns_database_number(row, 0), step->loss) &&
           same_bits(ns_database_number(row, 1), step->grad_norm);
}

/* ---- Resetting the file to a checkpoint ---- */

/* A setting changed after this step has an event at the next step, which is not deleted. */
bool ns_run_drop_after(sqlite3 *db, int64_t step)
{
    static const char *const drop[] = {
        "DELETE FROM steps WHERE step > ?1",
        "DELETE FROM evaluations WHERE step > ?1",
        "DELETE FROM continuations WHERE step > ?1",
        "DELETE FROM events WHERE step > ?1 AND NOT (kind = 'setting' AND step = ?1 + 1)",
        "DELETE FROM profiles WHERE first > ?1",
        "UPDATE profiles SET steps = ?1 - first + 1, "
        "data = substr(data, 1, length(data) / steps * (?1 - first + 1)), "
        "present = substr(present, 1, length(present) / steps * (?1 - first + 1)) "
        "WHERE first + steps - 1 > ?1",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(drop); i++)
        if (!ns_database_write(db, drop[i], "i", step)) return false;
    return true;
}

/* Prepares the file for a run that is resumed at the checkpoint and has the length of these
 * settings.  Later records are deleted unless `keep`. */
static bool go_back(sqlite3 *db, int64_t checkpoint, const NsSettings *settings, bool keep)
{
    int64_t newest = checkpoint, steps = settings->steps, every = settings->eval_every;
    if (keep && !ns_database_find_number(db, "SELECT ifnull(max(step), -1) FROM steps", &newest))
        return false;
    /* An evaluation at the checkpoint is kept only if it was due there; the one at the end of the
     * run is not part of a longer run. */
    bool due = every > 0 && checkpoint % every == 0;
    if (!ns_run_make_table(db, "continuations", NS_RUN_LATER_TABLES) ||
        !ns_run_drop_after(db, newest) ||
        (!(keep && due) &&
         !ns_database_write(db, "DELETE FROM evaluations WHERE step = ?", "i", checkpoint)) ||
        !ns_database_write(db,
                           "UPDATE lanes SET summary = NULL, "
                           "settings = json_set(settings, '$.settings.steps', ?)",
                           "i", steps))
        return false;
    /* The number of steps of the initial experiment changes. */
    NS_AUTO_STATEMENT old = ns_database_prepare(db, "SELECT experiment FROM run");
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    if (!old || !read_experiment(&provenance, old)) return false;
    sqlite3_reset(old);
    for (size_t i = 0; i < provenance.experiment.n; i++)
        provenance.experiment.lane[i].steps = steps;
    g_autofree char *changed = ns_provenance_line(&provenance);
    return ns_database_write(db, "UPDATE run SET experiment = ?", "t", changed);
}

/* ---- Resuming ---- */

/* Finds what the file has of one seed of a lane after a step: the newest step (`after` if there is
 * none) and the number of events. */
static bool find_tail(sqlite3 *db, int64_t after, int64_t lane, int64_t seed, int64_t *newest,
                      int64_t *events)
{
    NS_AUTO_STATEMENT row = ns_database_prepare(
        db, "SELECT (SELECT ifnull(max(step), ?3) FROM steps WHERE lane = ?1 AND seed = ?2), "
            "(SELECT count(*) FROM events WHERE lane = ?1 AND seed = ?2 AND step > ?3)");
    if (!ns_database_bind(row, "iii", lane, seed, after) || sqlite3_step(row) != SQLITE_ROW)
        return false;
    *newest = sqlite3_column_int64(row, 0);
    *events = sqlite3_column_int64(row, 1);
    return true;
}

bool ns_run_go_on(NsRunRows *rows, NsLockstep *lockstep)
{
    const NsSettings *settings = &ns_lockstep_run(lockstep, 0, 0)->settings;
    if (!ns_database_find_number(rows->db, "SELECT ifnull(max(step), -1) FROM checkpoints",
                                 &rows->from))
        return false;
    /* Another program may have added a checkpoint since the lanes were restored. */
    rows->other_step = MAX(rows->from, 0) != ns_lockstep_steps(lockstep);
    if (rows->other_step) return false;
    bool all_repeat = true; /* every run will reproduce what the file has after the checkpoint */
    for (size_t i = 0; all_repeat && i < rows->n; i++)
        all_repeat =
            repeats(rows->db, rows->from, rows->runs[i].lane, ns_lockstep_nth_run(lockstep, i));
    bool good = go_back(rows->db, rows->from, settings, all_repeat);
    for (size_t i = 0; good && i < rows->n; i++) {
        NsRunSeed *run = &rows->runs[i];
        NsRun *own = ns_lockstep_nth_run(lockstep, i);
        const NsHistory *history = own->history;
        good = ns_run_write_quantities(rows, run) &&
               ns_run_change_checkpoint(rows->db, rows->from, run->lane, &own->settings) &&
               find_tail(rows->db, rows->from, run->lane, run->seed, &run->newest,
                         &run->retained_events);
        if (rows->from < 0) continue;
        run->steps = (size_t)(own->steps - ns_history_first_step(history)) + 1;
        while (run->evaluations < ns_history_evaluations(history) &&
               ns_history_evaluation(history, run->evaluations)->step < rows->from)
            run->evaluations++;
        while (run->continuations < ns_history_continuations(history) &&
               ns_history_continuation(history, run->continuations)->step < rows->from)
            run->continuations++;
        while (run->events < ns_history_events(history) &&
               ns_history_event(history, run->events)->step <= rows->from)
            run->events++;
    }
    return good;
}
