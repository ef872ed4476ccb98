/* SPDX-License-Identifier: MIT */
#include "core/store/run_resume-private.h"

#include "core/experiment/provenance.h"
#include "core/store/run_schema-private.h"
#include "core/train/live.h"

#include <math.h>
#include <string.h>

bool ns_run_newest_checkpoint(sqlite3 *db, int64_t *step)
{
    return ns_database_find_number(db, "SELECT ifnull(max(step), -1) FROM checkpoints", step);
}

/* Prepares a statement whose first three parameters are a lane, a seed and a step. */
static sqlite3_stmt *prepare_at(sqlite3 *db, const char *sql, int64_t lane, int64_t seed,
                                int64_t step)
{
    sqlite3_stmt *row = ns_database_prepare(db, sql);
    if (!row) return NULL;
    sqlite3_bind_int64(row, 1, lane);
    sqlite3_bind_int64(row, 2, seed);
    sqlite3_bind_int64(row, 3, step);
    return row;
}

static bool read_experiment(NsProvenance *provenance, sqlite3_stmt *row)
{
    if (!row || sqlite3_step(row) != SQLITE_ROW) return false;
    const char *line = (const char *)sqlite3_column_text(row, 0);
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
    NS_AUTO_STATEMENT row = prepare_at(db, sql[taken], lane, settings->seed, checkpoint);
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    size_t i = taken ? 0 : (size_t)lane - 1;
    return read_experiment(&provenance, row) && i < provenance.experiment.n &&
           !ns_live_differs(settings, &provenance.experiment.lane[i]);
}

static bool changes_later(sqlite3 *db, int64_t checkpoint, int64_t lane, int64_t seed)
{
    NS_AUTO_STATEMENT row =
        prepare_at(db,
                   "SELECT 1 FROM events WHERE lane = ? AND seed = ? AND step > ? "
                   "AND kind = 'setting'",
                   lane, seed, checkpoint);
    return !row || sqlite3_step(row) != SQLITE_DONE;
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool has_record(sqlite3 *db, int64_t lane, int64_t seed, const NsStep *step)
{
    NS_AUTO_STATEMENT row = prepare_at(db,
                                       "SELECT loss, grad_norm FROM steps WHERE lane = ? "
                                       "AND seed = ? AND step = ?",
                                       lane, seed, step->step);
    return row && sqlite3_step(row) == SQLITE_ROW &&
           same_bits(ns_database_number(row, 0), step->loss) &&
           same_bits(ns_database_number(row, 1), step->grad_norm);
}

bool ns_run_repeats(sqlite3 *db, int64_t checkpoint, int64_t lane, NsRun *run)
{
    const NsSettings *settings = ns_run_settings(run);
    const NsHistory *history = ns_run_history(run);
    size_t n = ns_history_steps(history);
    return n > 0 && has_settings(db, checkpoint, lane, settings) &&
           !changes_later(db, checkpoint, lane, settings->seed) &&
           has_record(db, lane, settings->seed, ns_history_step(history, n - 1));
}

/* ---- Resetting the file to a checkpoint ---- */

static bool run_with(sqlite3 *db, const char *sql, int64_t first, int64_t second)
{
    NS_AUTO_STATEMENT row = ns_database_prepare(db, sql);
    if (!row) return false;
    sqlite3_bind_int64(row, 1, first);
    if (sqlite3_bind_parameter_count(row) > 1) sqlite3_bind_int64(row, 2, second);
    return sqlite3_step(row) == SQLITE_DONE;
}

/* Changes the number of steps of the initial experiment. */
static bool change_length(sqlite3 *db, int64_t steps)
{
    NS_AUTO_STATEMENT old = ns_database_prepare(db, "SELECT experiment FROM run");
    NS_AUTO_STATEMENT new = ns_database_prepare(db, "UPDATE run SET experiment = ?");
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    if (!new || !read_experiment(&provenance, old)) return false;
    sqlite3_reset(old);
    for (size_t i = 0; i < provenance.experiment.n; i++)
        provenance.experiment.lane[i].steps = steps;
    g_autofree char *changed = ns_provenance_line(&provenance);
    sqlite3_bind_text(new, 1, changed, -1, SQLITE_STATIC);
    return sqlite3_step(new) == SQLITE_DONE;
}

/* A setting changed after this step has an event at the next step, which is not deleted. */
bool ns_run_drop_after(sqlite3 *db, int64_t step)
{
    static const char *const drop[] = {
        "DELETE FROM steps WHERE step > ?1",
        "DELETE FROM evaluations WHERE step > ?1",
        "DELETE FROM events WHERE step > ?1 AND NOT (kind = 'setting' AND step = ?1 + 1)",
        "DELETE FROM profiles WHERE first > ?1",
        "UPDATE profiles SET steps = ?1 - first + 1, "
        "data = substr(data, 1, length(data) / steps * (?1 - first + 1)), "
        "present = substr(present, 1, length(present) / steps * (?1 - first + 1)) "
        "WHERE first + steps - 1 > ?1",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(drop); i++)
        if (!run_with(db, drop[i], step, 0)) return false;
    return true;
}

bool ns_run_go_back(sqlite3 *db, int64_t checkpoint, const NsSettings *settings, bool keep)
{
    int64_t newest = checkpoint, steps = settings->steps, every = settings->eval_every;
    if (keep && !ns_database_find_number(db, "SELECT ifnull(max(step), -1) FROM steps", &newest))
        return false;
    /* An evaluation at the checkpoint is kept only if it was due there; the one at the end of the
     * run is not part of a longer run. */
    bool due = every > 0 && checkpoint % every == 0;
    return ns_run_drop_after(db, newest) &&
           ((keep && due) ||
            run_with(db, "DELETE FROM evaluations WHERE step = ?", checkpoint, 0)) &&
           run_with(db,
                    "UPDATE lanes SET summary = NULL, "
                    "settings = json_set(settings, '$.settings.steps', ?)",
                    steps, 0) &&
           change_length(db, steps);
}

bool ns_run_find_tail(sqlite3 *db, int64_t after, int64_t lane, int64_t seed, int64_t *newest,
                      int64_t *events)
{
    NS_AUTO_STATEMENT row = prepare_at(
        db,
        "SELECT (SELECT ifnull(max(step), ?3) FROM steps WHERE lane = ?1 AND seed = ?2), "
        "(SELECT count(*) FROM events WHERE lane = ?1 AND seed = ?2 AND step > ?3)",
        lane, seed, after);
    if (!row || sqlite3_step(row) != SQLITE_ROW) return false;
    *newest = sqlite3_column_int64(row, 0);
    *events = sqlite3_column_int64(row, 1);
    return true;
}
