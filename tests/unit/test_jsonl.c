/* JSON lines read back.  SPDX-License-Identifier: MIT */
#include "core/experiment/param.h"
#include "core/store/json.h"
#include "core/store/jsonl.h"
#include "tests/unit/support.h"

#include <math.h>
#include <string.h>

static void test_json_values(void)
{
    NsJson json;
    ns_json_init(&json);
    ns_json_string(&json, "text", "a \"quote\", a \\, a tab\t, \xC3\xA9, \x01");
    ns_json_string(&json, "broken", "half \xC3");
    ns_json_string(&json, "none", NULL);
    ns_json_bool(&json, "yes", true);
    ns_json_int(&json, "large", INT64_MIN);
    ns_json_double(&json, "simple", 0.003);
    ns_json_double(&json, "nan", (double)NAN);
    ns_json_double(&json, "inf", (double)INFINITY);
    ns_json_double(&json, "minus", (double)-INFINITY);
    ns_json_open(&json, "empty", '[');
    ns_json_close(&json, ']');
    ns_json_open(&json, "object", '{');
    ns_json_int(&json, "in", 1);
    ns_json_close(&json, '}');
    g_autofree char *text = ns_json_finish(&json);
    g_assert_nonnull(strstr(text, "\"simple\":0.003,"));
    g_assert_nonnull(strstr(text, "a tab\\u0009,"));

    g_autoptr(JsonNode) node = ns_test_parse(text);
    JsonObject *object = json_node_get_object(node);
    g_assert_cmpstr(json_object_get_string_member(object, "text"), ==,
                    "a \"quote\", a \\, a tab\t, \xC3\xA9, \x01");
    g_assert_cmpstr(json_object_get_string_member(object, "broken"), ==, "half \xEF\xBF\xBD");
    g_assert_true(json_object_get_null_member(object, "none"));
    g_assert_true(json_object_get_boolean_member(object, "yes"));
    g_assert_cmpint(json_object_get_int_member(object, "large"), ==, INT64_MIN);
    g_assert_cmpstr(json_object_get_string_member(object, "nan"), ==, "NaN");
    g_assert_cmpstr(json_object_get_string_member(object, "inf"), ==, "Infinity");
    g_assert_cmpstr(json_object_get_string_member(object, "minus"), ==, "-Infinity");
    g_assert_cmpuint(json_array_get_length(json_object_get_array_member(object, "empty")), ==, 0);
    JsonObject *inner = json_object_get_object_member(object, "object");
    g_assert_cmpint(json_object_get_int_member(inner, "in"), ==, 1);
}

/* Random bits, so that every magnitude occurs. */
static void test_json_round_trip(void)
{
    enum { N = 5000 };
    float floats[N];
    double doubles[N];
    for (size_t i = 0; i < N; i++) {
        do {
            uint32_t low = (uint32_t)g_test_rand_int(), high = (uint32_t)g_test_rand_int();
            uint64_t both = (uint64_t)high << 32 | low;
            memcpy(&floats[i], &low, sizeof low);
            memcpy(&doubles[i], &both, sizeof both);
        } while (!isnormal(floats[i]) || !isnormal(doubles[i]));
    }
    NsJson json;
    ns_json_init(&json);
    bool has[N];
    memset(has, true, sizeof has);
    ns_json_values(&json, "floats", floats, has, N);
    ns_json_doubles(&json, "doubles", doubles, N);
    ns_json_float(&json, "tenth", 0.1f);
    g_autofree char *text = ns_json_finish(&json);
    g_autoptr(JsonNode) node = ns_test_parse(text);
    JsonObject *object = json_node_get_object(node);
    JsonArray *read_floats = json_object_get_array_member(object, "floats");
    JsonArray *read_doubles = json_object_get_array_member(object, "doubles");
    g_assert_cmpuint(json_array_get_length(read_floats), ==, N);
    for (unsigned i = 0; i < N; i++) {
        float f = (float)json_array_get_double_element(read_floats, i);
        double d = json_array_get_double_element(read_doubles, i);
        g_assert_true(memcmp(&f, &floats[i], sizeof f) == 0);
        g_assert_true(memcmp(&d, &doubles[i], sizeof d) == 0);
    }
}

#define HEADS 2

/* A history of `steps` records of a model that is nothing but its table, with known values. */
static NsHistory *new_history(size_t layers, size_t steps, size_t budget)
{
    static const NsParameterKind per_layer[] = {NS_PARAMETER_WQ, NS_PARAMETER_WK, NS_PARAMETER_WV,
                                                NS_PARAMETER_WO, NS_PARAMETER_W1, NS_PARAMETER_W2};
    NsTensorTable table = {0};
    ns_tensor_table_add(
        &table, (NsTensor){.parameter = NS_PARAMETER_TOK_EMB, .layer = -1, .rows = 1}, false);
    for (size_t l = 0; l < layers; l++)
        for (size_t i = 0; i < G_N_ELEMENTS(per_layer); i++)
            ns_tensor_table_add(
                &table, (NsTensor){.parameter = per_layer[i], .layer = (int)l, .rows = 1}, false);
    const NsRecordShape shape = {
        .table = &table,
        .layers = layers,
        .hidden = layers + 1,
        .heads = HEADS,
        .has = NS_NEED_FINAL_NORM,
        .probe_every = 1,
    };
    NsRecordLayout layout;
    ns_record_layout_init(&layout, &shape);
    ns_tensor_table_clear(&table);

    NsHistory *history = ns_history_new(&layout, budget, 0);
    g_autofree float *values = g_new(float, layout.width);
    for (size_t step = 0; step < steps; step++) {
        for (size_t i = 0; i < layout.width; i++) values[i] = (float)(i + step) + 0.1f;
        NsStep scalars = {
            .step = (int64_t)step,
            .loss = 1.0 / 3,
            .lr = 3e-3,
            .grad_norm = 2.5,
            .seconds = 0.25,
        };
        ns_history_append(history, &scalars, (NsValues){.value = values});
    }
    return history;
}

/* Compares an array of a record with the history, NaN and infinities included. */
static void assert_values(const NsHistory *history, JsonObject *object, NsQuantity quantity,
                          size_t step)
{
    const char *key = ns_json_quantity_key(quantity);
    size_t n = ns_history_layout(history)->count[quantity];
    g_autofree float *values = g_new(float, n);
    ns_history_read(history, quantity, step, NULL, values, NULL);
    g_assert_true(json_object_has_member(object, key));
    if (ns_quantity(quantity)->domain == NS_DOMAIN_STEP) {
        g_assert_true((float)json_object_get_double_member(object, key) == values[0]);
        return;
    }
    JsonArray *array = json_object_get_array_member(object, key);
    bool heads = ns_quantity(quantity)->domain == NS_DOMAIN_HEAD;
    g_assert_cmpuint(json_array_get_length(array), ==, heads ? n / HEADS : n);
    for (unsigned i = 0; i < n; i++) {
        JsonArray *row = heads ? json_array_get_array_element(array, i / HEADS) : array;
        if (heads) g_assert_cmpuint(json_array_get_length(row), ==, HEADS);
        g_assert_true((float)json_array_get_double_element(row, heads ? i % HEADS : i) ==
                      values[i]);
    }
}

static void test_record(void)
{
    const size_t layers = 3;
    g_autoptr(NsHistory) history = new_history(layers, 2, NS_HISTORY_BUDGET);
    g_autofree char *line = ns_jsonl_record(history, 1);
    g_autoptr(JsonNode) node = ns_test_parse(line);
    JsonObject *record = json_node_get_object(node);
    g_assert_cmpint(json_object_get_int_member(record, "step"), ==, 1);
    g_assert_true(json_object_get_double_member(record, "loss") == 1.0 / 3);
    g_assert_true(json_object_get_double_member(record, "lr") == 3e-3);
    g_assert_false(json_object_has_member(record, "thinned"));

    JsonObject *grad = json_object_get_object_member(record, "grad_norm");
    g_assert_true(json_object_get_double_member(grad, "total") == 2.5);
    static const char *const keys[] = {"wq", "wk", "wv", "wo", "w1", "w2"};
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++)
        g_assert_cmpuint(json_array_get_length(json_object_get_array_member(grad, keys[i])), ==,
                         layers);
    g_assert_false(json_object_has_member(grad, "bq"));

    const NsRecordLayout *layout = ns_history_layout(history);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++)
        if (q == NS_QUANTITY_GRAD_TOTAL) /* is the total above */
            g_assert_false(json_object_has_member(record, ns_json_quantity_key((NsQuantity)q)));
        else if (layout->count[q] > 0)
            assert_values(history, q < NS_PARAMETER_COUNT ? grad : record, (NsQuantity)q, 1);

    static const struct {
        const char *key;
        unsigned length;
    } arrays[] = {
        {"hidden_norm", 4}, {"hidden_norm_sq", 4}, {"update_ratio", 3}, {"grad_layer", 3}};
    for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++)
        g_assert_cmpuint(json_array_get_length(json_object_get_array_member(record, arrays[i].key)),
                         ==, arrays[i].length);
    g_assert_true(json_object_has_member(record, "final_hidden_norm"));
    g_assert_true(json_object_has_member(record, "final_hidden_norm_sq"));
}

/* A value that was not measured is null; a quantity without any is not mentioned. */
static void test_record_blank(void)
{
    g_autoptr(NsHistory) history = new_history(3, 1, NS_HISTORY_BUDGET);
    const NsRecordLayout *layout = ns_history_layout(history);
    g_auto(NsValues) values = ns_values_new(layout->width);
    for (size_t i = 0; i < layout->width; i++) ns_values_put(values, i, 1);
    values.has[layout->offset[NS_QUANTITY_GRAD_WQ] + 1] = false;
    for (size_t l = 0; l < 3; l++) values.has[layout->offset[NS_QUANTITY_GRAD_LAYER] + l] = false;
    values.has[layout->offset[NS_QUANTITY_FINAL_NORM]] = false;
    values.has[layout->offset[NS_QUANTITY_HEAD_LOGIT_ATTENTION]] = false;
    ns_values_put(values, layout->offset[NS_QUANTITY_GRAD_W1], (double)NAN);
    ns_history_append(history, &(NsStep){.step = 1}, values);

    g_autofree char *line = ns_jsonl_record(history, 1);
    g_assert_nonnull(strstr(line, "\"wq\":[1,null,1]"));
    g_assert_nonnull(strstr(line, "\"w1\":[\"NaN\",1,1]"));
    g_assert_nonnull(strstr(line, "\"head_attention_logit\":[[null,1],[1,1],[1,1]]"));
    g_assert_null(strstr(line, "\"grad_layer\""));
    g_assert_null(strstr(line, "\"final_hidden_norm\""));
    g_autoptr(JsonNode) node = ns_test_parse(line);
    g_assert_nonnull(node);
}

static void test_lane(void)
{
    g_autofree char *line = ns_jsonl_of(2, -1, "{\"step\":0}");
    g_assert_cmpstr(line, ==, "{\"lane\":2,\"step\":0}");
}

/* Every quantity has a key of its own, and those that files have always had stay. */
static void test_keys(void)
{
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (unsigned q = 0; q < NS_QUANTITY_COUNT; q++) {
        const char *key = ns_json_quantity_key((NsQuantity)q);
        if (q == NS_PARAMETER_COUNT)
            g_hash_table_remove_all(seen); /* parameters have an object of their own */
        g_assert_true(g_hash_table_add(seen, g_strdup(key)));
        if (q >= NS_PARAMETER_COUNT) g_assert_null(strchr(key, '-'));
    }
    static const struct {
        NsQuantity quantity;
        const char *key;
    } kept[] = {
        {NS_QUANTITY_GRAD_W1, "w1"},
        {NS_QUANTITY_GRAD_NORM1_GAIN, "norm1_gain"},
        {NS_QUANTITY_GRAD_LAYER, "grad_layer"},
        {NS_QUANTITY_UPDATE_RATIO, "update_ratio"},
        {NS_QUANTITY_HIDDEN_NORM, "hidden_norm"},
        {NS_QUANTITY_HIDDEN_SQ, "hidden_norm_sq"},
        {NS_QUANTITY_FINAL_NORM, "final_hidden_norm"},
        {NS_QUANTITY_FINAL_SQ, "final_hidden_norm_sq"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(kept); i++)
        g_assert_cmpstr(ns_json_quantity_key(kept[i].quantity), ==, kept[i].key);
}

static void test_record_not_finite(void)
{
    g_autoptr(NsHistory) history = new_history(1, 1, NS_HISTORY_BUDGET);
    size_t width = ns_history_layout(history)->width;
    g_autofree float *values = g_new(float, width);
    for (size_t i = 0; i < width; i++) values[i] = i % 2 ? NAN : INFINITY;
    NsStep step = {.step = 1, .loss = (double)NAN, .grad_norm = (double)INFINITY};
    ns_history_append(history, &step, (NsValues){.value = values});

    g_autofree char *line = ns_jsonl_record(history, 1);
    g_autoptr(JsonNode) node = ns_test_parse(line);
    JsonObject *record = json_node_get_object(node);
    g_assert_cmpstr(json_object_get_string_member(record, "loss"), ==, "NaN");
    JsonObject *grad = json_object_get_object_member(record, "grad_norm");
    g_assert_cmpstr(json_object_get_string_member(grad, "total"), ==, "Infinity");
    JsonArray *hidden = json_object_get_array_member(record, "hidden_norm");
    size_t at = ns_history_layout(history)->offset[NS_QUANTITY_HIDDEN_NORM];
    g_assert_cmpstr(json_array_get_string_element(hidden, 0), ==, at % 2 ? "NaN" : "Infinity");
    g_assert_cmpstr(json_array_get_string_element(hidden, 1), ==, at % 2 ? "Infinity" : "NaN");
}

/* A line of a thinned step says what its values stand for. */
static void test_record_thinned(void)
{
    const size_t steps = 400;
    g_autoptr(NsHistory) history = new_history(50, steps, 256 << 10);
    g_assert_cmpint(ns_history_stride(history), >, 1);
    unsigned thinned = 0;
    for (size_t step = 0; step < steps; step++) {
        g_autofree char *line = ns_jsonl_record(history, step);
        g_autoptr(JsonNode) node = ns_test_parse(line);
        JsonObject *record = json_node_get_object(node);
        g_assert_cmpint(json_object_get_int_member(record, "step"), ==, (int64_t)step);
        assert_values(history, record, NS_QUANTITY_HIDDEN_NORM, step);
        if (!json_object_has_member(record, "thinned")) continue;
        JsonObject *part = json_object_get_object_member(record, "thinned");
        g_assert_cmpint(json_object_get_int_member(part, "first"), <=, (int64_t)step);
        g_assert_cmpint(json_object_get_int_member(part, "last"), >=, (int64_t)step);
        thinned++;
    }
    g_assert_cmpuint(thinned, >, steps / 2);
    g_autofree char *newest = ns_jsonl_record(history, steps - 1);
    g_assert_null(strstr(newest, "thinned"));
}

static void test_record_speed(void)
{
    g_autoptr(NsHistory) history = new_history(1000, 1, NS_HISTORY_BUDGET);
    const int repeats = 20;
    size_t bytes = 0;
    gint64 begin = g_get_monotonic_time();
    for (int i = 0; i < repeats; i++) {
        g_autofree char *line = ns_jsonl_record(history, 0);
        bytes = strlen(line);
    }
    double ms = (double)(g_get_monotonic_time() - begin) / 1e3 / repeats;
    g_test_message("%zu numbers, %zu bytes: %.2f ms", ns_history_layout(history)->width, bytes, ms);
    g_test_minimized_result(ms, "ms for a record of 1000 layers");
}

/* What happened at a step, and the validation loss measured there, stand in its line. */
static void test_record_events(void)
{
    g_autoptr(NsHistory) history = new_history(1, 3, NS_HISTORY_BUDGET);
    NsEvent event = {.step = 1,
                     .kind = NS_EVENT_DIVERGED,
                     .layer = 3,
                     .what = "attn.wq",
                     .text = "It \"ended\"."};
    ns_history_append_event(history, &event);
    event = (NsEvent){.step = 1, .kind = NS_EVENT_SETTING, .what = "lr", .text = "x"};
    ns_history_append_event(history, &event);
    event.step = 2;
    ns_history_append_event(history, &event);
    ns_history_append_evaluation(history, &(NsEvaluation){.step = 1, .loss = 2.5});

    g_autofree char *before = ns_jsonl_record(history, 0);
    g_assert_null(strstr(before, "events"));
    g_assert_null(strstr(before, "validation_loss"));
    g_autofree char *line = ns_jsonl_record(history, 1);
    g_assert_true(g_str_has_suffix(
        line, ",\"validation_loss\":2.5,\"events\":[{\"kind\":\"diverged\",\"layer\":3,"
              "\"what\":\"attn.wq\",\"text\":\"It \\\"ended\\\".\"},"
              "{\"kind\":\"setting\",\"layer\":null,\"what\":\"lr\",\"text\":\"x\"}]}"));
    g_autoptr(JsonNode) node = ns_test_parse(line);
    g_assert_nonnull(node);
}

static void test_settings_line(void)
{
    NsSettings settings;
    ns_test_small_settings(&settings);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    g_autofree char *line = ns_jsonl_settings(run);
    g_autoptr(JsonNode) node = ns_test_parse(line);
    JsonObject *object = json_node_get_object(node);
    g_assert_cmpint(json_object_get_int_member(object, "layers"), ==, 2);
    g_assert_cmpstr(json_object_get_string_member(object, "arch"), ==, "decoder");
    g_assert_false(json_object_has_member(object, "encoder_layers"));
    g_assert_cmpint(json_object_get_int_member(object, "vocab"), ==, (int64_t)run->corpus->V);
    g_assert_cmpint(json_object_get_int_member(object, "vocab_in"), ==, (int64_t)run->corpus->V);
    g_assert_cmpint(json_object_get_int_member(object, "parameters"), ==,
                    (int64_t)ns_model_tensors(run->model)->elements);

    JsonObject *all = json_object_get_object_member(object, "settings");
    const NsParam *param;
    size_t n = 0;
    for (; (param = ns_param(n)) != NULL; n++) {
        g_autofree char *name = g_strdelimit(g_strdup(param->key), "-", '_');
        JsonNode *value = json_object_get_member(all, name);
        g_assert_nonnull(value);
        double number = ns_settings_get_number(&settings, param);
        bool is_number = param->type == NS_PARAM_INT || param->type == NS_PARAM_REAL;
        if (param->type == NS_PARAM_INT)
            g_assert_true(json_node_get_value_type(value) == G_TYPE_INT64);
        if (is_number)
            g_assert_true(json_node_get_double(value) == number);
        else {
            g_autofree char *text = ns_settings_get(&settings, param);
            g_assert_cmpstr(json_node_get_string(value), ==, text);
        }
    }
    g_assert_cmpuint(json_object_get_size(all), ==, n);
    ns_settings_clear(&settings);
}

/* An encoder and a decoder of different depth: layers are numbered through. */
static void test_encoder_decoder(void)
{
    NsSettings settings;
    ns_test_small_settings(&settings);
    settings.arch = NS_ARCH_ENCODER_DECODER;
    settings.decoder_layers = 3;
    settings.source_seq = 4;
    settings.probe_every = 2;
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    g_assert_true(ns_run_step(run));

    g_autofree char *first = ns_jsonl_settings(run);
    g_autoptr(JsonNode) first_node = ns_test_parse(first);
    JsonObject *object = json_node_get_object(first_node);
    g_assert_cmpint(json_object_get_int_member(object, "layers"), ==, 5);
    g_assert_cmpint(json_object_get_int_member(object, "encoder_layers"), ==, 2);
    g_assert_cmpint(json_object_get_int_member(object, "decoder_layers"), ==, 3);
    g_assert_cmpint(json_object_get_int_member(object, "vocab_in"), ==,
                    json_object_get_int_member(object, "vocab") + 1);

    static const struct {
        const char *key;
        unsigned length;
        bool expensive;
    } arrays[] = {
        {"hidden_norm", 2 + 3 + 2, false}, {"hidden_grad", 2 + 3 + 2, false},
        {"grad_layer", 2 + 3, false},      {"branch_ratio_cross", 2 + 3, false},
        {"token_cosine", 2 + 3 + 2, true}, {"head_attention_entropy", 2 + 3, true},
    };
    for (size_t step = 0; step < 2; step++) {
        g_autofree char *line = ns_jsonl_record(run->history, step);
        g_autoptr(JsonNode) node = ns_test_parse(line);
        JsonObject *record = json_node_get_object(node);
        for (size_t i = 0; i < G_N_ELEMENTS(arrays); i++) {
            bool measured = !arrays[i].expensive || step == 0;
            g_assert_true(json_object_has_member(record, arrays[i].key) == measured);
            if (measured)
                g_assert_cmpuint(
                    json_array_get_length(json_object_get_array_member(record, arrays[i].key)), ==,
                    arrays[i].length);
        }
        /* The encoder has no cross-attention. */
        JsonArray *cross = json_object_get_array_member(record, "branch_ratio_cross");
        for (unsigned l = 0; l < 5; l++)
            g_assert_true(json_array_get_null_element(cross, l) == (l < 2));
    }
    ns_settings_clear(&settings);
}

static void test_summary(void)
{
    NsSettings settings;
    ns_test_small_settings(&settings);
    settings.eval_every = 0;
    g_autoptr(GError) error = NULL;
    g_autoptr(NsRun) run = ns_run_new(&settings, &error);
    g_assert_no_error(error);
    g_autofree char *fresh = ns_jsonl_summary(run, "ready");
    g_assert_nonnull(strstr(fresh, "\"state\":\"ready\",\"steps\":0,"));
    g_assert_nonnull(strstr(fresh, "\"validation_loss\":null"));
    g_assert_nonnull(strstr(fresh, "\"ms_per_step\":null"));

    g_assert_true(ns_run_step(run));
    g_assert_true(ns_run_step(run));
    double validation = ns_run_evaluate(run);
    g_autofree char *line = ns_jsonl_summary(run, "finished");
    g_autoptr(JsonNode) node = ns_test_parse(line);
    JsonObject *summary = json_object_get_object_member(json_node_get_object(node), "summary");
    const NsHistory *history = run->history;
    g_assert_cmpint(json_object_get_int_member(summary, "steps"), ==, 2);
    g_assert_true(json_object_get_double_member(summary, "loss") ==
                  ns_history_step(history, 2)->loss);
    g_assert_true(json_object_get_double_member(summary, "validation_loss") == validation);
    g_assert_cmpint(json_object_get_int_member(summary, "validation_step"), ==, 2);
    double seconds = ns_history_step(history, 1)->seconds + ns_history_step(history, 2)->seconds;
    g_assert_cmpfloat_with_epsilon(json_object_get_double_member(summary, "ms_per_step"),
                                   500 * seconds, 1e-9);
    ns_settings_clear(&settings);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/jsonl/values", test_json_values);
    g_test_add_func("/jsonl/round-trip", test_json_round_trip);
    g_test_add_func("/jsonl/record", test_record);
    g_test_add_func("/jsonl/record/not-finite", test_record_not_finite);
    g_test_add_func("/jsonl/record/blank", test_record_blank);
    g_test_add_func("/jsonl/record/encoder-decoder", test_encoder_decoder);
    g_test_add_func("/jsonl/keys", test_keys);
    g_test_add_func("/jsonl/lane", test_lane);
    g_test_add_func("/jsonl/record/thinned", test_record_thinned);
    g_test_add_func("/jsonl/record/speed", test_record_speed);
    g_test_add_func("/jsonl/record/events", test_record_events);
    g_test_add_func("/jsonl/settings", test_settings_line);
    g_test_add_func("/jsonl/summary", test_summary);
    return g_test_run();
}
