/* SPDX-License-Identifier: MIT */
#include "app/cli/lanes.h"

#include "core/base/file.h"
#include "core/store/dump.h"
#include "core/store/jsonl.h"
#include "core/store/pytorch.h"
#include "core/store/run_reader.h"
#include "core/store/safetensors.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The most steps read at once: few enough that no history is thinned. */
#define MOST_STEPS 64
#define MOST_VALUES ((size_t)4 << 20)

typedef struct {
    NsRunReader *reader;
    NsLines *lines;
    const NsExperiment *experiment;
    size_t seeds, n; /* seeds: per lane; n: runs in total */
} Export;

/* The numbers stored for a step (NsStep) and for an evaluation (NsEvaluation). */
static const struct {
    const char *name;
    bool evaluations;
    NsStoredType type;
    size_t field;
} scalars[] = {
    {"step", false, NS_STORED_I64, offsetof(NsStep, step)},
    {"loss", false, NS_STORED_F64, offsetof(NsStep, loss)},
    {"lr", false, NS_STORED_F64, offsetof(NsStep, lr)},
    {"grad-norm", false, NS_STORED_F64, offsetof(NsStep, grad_norm)},
    {"seconds", false, NS_STORED_F64, offsetof(NsStep, seconds)},
    {"probe-seconds", false, NS_STORED_F64, offsetof(NsStep, probe_seconds)},
    {"validation-step", true, NS_STORED_I64, offsetof(NsEvaluation, step)},
    {"validation-loss", true, NS_STORED_F64, offsetof(NsEvaluation, loss)},
};

/* Reads a double of an NsStep or an NsEvaluation. */
static double scalar_of(const void *row, size_t i)
{
    return *(const double *)(const void *)((const char *)row + scalars[i].field);
}

/* The i-th run; the seeds of a lane are adjacent. */
static NsRecorded run_at(const Export *export, size_t i)
{
    return (NsRecorded){export->reader, i / export->seeds, i % export->seeds};
}

static NsRunLane head_of(const Export *export, size_t i)
{
    return ns_run_reader_lane(export->reader, i / export->seeds, i % export->seeds);
}

static int64_t seed_of(const Export *export, size_t i)
{
    return export->experiment->lane[i / export->seeds].seed + (int64_t)(i % export->seeds);
}

/* Writes one record of the i-th run. */
typedef bool WriteRecord(const Export *export, size_t i, const NsHistory *history, size_t record,
                         GError **error);

/* Writes all records, ordered by step and within a step by run. */
static bool write_records(const Export *export, WriteRecord *write, GError **error)
{
    int64_t first = G_MAXINT64, last = -1, block = MOST_STEPS;
    for (size_t i = 0; i < export->n; i++) {
        NsRunLane lane = head_of(export, i);
        first = MIN(first, lane.first);
        last = MAX(last, lane.last);
        block = CLAMP((int64_t)(MOST_VALUES / lane.width / export->seeds), 1, block);
    }
    bool good = true;
    for (int64_t at = first; good && at <= last; at += block) {
        NsHistory *histories[NS_LANES_MAX * NS_SEEDS_MAX] = {0};
        for (size_t i = 0; good && i < export->n; i++) {
            NsRunLane lane = head_of(export, i);
            int64_t from = MAX(at, lane.first), to = MIN(at + block - 1, lane.last);
            if (from > to) continue;
            histories[i] =
                ns_run_reader_history(run_at(export, i), from, to, NS_HISTORY_BUDGET, error);
            good = histories[i] != NULL;
        }
        for (int64_t step = at; good && step < at + block; step++)
            for (size_t i = 0; good && i < export->n; i++) {
                const NsHistory *history = histories[i];
                int64_t record = history ? step - ns_history_first_step(history) : -1;
                if (record >= 0 && record < (int64_t)ns_history_steps(history))
                    good = write(export, i, history, (size_t)record, error);
            }
        for (size_t i = 0; i < export->n; i++)
            if (histories[i]) ns_history_unref(histories[i]);
    }
    return good;
}

/* ---- JSON lines ---- */

static bool write_line(const Export *export, size_t i, bool seed, const char *line, GError **error)
{
    g_autofree char *own = ns_jsonl_of(export->experiment->n > 1 ? i / export->seeds + 1 : 0,
                                       seed && export->seeds > 1 ? seed_of(export, i) : -1, line);
    return ns_lines_write(export->lines, own, error);
}

static bool write_json(const Export *export, size_t i, const NsHistory *history, size_t record,
                       GError **error)
{
    g_autofree char *line = ns_jsonl_record(history, record);
    return write_line(export, i, true, line, error);
}

/* The settings of a lane are written once for all its seeds. */
static bool write_jsonl(const Export *export, GError **error)
{
    for (size_t i = 0; i < export->n; i += export->seeds)
        if (!write_line(export, i, false, head_of(export, i).settings, error)) return false;
    if (!write_records(export, write_json, error)) return false;
    for (size_t i = 0; i < export->n; i++) {
        const char *summary = head_of(export, i).summary;
        if (summary && !write_line(export, i, true, summary, error)) return false;
    }
    return true;
}

/* ---- Table ---- */

static bool write_row(const Export *export, size_t i, int64_t step, const char *quantity,
                      const char *index, const char *number, GError **error)
{
    g_autofree char *row =
        g_strdup_printf("%zu,%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT ",%s,%s,%s",
                        i / export->seeds + 1, seed_of(export, i), step, quantity, index, number);
    return ns_lines_write(export->lines, row, error);
}

static bool write_scalar(const Export *export, size_t lane, int64_t step, const char *quantity,
                         double value, GError **error)
{
    char number[G_ASCII_DTOSTR_BUF_SIZE];
    g_ascii_dtostr(number, sizeof number, value);
    return write_row(export, lane, step, quantity, "", number, error);
}

/* Writes the measured values of a quantity.  The index counts layers from 1, hidden states from 0,
 * and heads from 1 through all layers. */
static bool write_quantity(const Export *export, size_t lane, const NsHistory *history,
                           size_t record, NsQuantity quantity, GError **error)
{
    size_t n = ns_history_layout(history)->count[quantity];
    const NsQuantityInfo *info = ns_quantity(quantity);
    int64_t step = ns_history_step(history, record)->step;
    g_auto(NsValues) values = ns_values_new(MAX(n, 1));
    if (n > 0) ns_history_read(history, quantity, record, NULL, values.value, values.has);
    for (size_t i = 0; i < n; i++) {
        if (!values.has[i]) continue;
        char number[G_ASCII_DTOSTR_BUF_SIZE], index[32] = "";
        g_ascii_formatd(number, sizeof number, "%.9g", (double)values.value[i]);
        size_t at = i + (info->domain != NS_DOMAIN_HIDDEN);
        if (info->domain != NS_DOMAIN_STEP) g_snprintf(index, sizeof index, "%zu", at);
        if (!write_row(export, lane, step, info->choice.key, index, number, error)) return false;
    }
    return true;
}

static bool write_table_record(const Export *export, size_t lane, const NsHistory *history,
                               size_t record, GError **error)
{
    const NsStep *s = ns_history_step(history, record);
    for (size_t k = 0; k < G_N_ELEMENTS(scalars); k++)
        if (!scalars[k].evaluations && scalars[k].type == NS_STORED_F64 &&
            !write_scalar(export, lane, s->step, scalars[k].name, scalar_of(s, k), error))
            return false;
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        if (!write_quantity(export, lane, history, record, (NsQuantity)q, error)) return false;
    for (size_t i = 0; i < ns_history_evaluations(history); i++) {
        const NsEvaluation *e = ns_history_evaluation(history, i);
        if (e->step == s->step &&
            !write_scalar(export, lane, e->step, "validation-loss", e->loss, error))
            return false;
    }
    return true;
}

static bool write_csv(const Export *export, GError **error)
{
    return ns_lines_write(export->lines, "lane,seed,step,quantity,index,value", error) &&
           write_records(export, write_table_record, error);
}

/* ---- Arrays ---- */

/* An array of the recorded data of the i-th run. */
typedef struct {
    NsStoredTensor tensor; /* owns its name; its data is read later */
    size_t run;
    NsQuantity quantity; /* NS_QUANTITY_COUNT for scalars */
    bool has;            /* the array marks which values were measured */
    size_t field;        /* of scalars: byte offset in NsStep or NsEvaluation */
    GArray *rows;        /* of NsStep or NsEvaluation; borrowed */
} Array;

static void array_clear(void *data)
{
    Array *array = data;
    g_free((gpointer)(guintptr)array->tensor.name);
}

/* The scalars of the rows of a run. */
static void add_scalars(GArray *arrays, const char *prefix, size_t run, GArray *rows,
                        bool evaluations)
{
    for (size_t i = 0; i < G_N_ELEMENTS(scalars); i++) {
        if (scalars[i].evaluations != evaluations) continue;
        const Array array = {.tensor = {.name = g_strconcat(prefix, scalars[i].name, NULL),
                                        .type = scalars[i].type,
                                        .dims = 1,
                                        .shape = {rows->len}},
                             .run = run,
                             .quantity = NS_QUANTITY_COUNT,
                             .field = scalars[i].field,
                             .rows = rows};
        g_array_append_val(arrays, array);
    }
}

/* Writes the data of an array, in blocks of several steps. */
static bool write_array(const Export *export, const Array *array, GError **error)
{
    if ((unsigned)array->quantity == NS_QUANTITY_COUNT) { /* scalars, of eight bytes each */
        const GArray *rows = array->rows;
        guint size = g_array_get_element_size(array->rows);
        bool written = true;
        for (guint i = 0; written && i < rows->len; i++)
            written =
                ns_lines_write_bytes(export->lines, rows->data + (size_t)i * size + array->field,
                                     sizeof(uint64_t), error);
        return written;
    }
    NsRunLane lane = head_of(export, array->run);
    NsRecorded of = run_at(export, array->run);
    size_t width = ns_run_reader_layout(of)->count[array->quantity];
    size_t most = CLAMP(MOST_VALUES / width, 1, 4096);
    g_auto(NsValues) values = ns_values_new(most * width);
    bool good = true;
    for (int64_t at = lane.first; good && at <= lane.last; at += (int64_t)most) {
        size_t n = MIN(most, (size_t)(lane.last - at) + 1);
        size_t size = array->has ? sizeof *values.has : sizeof *values.value;
        const void *data = array->has ? (const void *)values.has : values.value;
        good = ns_run_reader_values(of, array->quantity, at, n, values, error) &&
               ns_lines_write_bytes(export->lines, data, n * width * size, error);
    }
    return good;
}

static bool write_safetensors(const Export *export, GError **error)
{
    g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
    /* All arrays of the run file; `rows` owns the rows that scalars borrow. */
    g_autoptr(GArray) arrays = g_array_new(FALSE, FALSE, sizeof(Array));
    g_array_set_clear_func(arrays, array_clear);
    for (size_t i = 0; i < export->n; i++) {
        NsRecorded of = run_at(export, i);
        NsRunLane lane = head_of(export, i);
        size_t n = (size_t)(lane.last - lane.first) + 1;
        /* "lane1/seed3/"; a part is left out if there is only one lane or seed. */
        GString *folder = g_string_new(NULL);
        if (export->experiment->n > 1)
            g_string_append_printf(folder, "lane%zu/", i / export->seeds + 1);
        if (export->seeds > 1)
            g_string_append_printf(folder, "seed%" G_GINT64_FORMAT "/", seed_of(export, i));
        g_autofree char *prefix = g_string_free(folder, FALSE);
        GArray *steps = g_array_new(FALSE, FALSE, sizeof(NsStep));
        g_ptr_array_add(rows, steps);
        g_array_set_size(steps, (guint)n);
        if (!ns_run_reader_steps(of, lane.first, n, (NsStep *)(void *)steps->data, error))
            return false;
        add_scalars(arrays, prefix, i, steps, false);
        g_autoptr(NsHistory) marks = ns_run_reader_marks(of, error);
        if (!marks) return false;
        GArray *evaluations = g_array_new(FALSE, FALSE, sizeof(NsEvaluation));
        g_ptr_array_add(rows, evaluations);
        for (size_t k = 0; k < ns_history_evaluations(marks); k++)
            g_array_append_vals(evaluations, ns_history_evaluation(marks, k), 1);
        add_scalars(arrays, prefix, i, evaluations, true);
        const NsRecordLayout *layout = ns_run_reader_layout(of);
        for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
            bool all, heads = ns_quantity((NsQuantity)q)->domain == NS_DOMAIN_HEAD;
            if (layout->count[q] == 0) continue;
            if (!ns_run_reader_has_all(of, (NsQuantity)q, &all, error)) return false;
            const char *key = ns_quantity((NsQuantity)q)->choice.key;
            for (int has = 0; has <= !all; has++) {
                const NsStoredTensor tensor = {
                    .name = g_strconcat(prefix, key, has ? "/measured" : "", NULL),
                    .type = has ? NS_STORED_BOOL : NS_STORED_F32,
                    .dims = heads                                                  ? 3
                            : ns_quantity((NsQuantity)q)->domain == NS_DOMAIN_STEP ? 1
                                                                                   : 2,
                    .shape = {n, heads ? layout->layers : layout->count[q], layout->heads}};
                const Array array = {tensor, i, (NsQuantity)q, has, 0, NULL};
                g_array_append_val(arrays, array);
            }
        }
    }
    g_autofree NsStoredTensor *tensors = g_new(NsStoredTensor, arrays->len);
    for (guint i = 0; i < arrays->len; i++) tensors[i] = g_array_index(arrays, Array, i).tensor;
    size_t bytes;
    g_autofree char *line = ns_provenance_line(ns_run_reader_provenance(export->reader));
    g_autofree char *head = ns_safetensors_head(tensors, arrays->len, line, &bytes);
    bool good = ns_lines_write_bytes(export->lines, head, bytes, error);
    for (guint i = 0; good && i < arrays->len; i++)
        good = write_array(export, &g_array_index(arrays, Array, i), error);
    return good;
}

/* ---- The command ---- */

typedef struct {
    NsChoice choice;
    bool binary;
    bool (*write)(const Export *export, GError **error);
} Format;

static const Format formats[] = {
    {{.key = "csv", .purpose = "A row for every value"}, false, write_csv},
    {{.key = "jsonl", .purpose = "The JSON lines of the run"}, false, write_jsonl},
    {{.key = "safetensors", .purpose = "Arrays of all steps"}, true, write_safetensors},
};

static const NsChoice *format_choice(size_t i)
{
    return i < G_N_ELEMENTS(formats) ? &formats[i].choice : NULL;
}

static int run(NsArguments *a, GError **error)
{
    const char *out = a->out ? a->out : "-";
    int i = ns_choices_require("format", a->format, format_choice, error);
    if (i < 0 || (!g_str_equal(out, "-") && !ns_output_check(out, error))) return NS_EXIT_USAGE;
    if (formats[i].binary && g_str_equal(out, "-") && isatty(STDOUT_FILENO))
        return ns_usage(error,
                        "%s cannot be shown in a terminal; give --out FILE, or write to a pipe.",
                        a->format);
    g_autoptr(NsRunReader) reader = ns_run_reader_open(a->files[0], error);
    NsLines *lines = reader ? ns_lines_open(out, false, error) : NULL;
    if (!lines) return NS_EXIT_ERROR;
    const NsExperiment *experiment = &ns_run_reader_provenance(reader)->experiment;
    size_t seeds = ns_run_reader_seeds(reader);
    const Export export = {reader, lines, experiment, seeds, experiment->n * seeds};
    bool written = formats[i].write(&export, error);
    return ns_lines_close(lines, written, error) ? NS_EXIT_OK : NS_EXIT_ERROR;
}

const NsCommand ns_cli_export = {
    .choice = {.key = "export", .purpose = "Write everything that a run file has recorded"},
    .words = "FILE",
    .least = 1,
    .most = 1,
    .wrong = "A run file and a format are missing; write “" NS_CLI
             " export FILE --format csv”, or another (--help).",
    .summary =
        "Writes everything that a run file has recorded, in full precision.\n\n"
        "jsonl: the lines that “train” and “compare --jsonl” would write for the run.\n"
        "csv: one row per value: lane, seed, step, quantity, index, value.  The index\n"
        "counts layers from 1, hidden states from 0, and heads from 1 through all\n"
        "layers; it is empty for a value of the whole step.\n"
        "safetensors: arrays: step, loss, lr, grad-norm, seconds, probe-seconds,\n"
        "validation-step and validation-loss, and every quantity by its key, as float32 of\n"
        "shape steps by layers, by hidden states, or by layers and heads.  If some values\n"
        "were not measured, KEY/measured marks those that were.  Names start with “lane1/”\n"
        "and “seed1/” if there are several; experiment, in the metadata, is the line stored\n"
        "in figures.\n\n"
        "For NumPy, normscope_reader.py opens a run file without an export.\n"
        "Events are only in the JSON lines.",
    .examples = NS_CLI " export a.nsrun --format jsonl --out a.jsonl\n" NS_CLI
                       " export a.nsrun --format csv | head\n" NS_CLI
                       " export a.nsrun --format safetensors --out a.safetensors",
    .run = run,
};

/* ---- The state of a model ---- */

/* A dump needs the state of one step, which is incomplete while the next one is computed. */
static void finish_early(void *data)
{
    (void)data;
    fputs(NS_CLI ": Interrupted in the middle of a long step; nothing was written.\n", stderr);
}

static int run_dump(NsArguments *a, GError **error)
{
    g_autoptr(NsCheckpoint) checkpoint = NULL;
    if (a->pytorch && !ns_pytorch_check(a->pytorch, error)) return NS_EXIT_USAGE;
    if (!ns_checkpoint_open(a, &checkpoint, error)) return NS_EXIT_OK;
    if (a->out && !ns_dump_check(a->out, error)) return NS_EXIT_ERROR;
    gint64 limit = a->experiment.lane[0].steps;
    g_autoptr(NsLockstep) lockstep = ns_lanes_start(&a->experiment, checkpoint, error);
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
    .run = run_dump,
};
