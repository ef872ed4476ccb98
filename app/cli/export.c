/* SPDX-License-Identifier: MIT */
#include "app/cli/cli.h"

#include "core/base/error.h"
#include "core/store/jsonl.h"
#include "core/store/run_reader.h"
#include "core/train/run.h"

/* Steps that are held at once: so few that no history is thinned. */
#define MOST_STEPS 64
#define MOST_VALUES ((size_t)4 << 20)

typedef struct {
    NsRunReader *reader;
    NsLines *lines;
    const NsExperiment *experiment;
    size_t seeds, n; /* of a lane, of all */
} Export;

/* The i-th run, lane by lane. */
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

/* Every record: step by step, and in a step run by run. */
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
    g_autofree char *of_seed =
        seed && export->seeds > 1 ? ns_jsonl_of_seed(seed_of(export, i), line) : g_strdup(line);
    g_autofree char *in_lane =
        export->experiment->n > 1 ? ns_jsonl_in_lane(i / export->seeds + 1, of_seed) : NULL;
    return ns_lines_write(export->lines, in_lane ? in_lane : of_seed, error);
}

static bool write_json(const Export *export, size_t i, const NsHistory *history, size_t record,
                       GError **error)
{
    g_autofree char *line = ns_jsonl_record(history, record);
    return write_line(export, i, true, line, error);
}

/* The settings of a lane stand for all its seeds. */
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

/* ---- A table ---- */

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

/* What was measured; the index counts layers from 1, hidden states from 0, and heads through all
 * layers from 1. */
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
    if (!write_scalar(export, lane, s->step, "loss", s->loss, error) ||
        !write_scalar(export, lane, s->step, "lr", s->lr, error) ||
        !write_scalar(export, lane, s->step, "grad-norm", s->grad_norm, error) ||
        !write_scalar(export, lane, s->step, "seconds", s->seconds, error) ||
        !write_scalar(export, lane, s->step, "probe-seconds", s->probe_seconds, error))
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

/* ---- The command ---- */

typedef struct {
    NsChoice choice;
    bool (*write)(const Export *export, GError **error);
} Format;

static const Format formats[] = {
    {{.key = "csv", .purpose = "A row for every value"}, write_csv},
    {{.key = "jsonl", .purpose = "The JSON lines of the run"}, write_jsonl},
};

static const NsChoice *format_choice(size_t i)
{
    return i < G_N_ELEMENTS(formats) ? &formats[i].choice : NULL;
}

static bool write_file(const char *path, const Format *format, const char *out, GError **error)
{
    if (!ns_output_spares(out, path, error)) return false;
    g_autoptr(NsRunReader) reader = ns_run_reader_open(path, error);
    if (!reader) return false;
    NsLines *lines = ns_lines_open(out, error);
    if (!lines) return false;
    const NsExperiment *experiment = &ns_run_reader_provenance(reader)->experiment;
    size_t seeds = ns_run_reader_seeds(reader);
    const Export export = {reader, lines, experiment, seeds, experiment->n * seeds};
    bool written = format->write(&export, error);
    return ns_lines_close(lines, written ? error : NULL) && written;
}

int ns_cli_export(int argc, char **argv, GError **error)
{
    g_autofree char *word = NULL, *out = NULL;
    const GOptionEntry entries[] = {
        {"format", 0, 0, G_OPTION_ARG_STRING, &word, "csv or jsonl", "FORMAT"},
        {"out", 'o', 0, G_OPTION_ARG_FILENAME, &out,
         "The file to write, or standard output if it is “-” (default)", "PATH"},
        {0},
    };
    const NsOptions options = {
        .command = "export",
        .words = "FILE",
        .summary =
            "Writes all that a run file has recorded, in full precision.\n\n"
            "jsonl: the lines that “train” and “compare --jsonl” write of the run.\n"
            "csv: a row for every value: lane, seed, step, quantity, index, value.  The index\n"
            "counts layers from 1, hidden states from 0, and heads from 1 through all\n"
            "layers; a value of the whole step has none.  Events are in the JSON lines.",
        .examples = NS_CLI " export a.nsrun --format jsonl --out a.jsonl\n" NS_CLI
                           " export a.nsrun --format csv | head",
        .entries = entries,
    };
    if (!ns_options_read(&options, &argc, &argv, error)) return NS_EXIT_OK;
    if (argc != 2 || !word) {
        g_set_error_literal(error, NS_ERROR, NS_ERROR_USAGE,
                            "A run file and a format are wanted; write “" NS_CLI
                            " export FILE --format csv”, or jsonl.");
        return NS_EXIT_USAGE;
    }
    int format = ns_choices_find(format_choice, word);
    if (format < 0)
        ns_choices_unknown("format", word, format_choice, error);
    else
        write_file(argv[1], &formats[format], out ? out : "-", error);
    return NS_EXIT_OK;
}
