/* SPDX-License-Identifier: MIT */
#include "core/store/run_checkpoint-private.h"

#include "core/base/copy.h"
#include "core/base/squares.h"
#include "core/experiment/provenance.h"
#include "core/store/json.h"
#include "core/store/run_schema-private.h"

#include <inttypes.h>
#include <string.h>

/* ---- The state of the detector of spikes and plateaus ---- */

/* Files of earlier versions end before the losses of the plateau. */
#define WITHOUT_PLATEAU (3 + 2 * NS_SPIKE_RECORDS + 2 * NS_SPIKE_EXCURSION)
#define SPIKES (WITHOUT_PLATEAU + 2 + NS_PLATEAU_RECORDS)

/* The curvature of the last update follows, and after it the records of the usual ranges: whether
 * the curvature was measured, the number of records ever added and the numbers of a record in
 * double, then the ring in float.  Files of earlier versions end after the curvature, or before it
 * where it was not measured. */
#define CURVATURE 5
#define WITH_CURVATURE (SPIKES + CURVATURE)
#define WITH_BANDS (WITH_CURVATURE + 4)

/* Reads the ring of the usual ranges, which follows the numbers of its head. */
static bool unpack_bands(NsBands *bands, const double head[3], const void *blob, size_t bytes)
{
    if (bytes == 0) return true;
    if (!(head[0] >= 0 && head[0] < 1e15 && head[1] >= 0 && head[1] < 1e9 && head[2] >= 0 &&
          head[2] < 1e9))
        return false;
    *bands =
        (NsBands){.n = (uint64_t)head[0], .tensors = (size_t)head[1], .hidden = (size_t)head[2]};
    bands->width = 4 * bands->tensors + 2 * bands->hidden + 1;
    if (bytes != NS_BANDS_RECORDS * bands->width * sizeof *bands->ring) return false;
    bands->ring = g_memdup2(blob, bytes);
    return true;
}

/* Reads the states from a blob; false where it is none. */
static bool unpack_state(NsCheckpoint *c, const void *blob, size_t bytes)
{
    NsSpikes *s = &c->spikes;
    double packed[WITH_BANDS] = {0};
    const double *of = packed + SPIKES;
    const bool banded = bytes >= WITH_BANDS * sizeof *packed;
    if (!blob || (!banded && bytes != WITH_CURVATURE * sizeof *packed &&
                  bytes != SPIKES * sizeof *packed && bytes != WITHOUT_PLATEAU * sizeof *packed))
        return false;
    memcpy(packed, blob, MIN(bytes, sizeof packed));
    if (banded && !unpack_bands(&c->bands, packed + WITH_CURVATURE + 1,
                                (const char *)blob + sizeof packed, bytes - sizeof packed))
        return false;
    c->curvature = (NsCurvature){.critical_rate = of[0],
                                 .sharpness = of[1],
                                 .residual = of[2],
                                 .preconditioned = of[3],
                                 .preconditioned_residual = of[4],
                                 .measured = banded ? packed[WITH_CURVATURE] != 0
                                                    : bytes == WITH_CURVATURE * sizeof *packed};
    const double *plateau = packed + WITHOUT_PLATEAU;
    if (!(packed[0] >= 0 && packed[0] < 1e15 && packed[1] >= 0 && packed[1] < NS_SPIKE_EXCURSION &&
          plateau[0] >= 0 && plateau[0] < 1e15))
        return false;
    s->n = (size_t)packed[0];
    s->high = (size_t)packed[1];
    s->most = packed[2];
    memcpy(s->loss, packed + 3, sizeof s->loss);
    memcpy(s->norm, packed + 3 + NS_SPIKE_RECORDS, sizeof s->norm);
    memcpy(s->high_loss, packed + 3 + 2 * NS_SPIKE_RECORDS, sizeof s->high_loss);
    memcpy(s->high_norm, packed + WITHOUT_PLATEAU - NS_SPIKE_EXCURSION, sizeof s->high_norm);
    s->records = (size_t)plateau[0];
    s->stuck = plateau[1] != 0;
    memcpy(s->newest, plateau + 2, sizeof s->newest);
    return true;
}

/* ---- Settings ---- */

static char *settings_line(const NsSettings *settings)
{
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    ns_experiment_set_lanes(&provenance.experiment, &settings, 1);
    return ns_provenance_line(&provenance);
}

/* ---- Writing ---- */

static bool write_one(sqlite3 *db, int64_t step, int64_t lane, const NsCheckpoint *c)
{
    const NsBands *bands = &c->bands;
    size_t ring = bands->ring ? NS_BANDS_RECORDS * bands->width * sizeof *bands->ring : 0;
    g_autofree double *state = g_malloc(WITH_BANDS * sizeof *state + ring);
    const double head[] = {(double)c->spikes.n, (double)c->spikes.high, c->spikes.most};
    const double plateau[] = {(double)c->spikes.records, c->spikes.stuck};
    memcpy(state, head, sizeof head);
    memcpy(state + 3, c->spikes.loss, sizeof c->spikes.loss);
    memcpy(state + 3 + NS_SPIKE_RECORDS, c->spikes.norm, sizeof c->spikes.norm);
    memcpy(state + 3 + 2 * NS_SPIKE_RECORDS, c->spikes.high_loss, sizeof c->spikes.high_loss);
    memcpy(state + WITHOUT_PLATEAU - NS_SPIKE_EXCURSION, c->spikes.high_norm,
           sizeof c->spikes.high_norm);
    memcpy(state + WITHOUT_PLATEAU, plateau, sizeof plateau);
    memcpy(state + WITHOUT_PLATEAU + 2, c->spikes.newest, sizeof c->spikes.newest);

    const NsCurvature *of = &c->curvature;
    const double rest[] = {
        of->critical_rate,           of->sharpness, of->residual,     of->preconditioned,
        of->preconditioned_residual, of->measured,  (double)bands->n, (double)bands->tensors,
        (double)bands->hidden};
    memcpy(state + SPIKES, rest, sizeof rest);
    if (ring) memcpy(state + WITH_BANDS, bands->ring, ring);
    g_autofree char *settings = settings_line(&c->settings);
    if (!ns_database_write(db, "INSERT INTO checkpoints VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                           "iiiiitdbb", step, lane, c->settings.seed, c->step, (int64_t)c->diverged,
                           settings, c->lr, state, WITH_BANDS * sizeof *state + ring,
                           c->state ? c->state : (const void *)"",
                           (c->state ? c->n_state : 0) * sizeof *c->state))
        return false;
    sqlite3_int64 id = sqlite3_last_insert_rowid(db);
    NS_AUTO_STATEMENT row = ns_database_prepare(
        db, "INSERT INTO tensors VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    bool written = row != NULL;
    for (size_t i = 0; written && i < c->table.n; i++) {
        const NsTensor *tensor = &c->table.tensors[i];
        const NsTensorUpdate *update = &c->updates[i];
        const ns_real *w = c->w + tensor->offset;
        const ns_real *m = c->m ? c->m + tensor->offset : NULL;
        const ns_real *v = c->v ? c->v + tensor->offset : NULL;
        size_t bytes = ns_tensor_size(tensor) * sizeof *w;
        written = ns_database_bind(row, "iitiibbbidddd", id, (int64_t)i, tensor->name,
                                   (int64_t)tensor->rows, (int64_t)tensor->cols, w, bytes, m, bytes,
                                   v, bytes, c->moments_since[i], update->weight_sq,
                                   update->update_sq, update->ratio_sum, update->ratio_max) &&
                  ns_database_finish(row);
    }
    return written;
}

bool ns_run_checkpoint_write(sqlite3 *db, int64_t step, int64_t lane, const NsCheckpoint *first)
{
    bool written = write_one(db, step, lane, first);
    for (guint k = 0; written && first->others && k < first->others->len; k++)
        written = write_one(db, step, lane, first->others->pdata[k]);
    return written;
}

/* ---- Thinning ---- */

bool ns_run_checkpoints_thin(sqlite3 *db, int64_t budget)
{
    int64_t bytes, step;
    while (
        ns_database_find_number(db,
                                "SELECT total(length(weights) + ifnull(length(first_moments), 0) + "
                                "ifnull(length(second_moments), 0)) FROM tensors",
                                &bytes) &&
        bytes > budget &&
        ns_database_find_number(
            db,
            "WITH at AS (SELECT DISTINCT step FROM checkpoints), kept AS (SELECT step, "
            "lag(step, 1, 0) OVER (ORDER BY step) AS before, "
            "lead(step) OVER (ORDER BY step) AS after FROM at) SELECT step FROM kept "
            "WHERE after NOT NULL ORDER BY "
            "1.0 * (after - before) / ((SELECT max(step) FROM at) - before) LIMIT 1",
            &step)) {
        g_autofree char *sql =
            g_strdup_printf("DELETE FROM tensors WHERE checkpoint IN "
                            "(SELECT id FROM checkpoints WHERE step = %" PRId64 "); "
                            "DELETE FROM checkpoints WHERE step = %" PRId64,
                            step, step);
        if (!ns_database_run(db, sql)) return false;
    }
    return true;
}

/* ---- Reading ---- */

/* Reads the i-th tensor of an arena.  If the column is NULL, the arena must not exist. */
static bool read_arena(ns_real **arena, const NsCheckpoint *c, size_t i, sqlite3_stmt *row,
                       int column)
{
    const NsTensor *tensor = &c->table.tensors[i];
    if (sqlite3_column_type(row, column) == SQLITE_NULL) return *arena == NULL;
    if (!*arena && i == 0) *arena = ns_real_new(c->table.size, "a checkpoint", NULL);
    size_t bytes = ns_tensor_size(tensor) * sizeof **arena;
    const void *blob = sqlite3_column_blob(row, column);
    if (!*arena || !blob || (size_t)sqlite3_column_bytes(row, column) != bytes) return false;
    memcpy(*arena + tensor->offset, blob, bytes);
    return true;
}

static bool read_tensors(sqlite3 *db, sqlite3_int64 id, NsCheckpoint *c)
{
    /* Names and shapes have to match the sizes of the blobs, so that a damaged file cannot
     * request more memory than its own size. */
    NS_AUTO_STATEMENT row =
        ns_database_prepare(db, "SELECT name, rows, columns, length(weights) FROM tensors "
                                "WHERE checkpoint = ? ORDER BY place");
    if (!ns_database_bind(row, "i", id)) return false;
    int code;
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        int64_t rows = sqlite3_column_int64(row, 1), columns = sqlite3_column_int64(row, 2);
        int64_t elements = sqlite3_column_int64(row, 3) / (int64_t)sizeof(ns_real);
        if (!name || rows < 1 || columns < 0 || rows > elements ||
            (columns ? columns > elements || rows * columns != elements : rows != elements))
            return false;
        NsTensor tensor = {.rows = (size_t)rows, .cols = (size_t)columns};
        ns_copy_text(tensor.name, sizeof tensor.name, name);
        ns_tensor_table_add(&c->table, tensor, true);
    }
    if (code != SQLITE_DONE || c->table.n == 0) return false;
    size_t n = c->table.n;
    c->updates = g_new0(NsTensorUpdate, n);
    c->moments_since = g_new0(int64_t, n);
    NS_AUTO_STATEMENT values = ns_database_prepare(
        db, "SELECT weights, first_moments, second_moments, moments_since, weight_sq, "
            "update_sq, ratio_sum, ratio_max FROM tensors WHERE checkpoint = ? "
            "ORDER BY place");
    if (!ns_database_bind(values, "i", id)) return false;
    for (size_t i = 0; i < n; i++) {
        if (sqlite3_step(values) != SQLITE_ROW || !read_arena(&c->w, c, i, values, 0) ||
            !read_arena(&c->m, c, i, values, 1) || !read_arena(&c->v, c, i, values, 2) || !c->w)
            return false;
        c->moments_since[i] = sqlite3_column_int64(values, 3);
        if (c->moments_since[i] < 0 || c->moments_since[i] > c->step) return false;
        c->updates[i] = (NsTensorUpdate){.weight_sq = ns_database_number(values, 4),
                                         .update_sq = ns_database_number(values, 5),
                                         .ratio_sum = ns_database_number(values, 6),
                                         .ratio_max = ns_database_number(values, 7)};
        /* The product with the update, from the squared norm after it: |w - u|^2. */
        NsTensorUpdate *u = &c->updates[i];
        const NsTensor *tensor = &c->table.tensors[i];
        double after = ns_real_squares(c->w + tensor->offset, ns_tensor_size(tensor));
        if (u->weight_sq != 0) u->inner = (u->weight_sq + u->update_sq - after) / 2;
    }
    return c->w != NULL;
}

static bool read_state(NsCheckpoint *c, sqlite3_stmt *row, int column)
{
    c->n_state = (size_t)sqlite3_column_bytes(row, column) / sizeof *c->state;
    if (!c->n_state) return true;
    c->state = ns_real_new(c->n_state, "a checkpoint", NULL);
    const void *blob = sqlite3_column_blob(row, column);
    if (!c->state || !blob) return false;
    memcpy(c->state, blob, c->n_state * sizeof *c->state);
    return true;
}

NsCheckpoint *ns_run_checkpoint_read(sqlite3 *db, int64_t step, int64_t lane, int64_t seed)
{
    g_autoptr(NsCheckpoint) c = NULL;
    NS_AUTO_STATEMENT row = ns_database_prepare(
        db, "SELECT id, updates, diverged, settings, lr, spikes, state FROM checkpoints "
            "WHERE step = ? AND lane = ? AND seed = ?");
    if (!ns_database_bind(row, "iii", step, lane, seed) || sqlite3_step(row) != SQLITE_ROW)
        return NULL;
    const char *line = ns_database_text(row, 3);
    if (!line) return NULL;
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    if (!ns_provenance_read(&provenance, line, NULL)) return NULL;
    NsExperiment *own = ns_experiment_new_shared(&provenance.experiment);
    c = ns_checkpoint_new(own, &own->lane[0]);
    ns_experiment_unref(own);

    c->step = sqlite3_column_int64(row, 1);
    c->diverged = sqlite3_column_int(row, 2) != 0;
    c->lr = ns_database_number(row, 4);
    bool good =
        unpack_state(c, sqlite3_column_blob(row, 5), (size_t)sqlite3_column_bytes(row, 5)) &&
        c->step >= 0 && c->step <= step && c->step <= NS_JSON_LAST_INTEGER &&
        c->settings.seed == seed && read_state(c, row, 6) &&
        read_tensors(db, sqlite3_column_int64(row, 0), c);
    return good ? g_steal_pointer(&c) : NULL;
}

bool ns_run_change_checkpoint(sqlite3 *db, int64_t step, int64_t lane, const NsSettings *settings)
{
    g_autofree char *line = settings_line(settings);
    return ns_database_write(
        db, "UPDATE checkpoints SET settings = ? WHERE step = ? AND lane = ? AND seed = ?", "tiii",
        line, step, lane, settings->seed);
}
