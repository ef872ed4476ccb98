/* SPDX-License-Identifier: MIT */
#include "core/store/run_record.h"

#include "core/base/copy.h"
#include "core/base/database_file.h"
#include "core/base/digits.h"
#include "core/base/error.h"
#include "core/base/words.h"
#include "core/data/json_object.h"
#include "core/probe/record.h"
#include "core/store/json.h"
#include "core/store/jsonl.h"
#include "core/store/run_lines.h"
#include "core/train/run.h"

#include <math.h>
#include <string.h>

#define CHUNK ((size_t)1 << 20)

typedef struct {
    NsRecordLayout layout;
    NsValues values; /* [layout.width]; NULL before the first record */
    int64_t next;    /* the step that has to come next */
    NsHistory *history;
} Lane;

typedef struct {
    NsRecordedRun *run;
    int64_t until; /* records after this step are passed over */
    GString *head; /* the lines of the settings */
    bool begun;    /* all lines of the settings have been read */
    Lane lane[NS_LANES_MAX][NS_SEEDS_MAX];
    size_t line; /* the line that is being read, from 1 */
} Reader;

/* ---- Numbers ---- */

/* Reads a number, or a string for one that JSON cannot express. *has is false for null and for a
 * missing member, which leave *number as it is. */
static bool read_number(JsonNode *node, double *number, bool *has)
{
    static const struct {
        const char *text;
        double number;
    } words[] = {{"NaN", (double)NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    *has = node && !JSON_NODE_HOLDS_NULL(node);
    if (!*has) return true;
    if (!JSON_NODE_HOLDS_VALUE(node)) return false;
    GType type = json_node_get_value_type(node);
    *number = json_node_get_double(node);
    if (type == G_TYPE_DOUBLE || type == G_TYPE_INT64) return true;
    for (size_t i = 0; type == G_TYPE_STRING && i < G_N_ELEMENTS(words); i++) {
        if (!g_str_equal(json_node_get_string(node), words[i].text)) continue;
        *number = words[i].number;
        return true;
    }
    return false;
}

static bool read_value(JsonNode *node, NsValues values, size_t i)
{
    bool has;
    double number;
    if (!read_number(node, &number, &has)) return false;
    if (has) ns_values_put(values, i, number);
    return true;
}

/* Reads a scalar of the step.  If it is missing, *number does not change. */
static bool read_scalar(JsonObject *object, const char *key, double *number)
{
    bool has;
    return read_number(json_object_get_member(object, key), number, &has);
}

/* Reads an array of exactly n elements into the values from `first` on: numbers, or arrays of
 * `inner` numbers unless that is 0. */
static bool read_array(JsonNode *node, NsValues values, size_t first, size_t n, size_t inner)
{
    JsonArray *array = ns_json_array_of(node);
    bool good = array && json_array_get_length(array) == n;
    for (size_t i = 0; good && i < n; i++) {
        JsonNode *element = json_array_get_element(array, (guint)i);
        good = inner ? read_array(element, values, first + i * inner, inner, 0)
                     : read_value(element, values, first + i);
    }
    return good;
}

/* Finds the member of a quantity, or returns NULL.  Older files name the parameters by their keys,
 * "tok-emb" instead of "tok_emb". */
static JsonNode *find_quantity(JsonObject *object, NsQuantity quantity)
{
    const char *name = ns_json_quantity_key(quantity);
    JsonNode *node = json_object_get_member(object, name);
    if (node || (unsigned)quantity >= NS_PARAMETER_COUNT || !strchr(name, '_')) return node;
    g_autofree char *key = g_strdelimit(g_strdup(name), "_", '-');
    return json_object_get_member(object, key);
}

static bool read_quantity(Lane *lane, NsQuantity quantity, JsonObject *object)
{
    const NsRecordLayout *layout = &lane->layout;
    size_t first = layout->offset[quantity], n = layout->count[quantity];
    JsonNode *node = find_quantity(object, quantity);
    if (!node || n == 0) return true;
    switch (ns_quantity(quantity)->domain) {
    case NS_DOMAIN_STEP:
        return read_value(node, lane->values, first);
    case NS_DOMAIN_LAYER:
    case NS_DOMAIN_HIDDEN:
        return read_array(node, lane->values, first, n, 0);
    case NS_DOMAIN_HEAD:
        return read_array(node, lane->values, first, layout->layers, layout->heads);
    }
    return false;
}

/* ---- Events ---- */

static void copy_text(char *to, size_t size, JsonObject *object, const char *key)
{
    ns_copy_text(to, size, ns_json_text_of(json_object_get_member(object, key)));
}

static void read_events(NsHistory *history, JsonObject *object, int64_t step)
{
    JsonArray *events = ns_json_array_of(json_object_get_member(object, "events"));
    double layers = (double)ns_history_layout(history)->layers;
    for (guint i = 0; events && i < json_array_get_length(events); i++) {
        JsonObject *one = ns_json_object_of(json_array_get_element(events, i));
        NsEvent event = {.step = step};
        double layer = 0.0;
        char kind[16];
        if (!one) continue;
        copy_text(kind, sizeof kind, one, "kind");
        if (!ns_jsonl_find_event(kind, &event.kind) || !read_scalar(one, "layer", &layer)) continue;
        event.layer = layer >= 1.0 && layer <= layers ? (int)layer : 0;
        copy_text(event.what, sizeof event.what, one, "what");
        copy_text(event.text, sizeof event.text, one, "text");
        ns_history_append_event(history, &event);
    }
}

/* ---- Records ---- */

static bool read_record(Reader *reader, size_t i, size_t seed, JsonObject *object)
{
    Lane *lane = &reader->lane[i][seed];
    NsHistory **history = &lane->history;
    JsonObject *gradients = ns_json_object_of(json_object_get_member(object, "grad_norm"));
    NsStep step = {.loss = (double)NAN, .grad_norm = (double)NAN};
    if (!ns_json_integer_of(json_object_get_member(object, "step"), &step.step) || !gradients)
        return false;
    if (!json_object_has_member(object, "loss") || step.step < 0 ||
        step.step > NS_JSON_LAST_INTEGER ||
        (*history && step.step != lane->next && step.step <= reader->until))
        return false;
    if (!read_scalar(object, "loss", &step.loss) || !read_scalar(object, "lr", &step.lr) ||
        !read_scalar(object, "seconds", &step.seconds) ||
        !read_scalar(object, "probe_seconds", &step.probe_seconds) ||
        !read_scalar(gradients, "total", &step.grad_norm))
        return false;
    if (step.step > reader->until) return true;
    if (!lane->values.value) {
        /* The model has the parameters that have a gradient in the first record. */
        const NsSettings *settings = &reader->run->experiment.lane[i];
        NsTensor tensors[NS_PARAMETER_COUNT];
        NsTensorTable table = {.tensors = tensors};
        for (unsigned parameter = 0; parameter < NS_PARAMETER_COUNT; parameter++)
            if (find_quantity(gradients, (NsQuantity)parameter))
                tensors[table.n++] = (NsTensor){.parameter = parameter};
        ns_record_layout_of(&lane->layout, &table, settings);
        if (lane->layout.width > NS_RECORDED_WIDEST) return false;
        lane->values = ns_values_new(lane->layout.width);
    }
    ns_values_reset(lane->values, lane->layout.width);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        if (!read_quantity(lane, (NsQuantity)q, q < NS_PARAMETER_COUNT ? gradients : object))
            return false;
    NsEvaluation evaluation = {.step = step.step, .loss = (double)NAN};
    if (!read_scalar(object, "validation_loss", &evaluation.loss)) return false;
    if (!*history) {
        size_t seeds = (size_t)reader->run->experiment.lane[i].seeds;
        *history = ns_history_new(&lane->layout, NS_HISTORY_BUDGET / seeds, step.step);
    }
    ns_history_append(*history, &step, lane->values);
    lane->next = step.step + 1;
    if (json_object_has_member(object, "validation_loss"))
        ns_history_append_evaluation(*history, &evaluation);
    JsonObject *words = ns_json_object_of(json_object_get_member(object, "continuation"));
    if (words) {
        NsContinuation continuation = {.step = step.step};
        copy_text(continuation.prompt, sizeof continuation.prompt, words, "prompt");
        copy_text(continuation.text, sizeof continuation.text, words, "text");
        ns_history_append_continuation(*history, &continuation);
    }
    read_events(*history, object, step.step);
    return true;
}

/* ---- Lines ---- */

/* Reads the experiment after the last line of settings. */
static bool begin(Reader *reader, GError **error)
{
    g_autofree char *line = ns_run_lines_provenance(reader->head->str, reader->head->len);
    if (!line)
        return ns_refuse(error, NS_ERROR_FILE, "it does not begin with the settings of a run.");
    g_auto(NsProvenance) provenance;
    ns_provenance_init(&provenance);
    if (!ns_provenance_read(&provenance, line, error)) return false;
    ns_experiment_assign(&reader->run->experiment, &provenance.experiment);
    reader->run->lanes = provenance.experiment.n;
    reader->begun = true;
    return true;
}

typedef enum { TAKEN, REFUSED, FAILED } Verdict;

static Verdict take_object(Reader *reader, JsonObject *object, const char *line, size_t size,
                           GError **error)
{
    if (json_object_has_member(object, "settings")) {
        if (reader->begun) return REFUSED;
        g_string_append_len(reader->head, line, (gssize)size);
        g_string_append_c(reader->head, '\n');
        return TAKEN;
    }
    if (!reader->begun && !begin(reader, error)) return FAILED;
    if (json_object_has_member(object, "summary")) return TAKEN;
    double lane = 1.0;
    if (!read_scalar(object, "lane", &lane)) return REFUSED;
    if (!(lane >= 1.0 && lane <= (double)reader->run->experiment.n)) return REFUSED;
    const NsSettings *settings = &reader->run->experiment.lane[(size_t)lane - 1];
    double seed = (double)settings->seed;
    if (!read_scalar(object, "seed", &seed)) return REFUSED;
    seed -= (double)settings->seed;
    if (!(seed >= 0.0 && seed < (double)settings->seeds)) return REFUSED;
    return read_record(reader, (size_t)lane - 1, (size_t)seed, object) ? TAKEN : REFUSED;
}

static Verdict take_line(Reader *reader, const char *line, size_t size, GError **error)
{
    reader->line++;
    if (size > 0 && line[size - 1] == '\r') size--;
    if (size == 0) return TAKEN;
    g_autoptr(JsonNode) node = ns_json_parse(line, size);
    return node ? take_object(reader, json_node_get_object(node), line, size, error) : REFUSED;
}

/* Reads up to the end, or to the first line that is not one of the run: *wrong.  *cut: it is the
 * last one and has no newline. */
static bool read_all(Reader *reader, GInputStream *stream, bool *wrong, bool *cut,
                     GCancellable *cancellable, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *chunk = g_malloc(CHUNK);
    Verdict verdict = TAKEN;
    gssize got = 0;
    while (verdict == TAKEN &&
           (got = g_input_stream_read(stream, chunk, CHUNK, cancellable, error)) > 0) {
        g_string_append_len(text, chunk, got);
        /* Process the complete lines of the text and remove them from it. */
        size_t at = 0;
        const char *newline;
        while (verdict == TAKEN && (newline = memchr(text->str + at, '\n', text->len - at))) {
            size_t size = (size_t)(newline - text->str) - at;
            verdict = take_line(reader, text->str + at, size, error);
            at += size + 1;
        }
        g_string_erase(text, 0, (gssize)at);
        if (verdict != TAKEN || text->len <= NS_RUN_LINE_MAX) continue;
        verdict = REFUSED;
        reader->line++;
    }
    if (got < 0 || verdict == FAILED) return false;
    /* The last line may lack its newline and may even be incomplete. */
    bool last = verdict == TAKEN && text->len > 0;
    if (last) verdict = take_line(reader, text->str, text->len, error);
    if (verdict == FAILED) return false;
    *wrong = verdict == REFUSED;
    *cut = last && *wrong;
    return reader->begun || begin(reader, error);
}

/* Moves the histories into the record: for each lane that of the first seed, which contains the
 * other seeds. */
static bool take_histories(Reader *reader, bool wrong, GError **error)
{
    NsRecordedRun *run = reader->run;
    for (size_t i = 0; i < run->lanes; i++) {
        Lane *lane = reader->lane[i];
        size_t seeds = (size_t)run->experiment.lane[i].seeds;
        for (size_t k = 0; k < seeds; k++) {
            if (!lane[k].history)
                return ns_refuse(
                    error, wrong ? NS_ERROR_FILE : NS_ERROR_EMPTY,
                    "it contains no complete step of lane %zu, so there are no curves to show.",
                    i + 1);
            if (k) ns_history_add_seed(lane[0].history, lane[k].history);
            run->last = MAX(run->last, lane[k].next - 1);
        }
        run->histories[i] = ns_history_ref(lane[0].history);
    }
    return true;
}

bool ns_run_record_read(NsRecordedRun *run, int64_t until, GInputStream *stream,
                        GCancellable *cancellable, GError **error)
{
    g_autofree Reader *reader = g_new0(Reader, 1); /* too large for the stack of some threads */
    bool wrong = false, cut = false;
    reader->run = run;
    reader->until = until;
    reader->head = g_string_new(NULL);
    bool good = read_all(reader, stream, &wrong, &cut, cancellable, error) &&
                take_histories(reader, wrong, error);
    if (!good) g_prefix_error(error, "“%s”: ", run->name);
    g_autofree char *step = ns_group_digits(run->last);
    if (good && cut)
        ns_recorded_run_report(
            run, _("%s is cut off in line %zu; everything before it is shown, up to step %s."),
            run->name, reader->line, step);
    else if (good && wrong)
        ns_recorded_run_report(run,
                               _("Line %zu of %s does not belong to its run; everything before it "
                                 "is shown, up to step %s."),
                               reader->line, run->name, step);
    for (size_t i = 0; i < NS_LANES_MAX; i++)
        for (size_t k = 0; k < NS_SEEDS_MAX; k++) {
            ns_values_free(&reader->lane[i][k].values);
            g_clear_pointer(&reader->lane[i][k].history, ns_history_unref);
        }
    g_string_free(reader->head, TRUE);
    return good;
}

bool ns_run_record_is(const char *path)
{
    char head[64];
    return ns_run_lines_are(head, ns_database_file_head(path, head, sizeof head));
}
