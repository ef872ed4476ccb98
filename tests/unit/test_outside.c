/* Runs of other programs, read while they go on.  SPDX-License-Identifier: MIT */
#include "core/store/outside.h"
#include "core/store/outside_events-private.h"
#include "core/store/outside_watch.h"
#include "core/train/run.h"
#include "tests/unit/support.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

static void feed(NsOutside *o, const char *text)
{
    ns_outside_feed(o, text, strlen(text));
}

static NsOutside *read_text(const char *text)
{
    NsOutside *o = ns_outside_new(NS_HISTORY_BUDGET);
    feed(o, text);
    ns_outside_end(o);
    return o;
}

static void assert_message(NsOutside *o, const char *expected)
{
    g_autofree char *message = ns_outside_take_message(o);
    g_assert_cmpstr(message, ==, expected);
}

static float value_at(const NsHistory *history, NsQuantity quantity, size_t record, size_t i)
{
    size_t n = ns_history_layout(history)->count[quantity];
    g_assert_cmpuint(i, <, n);
    g_auto(NsValues) values = ns_values_new(n);
    ns_history_read(history, quantity, record, values.value, NULL, values.has);
    return values.has[i] ? values.value[i] : -1.0f;
}

static void test_least(void)
{
    g_autoptr(NsOutside) o = read_text("{\"step\": 3, \"loss\": 2.1}\n{\"step\": 7, \"loss\": 2}");
    NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_outside_lanes(o), ==, 1);
    g_assert_cmpuint(ns_history_steps(history), ==, 2);
    g_assert_cmpint(ns_history_first_step(history), ==, 3);
    g_assert_cmpint(ns_history_last_step(history), ==, 7);
    g_assert_cmpfloat(ns_history_step(history, 0)->loss, ==, 2.1);
    g_assert_true(isnan(ns_history_step(history, 0)->lr));
    g_assert_true(isnan(ns_history_step(history, 0)->grad_norm));
    assert_message(o, NULL);
}

static void test_arrays(void)
{
    g_autoptr(NsOutside) o =
        read_text("{\"step\":0,\"loss\":3}\n"
                  "{\"step\":1,\"loss\":2,\"lr\":1e-3,\"grad_norm\":{\"total\":1.5,\"w2\":[1,2],"
                  "\"conv\":[0.5,null]},\"hidden_norm\":[8,9,10],\"mine\":[4,5],\"tokens\":1234,"
                  "\"final_hidden_norm\":7,\"text\":\"a \\\" b\",\"more\":{\"a\":[1,{}]},"
                  "\"head_attention_entropy\":[[0.1,0.2],[0.3,0.4]],\"states\":[1,2,3]}\n");
    assert_message(o, NULL);
    NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 2);
    g_assert_cmpuint(ns_history_layout(history)->layers, ==, 2);
    g_assert_cmpuint(ns_history_layout(history)->hidden, ==, 3);
    g_assert_cmpfloat(ns_history_step(history, 1)->lr, ==, 1e-3);
    g_assert_cmpfloat(ns_history_step(history, 1)->grad_norm, ==, 1.5);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_W2, 1, 1), ==, 2);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_W2, 0, 1), ==, -1);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_HIDDEN_NORM, 1, 2), ==, 10);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_FINAL_NORM, 1, 0), ==, 7);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_HEAD_ENTROPY_ATTENTION, 1, 2), ==, 0.3f);
    NsQuantity mine = (NsQuantity)ns_choices_find(ns_quantity_choice, "mine");
    NsQuantity conv = (NsQuantity)ns_choices_find(ns_quantity_choice, "grad-conv");
    NsQuantity states = (NsQuantity)ns_choices_find(ns_quantity_choice, "states");
    g_assert_cmpfloat(value_at(history, mine, 1, 1), ==, 5);
    g_assert_cmpfloat(value_at(history, conv, 1, 0), ==, 0.5f);
    g_assert_cmpfloat(value_at(history, conv, 1, 1), ==, -1);
    g_assert_cmpint(ns_quantity(states)->domain, ==, NS_DOMAIN_HIDDEN);
    NsQuantity tokens = (NsQuantity)ns_choices_find(ns_quantity_choice, "tokens");
    g_assert_cmpint(ns_quantity(tokens)->domain, ==, NS_DOMAIN_STEP);
    g_assert_cmpfloat(value_at(history, tokens, 1, 0), ==, 1234);
}

/* The gradient norm of the whole model is a quantity from the first line that reports it. */
static void test_gradient_norm(void)
{
    static const char text[] = "step,loss,grad_norm\n0,4,\n1,3,1.5\n2,2,0.5\n";
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    ns_outside_feed(o, text, strlen(text));
    NsHistory *history = ns_outside_history(o, 0);
    bool has = true;
    ns_history_read(history, NS_QUANTITY_GRAD_TOTAL, 0, NULL, NULL, &has);
    g_assert_false(has);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_TOTAL, 1, 0), ==, 1.5f);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_TOTAL, 2, 0), ==, 0.5f);
}

/* The bytes may come in any pieces. */
static void test_pieces(void)
{
    static const char text[] =
        "{\"step\":0,\"loss\":3,\"a\":[1,2]}\r\n\n  \n{\"step\":5,\"loss\":1}\n";
    for (size_t cut = 0; cut <= strlen(text); cut++) {
        g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
        ns_outside_feed(o, text, cut);
        ns_outside_feed(o, text + cut, strlen(text) - cut);
        g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
        g_assert_cmpuint(ns_outside_lines(o), ==, 4);
        assert_message(o, NULL);
    }
}

/* The mean of an epoch, which has no step of its own, does not replace the loss of the last step,
 * however the bytes come; a step that is printed again does. */
static void test_mean_of_epoch(void)
{
    static const char *const lines[] = {"1epoch:train:1-5batch: loss=4, acc=1\n",
                                        "1epoch:train:6-10batch: loss=3, acc=1\n",
                                        "1epoch results: [train] loss=3.5, [valid] loss=5\n",
                                        "2epoch:train:1-5batch: loss=2, acc=1\n",
                                        "[step=15/20]\n",
                                        "    loss=1\n"};
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) feed(o, lines[i]);
    NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 3);
    for (size_t i = 0; i < 2; i++)
        g_assert_cmpfloat(ns_history_step(history, i)->loss, ==, 4 - (double)i);
    g_assert_cmpfloat(ns_history_step(history, 2)->loss, ==, 1);
}

static void test_not_finite(void)
{
    g_autoptr(NsOutside) o =
        read_text("{\"step\":0,\"loss\":3}\n{\"step\":1,\"loss\":NaN,\"x\":[-Infinity,\"inf\"]}\n"
                  "{\"step\":2,\"loss\":\"NaN\"}\n");
    NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 3);
    g_assert_true(isnan(ns_history_step(history, 2)->loss));
    g_assert_cmpuint(ns_history_events(history), ==, 1);
    g_assert_cmpint(ns_history_event(history, 0)->kind, ==, NS_EVENT_DIVERGED);
    g_assert_cmpint(ns_history_event(history, 0)->step, ==, 1);
    NsQuantity x = (NsQuantity)ns_choices_find(ns_quantity_choice, "x");
    g_assert_cmpint(isinf(value_at(history, x, 1, 0)), ==, -1);
    assert_message(o, NULL);
}

/* Whatever cannot be read is told with its line, and the rest counts. */
static void test_garbage(void)
{
    static const struct {
        const char *line, *why;
    } wrong[] = {
        {"garbage", "it is not a JSON object"},
        {"{\"step\":1,\"loss\":2", "it is incomplete"},
        {"{\"step\":1.5,\"loss\":2}", "its step is negative or not a whole number"},
        {"{\"step\":-1,\"loss\":2}", "its step is negative or not a whole number"},
        {"{\"step\":1e300,\"loss\":2}", "its step is negative or not a whole number"},
        {"{\"loss\":2}", "it has no step"},
        {"{\"step\":1}", "it has no loss"},
        {"{\"step\":1,\"loss\":null}", "it has no loss"},
        {"{\"step\":1,\"loss\":2}}", "there is text after its object"},
        {"{\"step\":1,\"loss\":2,\"lane\":5}", "its lane is not one of 1 to 4"},
        {"{\"step\":1,\"loss\":2,\"lane\":1.5}", "its lane is not one of 1 to 4"},
        {"{\"step\":1,\"loss\":2,\"format\":2}",
         "it has a newer version of the format than this program can read"},
        {"{\"step\":1,\"a\":[[[[[[[[[[[[[[[[[[[[1", "its brackets are nested too deeply"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        g_autofree char *text =
            g_strdup_printf("{\"step\":0,\"loss\":3}\n%s\n{\"step\":9,\"loss\":1}", wrong[i].line);
        g_autoptr(NsOutside) o = read_text(text);
        g_autofree char *sentence = g_strdup_printf("Line 2: %s; it is skipped.", wrong[i].why);
        assert_message(o, sentence);
        assert_message(o, NULL);
        g_assert_cmpuint(ns_outside_wrong_lines(o), ==, 1);
        g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
    }
    g_autoptr(NsOutside) many = ns_outside_new(NS_HISTORY_BUDGET);
    feed(many, "{\"step\":0,\"loss\":3}\n");
    for (int i = 0; i < 1000; i++) feed(many, "?\n");
    g_assert_cmpuint(ns_outside_wrong_lines(many), ==, 1000);
    for (int i = 0; i < 6; i++) {
        g_autofree char *message = ns_outside_take_message(many);
        g_assert_nonnull(message);
    }
    assert_message(many, NULL);
}

static void test_too_long(void)
{
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    g_autofree char *spaces = g_strnfill(1 << 20, ' ');
    for (int i = 0; i < 40; i++) feed(o, spaces);
    feed(o, "\n{\"step\":0,\"loss\":3}\n");
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 1);
    assert_message(o, "Line 1: it is longer than 16 MiB; it is skipped.");
}

/* A run that was started again from a checkpoint replaces what it makes anew. */
static void test_restart(void)
{
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    feed(o, "{\"step\":0,\"loss\":3,\"a\":[1,2],\"validation_loss\":3}\n{\"step\":10,\"loss\":2}\n"
            "{\"step\":20,\"loss\":1,\"a\":[5,6],\"validation_loss\":1}\n");
    g_autoptr(NsHistory) old = ns_history_ref(ns_outside_history(o, 0));
    feed(o, "{\"step\":10,\"loss\":9,\"a\":[7,8],\"b\":[1,2]}\n");
    NsHistory *history = ns_outside_history(o, 0);
    NsQuantity a = (NsQuantity)ns_choices_find(ns_quantity_choice, "a");
    g_assert_true(history != old);
    g_assert_cmpuint(ns_history_steps(old), ==, 3);
    g_assert_cmpuint(ns_history_steps(history), ==, 2);
    g_assert_cmpint(ns_history_last_step(history), ==, 10);
    g_assert_cmpfloat(value_at(history, a, 0, 1), ==, 2);
    g_assert_cmpfloat(value_at(history, a, 1, 0), ==, 7);
    g_assert_cmpuint(ns_history_evaluations(history), ==, 1);
    assert_message(o, "Line 4: the run goes back to step 10 after step 20; everything from there "
                      "on is replaced.");
    feed(o, "{\"step\":0,\"loss\":4}\n{\"step\":1,\"loss\":4}\n");
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
    /* Not without an end. */
    for (int i = 0; i < 1000; i++) feed(o, "{\"step\":2,\"loss\":4}\n{\"step\":1,\"loss\":4}\n");
    g_assert_cmpuint(ns_outside_wrong_lines(o), >, 800);
    for (char *message; (message = ns_outside_take_message(o)); g_free(message)) continue;
    ns_outside_begin_again(o);
    g_assert_cmpuint(ns_outside_lanes(o), ==, 0);
    feed(o, "{\"step\":5,\"loss\":4}\n");
    g_assert_cmpint(ns_history_first_step(ns_outside_history(o, 0)), ==, 5);
    feed(o, "{\"step\":6,\"loss\":4,\"lr\":1}\n{\"step\":6,\"loss\":3}\n");
    assert_message(o, "Line 3: step 6 comes again; its newer values are shown.");
    g_assert_cmpfloat(ns_history_step(ns_outside_history(o, 0), 1)->loss, ==, 3);
}

/* Beside each other in one file, and a validation loss on a line of its own. */
static void test_lanes(void)
{
    g_autoptr(NsOutside) o = read_text("{\"lane\":2,\"step\":0,\"loss\":3,\"a\":[1,2,3]}\n"
                                       "{\"step\":4,\"loss\":2,\"a\":[1,2]}\n"
                                       "{\"lane\":2,\"step\":4,\"validation_loss\":2.5}\n");
    g_assert_cmpuint(ns_outside_lanes(o), ==, 2);
    g_assert_cmpuint(ns_history_layout(ns_outside_history(o, 0))->layers, ==, 2);
    g_assert_cmpuint(ns_history_layout(ns_outside_history(o, 1))->layers, ==, 3);
    g_assert_cmpuint(ns_history_evaluations(ns_outside_history(o, 1)), ==, 1);
    assert_message(o, NULL);
}

/* Lines and errors are counted in the file that replaced another one. */
static void test_counts(void)
{
    g_autoptr(NsOutside) o = read_text("{\"step\":0,\"loss\":1}\na\nb\nc\nd\n");
    g_assert_cmpuint(ns_outside_wrong_lines(o), ==, 4);
    ns_outside_begin_again(o);
    feed(o, "{\"step\":0,\"loss\":1}\ne\n");
    ns_outside_end(o);
    g_assert_cmpuint(ns_outside_wrong_lines(o), ==, 1);
    g_assert_cmpuint(ns_outside_lines(o), ==, 2);
    /* Every point of a curve in one line counts as a line. */
    g_autoptr(NsOutside) curve = read_text("[[1700000000, 0, 2.5], [no, point], [nor, this]]\n");
    g_assert_cmpuint(ns_outside_wrong_lines(curve), ==, 2);
    g_assert_cmpuint(ns_outside_lines(curve), ==, 3);
}

/* An array that fits neither is told, and the record counts. */
static void test_sizes(void)
{
    g_autoptr(NsOutside) o = read_text("{\"step\":0,\"loss\":3,\"grad_norm\":{\"w2\":[1,2,3]}}\n"
                                       "{\"step\":1,\"loss\":3,\"hidden_norm\":[1,2,3],"
                                       "\"x\":[1,2]}\n");
    assert_message(o, "Line 2: “hidden_norm” has 3 values, but the model has 3 layers and 4 hidden "
                      "states; it is skipped.");
    assert_message(o,
                   "Line 2: “x” has 2 values, but the model has 3 layers and 4 hidden states; it "
                   "is skipped.");
    assert_message(o, NULL);
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
    g_assert_cmpuint(ns_outside_wrong_lines(o), ==, 0);
}

/* As many hidden states as layers, under names of blocks, are the outputs of the blocks, whichever
 * columns come first; under other names they could be their inputs. */
static void test_outputs_of_blocks(void)
{
    static const char *const logs[] = {
        "step,loss,hidden_norm/layers.0,hidden_norm/layers.1,grad_norm/layers.0.fc1,"
        "grad_norm/layers.1.fc1\n0,3,8,9,0.5,0.25\n",
        "step,loss,grad_norm/layers.0.fc1,grad_norm/layers.1.fc1,hidden_norm/layers.0,"
        "hidden_norm/layers.1\n0,3,0.5,0.25,8,9\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(logs); i++) {
        g_autoptr(NsOutside) o = read_text(logs[i]);
        NsHistory *history = ns_outside_history(o, 0);
        g_assert_cmpuint(ns_history_layout(history)->layers, ==, 2);
        g_assert_cmpuint(ns_history_layout(history)->hidden, ==, 3);
        g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_W1, 0, 1), ==, 0.25);
        g_assert_cmpfloat(value_at(history, NS_QUANTITY_HIDDEN_NORM, 0, 0), ==, -1);
        g_assert_cmpfloat(value_at(history, NS_QUANTITY_HIDDEN_NORM, 0, 2), ==, 9);
        assert_message(o, NULL);
    }
    g_autoptr(NsOutside) o = read_text("step,loss,grad_norm/w1/0,grad_norm/w1/1,hidden_norm/0,"
                                       "hidden_norm/1\n0,3,0.5,0.25,8,9\n");
    assert_message(o, "Line 2: “hidden_norm” has 2 values, but the model has 2 layers and 3 hidden "
                      "states; it is skipped.");
}

/* Thinned profiles keep their extremes where the history is copied. */
static void test_copies_of_what_was_thinned(void)
{
    enum { RECORDS = 40000 };
    g_autoptr(NsOutside) o = ns_outside_new(1 << 16);
    for (int i = 0; i < RECORDS; i++) {
        g_autofree char *line = g_strdup_printf("{\"step\":%d,\"loss\":1,\"a\":[%d,%d]}\n", 3 * i,
                                                i == 777 ? 9000 : 1, i == 778 ? -9000 : 1);
        feed(o, line);
    }
    feed(o, "{\"step\":1000000,\"loss\":1,\"a\":[1,1],\"b\":[1,2]}\n");
    const NsHistory *history = ns_outside_history(o, 0);
    NsQuantity a = (NsQuantity)ns_choices_find(ns_quantity_choice, "a");
    float min[2], max[2];
    g_assert_cmpuint(ns_history_steps(history), ==, RECORDS + 1);
    g_assert_cmpint(ns_history_stride(history), >, 1);
    ns_history_read_range(history, a, 0, RECORDS - 1, min, max, NULL);
    g_assert_cmpfloat(max[0], ==, 9000);
    g_assert_cmpfloat(min[1], ==, -9000);
    g_assert_cmpint(ns_history_step(history, 777)->step, ==, 3 * 777);
}

/* Lines of this program are records like others. */
static void test_own_lines(void)
{
    g_autoptr(NsOutside) o = read_text("{\"settings\":{\"layers\":2},\"arch\":\"decoder\"}\n"
                                       "{\"seed\":1,\"step\":0,\"loss\":3,\"events\":[{}]}\n"
                                       "{\"seed\":2,\"step\":0,\"loss\":4}\n"
                                       "{\"seed\":1,\"step\":1,\"loss\":2}\n"
                                       "{\"summary\":{\"steps\":1}}\n");
    assert_message(o, "The run has several seeds; only the first, seed 1, is shown.");
    assert_message(o, NULL);
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
    g_assert_cmpfloat(ns_history_step(ns_outside_history(o, 0), 0)->loss, ==, 3);
}

/* Texts of continuations come with their lines, also where a new layout makes a new history or the
 * run goes back; a validation loss at the step to which it goes back is that of the new line. */
static void test_continuations(void)
{
    g_autoptr(NsOutside) o = read_text(
        "{\"step\":0,\"loss\":3,\"continuation\":{\"prompt\":\"To\",\"text\":\"a \\\"b\\u00e4\"}}\n"
        "{\"step\":1,\"loss\":2,\"mine\":[1,2],\"continuation\":{\"rate\":5}}\n"
        "{\"step\":2,\"loss\":2,\"validation_loss\":4,\"continuation\":{\"prompt\":\"\",\"text\":"
        "\"c\"}}\n"
        "{\"step\":3,\"loss\":2}\n"
        "{\"step\":2,\"loss\":1,\"validation_loss\":5,\"continuation\":{\"prompt\":\"x\",\"text\":"
        "\"d\"}}\n");
    const NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_history_continuations(history), ==, 2);
    const NsContinuation *first = ns_history_continuation(history, 0);
    const NsContinuation *last = ns_history_continuation(history, 1);
    g_assert_cmpstr(first->prompt, ==, "To");
    g_assert_cmpstr(first->text, ==, "a \"bä");
    g_assert_cmpint(first->step, ==, 0);
    g_assert_cmpstr(last->prompt, ==, "x");
    g_assert_cmpstr(last->text, ==, "d");
    g_assert_cmpint(last->step, ==, 2);
    g_assert_cmpint(ns_choices_find(ns_quantity_choice, "continuation/rate"), >=, 0);
    g_assert_cmpuint(ns_history_evaluations(history), ==, 1);
    g_assert_cmpfloat(ns_history_evaluation(history, 0)->loss, ==, 5);
}

/* Tables as other programs write them: empty cells, quotes, columns that are no number. */
static void test_tables(void)
{
    static const char *const tables[] = {
        ("epoch,step,train_loss,val_loss,learning_rate,name\r\n0,0,3.5,,1e-3,a\n0,10,2.5,,1e-3,b\n"
         "0,10,,2.75,,\n\n1,20,NaN,,,c\n"),
        "step;loss;validation_loss;lr\n\"0\";\"3.5\";;0.001\n10;2.5;2.75;0.001\n20;NaN;;\n",
        "step\tloss\tlr\tval_loss\n0\t3.5\t0.001\t\n10\t2.5\t0.001\t2.75\n20\tnan\t\t",
    };
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        g_assert_true(ns_outside_are(tables[i], strlen(tables[i])));
        g_autoptr(NsOutside) o = read_text(tables[i]);
        assert_message(o, NULL);
        NsHistory *history = ns_outside_history(o, 0);
        g_assert_cmpuint(ns_history_steps(history), ==, 3);
        g_assert_cmpfloat(ns_history_step(history, 0)->loss, ==, 3.5);
        g_assert_cmpfloat(ns_history_step(history, 1)->lr, ==, 0.001);
        g_assert_true(isnan(ns_history_step(history, 2)->loss));
        g_assert_true(isnan(ns_history_step(history, 2)->lr));
        g_assert_cmpuint(ns_history_evaluations(history), ==, 1);
        g_assert_cmpfloat(ns_history_evaluation(history, 0)->loss, ==, 2.75);
    }
    g_autoptr(NsOutside) o = read_text("step,loss\n1,2,3\nx,2\n4,5\n");
    assert_message(o, "Line 2: it does not have one cell per column; it is skipped.");
    assert_message(o, "Line 3: it has no step; it is skipped.");
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 1);
}

/* A table with spaces between its cells, and UTF-16, in both orders of bytes, that arrives in
 * parts. */
/* Steps with groups of digits, names within “data”, and the training loss of NeMo. */
static void test_groups_and_wrappers(void)
{
    static const char *const texts[] = {
        "step,loss\n\"500\",3\n\"12,500\",2\n",
        "{\"step\": \"500\", \"loss\": 3}\n{\"step\": \"12,500\", \"loss\": 2}\n",
        "{\"data\": {\"step\": 500, \"loss\": 3}}\n{\"data\": {\"step\": 12500, \"loss\": 2}}\n",
        "epoch,step,reduced_train_loss,lr-AdamW\n0,500,3,\n0,12500,2,\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(NsOutside) o = read_text(texts[i]);
        NsHistory *history = ns_outside_history(o, 0);
        g_assert_nonnull(history);
        g_assert_cmpuint(ns_history_steps(history), ==, 2);
        g_assert_cmpint(ns_history_first_step(history), ==, 500);
        g_assert_cmpint(ns_history_last_step(history), ==, 12500);
        g_assert_cmpfloat(ns_history_step(history, 1)->loss, ==, 2);
    }
    /* One comma may be a decimal one. */
    g_autoptr(NsOutside) o = read_text(
        "step,loss,tokens\n1,3,\"1,234,567\"\n2,\"2,500\",\"2,469,134\"\n3,2,\"3,703,701\"\n");
    NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 2);
    NsQuantity tokens = (NsQuantity)ns_choices_find(ns_quantity_choice, "tokens");
    g_assert_cmpfloat(value_at(history, tokens, 1, 0), ==, 3703701);
}

static void test_ends_of_lines(void)
{
    static const char *const texts[] = {"step,loss\r0,3.5\r10,2.5\r",
                                        "step,loss\r\n0,3.5\r\n10,2.5\r\n",
                                        "step,loss\n0,3.5\n10,2.5\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
        ns_outside_add_file(o, NULL, NULL, 0, true);
        for (const char *at = texts[i]; *at; at++) ns_outside_feed(o, at, 1);
        g_assert_cmpuint(ns_outside_lines(o), ==, 3);
        ns_outside_end(o);
        assert_message(o, NULL);
        NsHistory *history = ns_outside_history(o, 0);
        g_assert_cmpuint(ns_history_steps(history), ==, 2);
        g_assert_cmpfloat(ns_history_step(history, 1)->loss, ==, 2.5);
    }
}

static void test_spaces_and_utf16(void)
{
    static const char text[] = "  step   loss  lr \n  0  3.5 1e-3\n 10  2.5 1e-3 \n";
    static const char *const sets[] = {"UTF-8", "UTF-16LE", "UTF-16BE"};
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
        g_autofree char *marked = g_strconcat("\xef\xbb\xbf", text, NULL);
        gsize n;
        g_autofree char *bytes = g_convert(marked, -1, sets[i], "UTF-8", NULL, &n, NULL);
        g_assert_true(ns_outside_are(bytes, n));
        g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
        for (gsize at = 0; at < n; at += 3) ns_outside_feed(o, bytes + at, MIN(3, n - at));
        ns_outside_end(o);
        assert_message(o, NULL);
        NsHistory *history = ns_outside_history(o, 0);
        g_assert_cmpuint(ns_history_steps(history), ==, 2);
        g_assert_cmpint(ns_history_last_step(history), ==, 10);
        g_assert_cmpfloat(ns_history_step(history, 1)->loss, ==, 2.5);
        g_assert_cmpfloat(ns_history_step(history, 1)->lr, ==, 1e-3);
    }
}

/* ---- Event files ---- */

static void put_record(GByteArray *out, const guint8 *event, uint64_t n)
{
    uint32_t checks[] = {ns_outside_events_check(&n, sizeof n), ns_outside_events_check(event, n)};
    g_byte_array_append(out, (const guint8 *)&n, sizeof n);
    g_byte_array_append(out, (const guint8 *)&checks[0], 4);
    g_byte_array_append(out, event, (guint)n);
    g_byte_array_append(out, (const guint8 *)&checks[1], 4);
}

/* Writes the first record of a file: field 3, the version. */
static void begin_events(GByteArray *out)
{
    static const char version[] = "\x1a\x0d"
                                  "brain.Event:2";
    put_record(out, (const guint8 *)version, sizeof version - 1);
}

/* Writes an Event {2: step, 5: Summary {1: Value {1: tag, 2: value}}}; all lengths and the step are
 * below 128, which is one byte. */
static void put_event(GByteArray *out, guint8 step, const char *tag, float value)
{
    g_autoptr(GByteArray) event = g_byte_array_new();
    guint8 n = (guint8)strlen(tag);
    const guint8 head[] = {2 << 3,          step,       5 << 3 | 2, (guint8)(n + 9), 1 << 3 | 2,
                           (guint8)(n + 7), 1 << 3 | 2, n};
    const guint8 key = 2 << 3 | 5;
    g_byte_array_append(event, head, sizeof head);
    g_byte_array_append(event, (const guint8 *)tag, n);
    g_byte_array_append(event, &key, 1);
    g_byte_array_append(event, (const guint8 *)&value, sizeof value);
    put_record(out, event->data, event->len);
}

static void feed_events(NsOutside *o, GByteArray *events)
{
    ns_outside_feed(o, (const char *)events->data, events->len);
    g_byte_array_set_size(events, 0);
}

/* The newest step is there when its writer pauses, and what follows of it is not lost. */
static void test_pause(void)
{
    g_autoptr(GByteArray) events = g_byte_array_new();
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    begin_events(events);
    for (guint8 step = 1; step <= 2; step++) {
        put_event(events, step, "loss", 4.0f - (float)step);
        put_event(events, step, "grad_norm/w2/1", 1.0f);
        if (step == 1) put_event(events, step, "grad_norm/w2/2", 2.0f);
    }
    feed_events(o, events);
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 1);
    g_assert_true(ns_outside_pause(o));
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
    g_assert_false(ns_outside_pause(o));
    /* The rest of the step, and the next one. */
    put_event(events, 2, "grad_norm/w2/2", 5.0f);
    put_event(events, 2, "val_loss", 2.5f);
    put_event(events, 3, "loss", 1.0f);
    feed_events(o, events);
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
    g_assert_true(ns_outside_pause(o));
    put_event(events, 4, "loss", 0.5f);
    feed_events(o, events);
    ns_outside_end(o);
    const NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 4);
    g_assert_cmpfloat(ns_history_step(history, 1)->loss, ==, 2);
    g_assert_cmpfloat(ns_history_step(history, 2)->loss, ==, 1);
    g_assert_cmpuint(ns_history_evaluations(history), ==, 1);
    g_assert_cmpfloat(ns_history_evaluation(history, 0)->loss, ==, 2.5);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_W2, 1, 0), ==, 1);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_W2, 1, 1), ==, 5);
    assert_message(o, NULL);
}

/* A first step that pauses in the middle does not say how large the model is. */
static void test_pause_in_first_step(void)
{
    g_autoptr(GByteArray) events = g_byte_array_new();
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    begin_events(events);
    put_event(events, 0, "loss", 4.0f);
    put_event(events, 0, "grad_norm/w2/1", 1.0f);
    feed_events(o, events);
    g_assert_true(ns_outside_pause(o));
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 1);
    put_event(events, 0, "grad_norm/w2/2", 2.0f);
    put_event(events, 1, "loss", 3.0f);
    feed_events(o, events);
    const NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 1);
    g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_W2, 0, 1), ==, 2);
    assert_message(o, NULL);
}

/* JSON whose last line lacks its newline is shown when it is complete, and only then. */
static void test_pause_in_line(void)
{
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    feed(o, "{\"log_history\":[{\"step\":1,\"loss\":3},{\"step\":2,\"loss\":2}],\"best\":");
    ns_outside_pause(o);
    g_assert_cmpuint(ns_outside_lanes(o), ==, 0);
    feed(o, "null}");
    g_assert_true(ns_outside_pause(o));
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
    feed(o, "\n");
    ns_outside_end(o);
    g_assert_cmpuint(ns_outside_lines(o), ==, 2);
    assert_message(o, NULL);
    /* A line of text may end within a number. */
    g_autoptr(NsOutside) text = ns_outside_new(NS_HISTORY_BUDGET);
    feed(text, "[12:00] step 1 loss 3\n[12:01] step 2 loss 2");
    ns_outside_pause(text);
    feed(text, ".5\n");
    ns_outside_end(text);
    g_assert_cmpfloat(ns_history_step(ns_outside_history(text, 0), 1)->loss, ==, 2.5);
    g_autoptr(NsOutside) lines = ns_outside_new(NS_HISTORY_BUDGET);
    feed(lines, "{\"step\":1,\"loss\":3}\n{\"step\":2,\"loss\":2}");
    ns_outside_pause(lines);
    feed(lines, "\n{\"step\":3,\"loss\":1}\n");
    ns_outside_end(lines);
    g_assert_cmpuint(ns_history_steps(ns_outside_history(lines, 0)), ==, 3);
    g_assert_cmpuint(ns_outside_lines(lines), ==, 3);
    assert_message(lines, NULL);
}

/* Of the tags of several seeds the first seed is shown, and that is told. */
static void test_seed_tags(void)
{
    g_autoptr(GByteArray) events = g_byte_array_new();
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    begin_events(events);
    for (guint8 step = 0; step < 3; step++) {
        put_event(events, step, "seed3/loss", 3.0f);
        put_event(events, step, "seed4/loss", 4.0f);
    }
    feed_events(o, events);
    ns_outside_end(o);
    const NsHistory *history = ns_outside_history(o, 0);
    g_assert_cmpuint(ns_history_steps(history), ==, 3);
    for (size_t i = 0; i < 3; i++) g_assert_cmpfloat(ns_history_step(history, i)->loss, ==, 3);
    assert_message(o, "The run has several seeds; only the first, seed 3, is shown.");
    assert_message(o, NULL);
}

static void write_events(const char *folder, const char *name, float loss)
{
    g_autoptr(GByteArray) events = g_byte_array_new();
    g_autofree char *path = g_build_filename(folder, name, NULL);
    begin_events(events);
    put_event(events, 0, "loss", loss);
    put_event(events, 1, "loss", loss);
    g_assert_true(g_file_set_contents(path, (const char *)events->data, events->len, NULL));
}

static void read_until(NsOutsideFile *file, double loss)
{
    NsOutside *run = ns_outside_file_run(file);
    gint64 deadline = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
    for (;;) {
        ns_outside_file_read(file, 10);
        const NsHistory *history = ns_outside_history(run, 0);
        if (history && fabs(ns_history_step(history, 0)->loss - loss) < 1e-6) return;
        g_assert_cmpint(g_get_monotonic_time(), <, deadline);
    }
}

/* A folder stands for all of its event files; other files in it do not count. */
static void test_folder(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-events-XXXXXX", NULL);
    g_autofree char *other = g_build_filename(folder, "notes.txt", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(NsOutsideFile) file = ns_outside_file_open(folder, NS_HISTORY_BUDGET, &error);
    g_assert_no_error(error);
    g_assert_cmpint(ns_outside_file_state(file), ==, NS_OUTSIDE_ABSENT);
    g_assert_false(ns_outside_file_read(file, 0));
    g_assert_true(g_file_set_contents(other, "notes", -1, NULL));
    write_events(folder, "events.out.tfevents.1", 3);
    read_until(file, 3);
    write_events(folder, "events.out.tfevents.2", 2);
    read_until(file, 2);
    /* Nothing is replaced: the folder has one more file. */
    assert_message(ns_outside_file_run(file), "Event 3: the run goes back to step 0 after step 1; "
                                              "everything from there on is replaced.");
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    for (const char *name; (name = g_dir_read_name(dir));) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        g_remove(path);
    }
    g_rmdir(folder);
}

/* ---- A thread that reads ---- */

static void append_steps(const char *path, int first, int last)
{
    FILE *file = fopen(path, "ae");
    g_assert_nonnull(file);
    for (int step = first; step <= last; step++)
        fprintf(file, "{\"step\":%d,\"loss\":%d,\"grad_norm\":{\"w2\":[%d,2]}%s}\n", step, step,
                step, step % 100 == 99 ? ",\"more\":[1,2]" : ""); /* another history then */
    g_assert_cmpint(fclose(file), ==, 0);
}

/* Reads all that is there, as a frame does; the newest step, or -1. */
static int64_t look(NsOutsideWatch *watch, NsRecordedRun *run)
{
    int64_t newest = G_MAXINT64;
    bool others;
    ns_outside_watch_update(watch, run, &others);
    for (size_t i = 0; i < run->lanes; i++) {
        const NsHistory *history = run->histories[i];
        size_t records = history ? ns_history_steps(history) : 0;
        for (size_t k = 0; k < records; k++) {
            g_assert_cmpfloat(ns_history_step(history, k)->loss, ==, (double)k);
            g_assert_cmpfloat(value_at(history, NS_QUANTITY_GRAD_W2, k, 0), ==, (float)k);
        }
        newest = MIN(newest, (int64_t)records - 1);
    }
    g_assert_cmpuint(run->lanes, ==, 2);
    g_assert_cmpstr(run->names[1], ==, "b");
    return newest;
}

/* Two files that grow while they are looked at; the second watch is left in the middle of its work.
 */
static void test_watch(void)
{
    g_autofree char *folder = g_dir_make_tmp("normscope-watch-XXXXXX", NULL);
    g_autofree char *a = g_build_filename(folder, "a", NULL);
    g_autofree char *b = g_build_filename(folder, "b", NULL);
    const char *const paths[] = {a, b};
    gint64 deadline = g_get_monotonic_time() + 60 * G_USEC_PER_SEC;
    for (int left = 0; left < 2; left++) {
        g_autoptr(NsOutsideWatch) watch = ns_outside_watch_new(paths, 2, NULL, NULL);
        g_assert_nonnull(watch);
        g_autoptr(NsRecordedRun) run = ns_recorded_run_new(a);
        for (int step = 0; !left && step < 600; step += 50) {
            append_steps(a, step, step + 49);
            append_steps(b, step, step + 49);
            while (look(watch, run) < step + 49)
                g_assert_cmpint(g_get_monotonic_time(), <, deadline);
            g_assert_cmpint(run->state, ==, NS_OUTSIDE_OPEN);
        }
    }
    g_remove(a);
    g_remove(b);
    g_rmdir(folder);
}

/* A label that is cut off after a longer line. */
static void test_label_without_end(void)
{
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    feed(o, "step: 1 loss: 3\n[a7\nstep: 2 loss: 2\n");
    ns_outside_end(o);
    g_assert_cmpuint(ns_history_steps(ns_outside_history(o, 0)), ==, 2);
}

/* A log without a training loss says which names it has as soon as its writer pauses. */
static void test_nothing(void)
{
    g_autoptr(NsOutside) o = ns_outside_new(NS_HISTORY_BUDGET);
    feed(o, "{\"step\":0,\"accuracy\":0.5,\"val_loss\":2}\n");
    for (int i = 0; i < 2; i++) ns_outside_pause(o);
    assert_message(o, "There is no step with a training loss yet; the names are: step, accuracy, "
                      "val_loss.");
    assert_message(o, NULL);
}

static void test_are(void)
{
    static const char *const lines[] = {"{\"step\":0,\"loss\":1}", "\n {\"loss\":1,\"step\":2}\nx"};
    static const char *const others[] = {"",
                                         "{\"settings\":{}}",
                                         "a,x\n",
                                         "{\"step\":0}",
                                         "# a preset\nlr = 1",
                                         "Loss per step\n1 2 3\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++)
        g_assert_true(ns_outside_are(lines[i], strlen(lines[i])));
    for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
        g_assert_false(ns_outside_are(others[i], strlen(others[i])));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/outside/least", test_least);
    g_test_add_func("/outside/arrays", test_arrays);
    g_test_add_func("/outside/gradient-norm", test_gradient_norm);
    g_test_add_func("/outside/pieces", test_pieces);
    g_test_add_func("/outside/mean-of-epoch", test_mean_of_epoch);
    g_test_add_func("/outside/not-finite", test_not_finite);
    g_test_add_func("/outside/garbage", test_garbage);
    g_test_add_func("/outside/too-long", test_too_long);
    g_test_add_func("/outside/restart", test_restart);
    g_test_add_func("/outside/lanes", test_lanes);
    g_test_add_func("/outside/counts", test_counts);
    g_test_add_func("/outside/sizes", test_sizes);
    g_test_add_func("/outside/outputs-of-blocks", test_outputs_of_blocks);
    g_test_add_func("/outside/thinned", test_copies_of_what_was_thinned);
    g_test_add_func("/outside/own-lines", test_own_lines);
    g_test_add_func("/outside/continuations", test_continuations);
    g_test_add_func("/outside/tables", test_tables);
    g_test_add_func("/outside/groups-and-wrappers", test_groups_and_wrappers);
    g_test_add_func("/outside/ends-of-lines", test_ends_of_lines);
    g_test_add_func("/outside/spaces-and-utf16", test_spaces_and_utf16);
    g_test_add_func("/outside/pause", test_pause);
    g_test_add_func("/outside/pause-in-first-step", test_pause_in_first_step);
    g_test_add_func("/outside/seed-tags", test_seed_tags);
    g_test_add_func("/outside/folder", test_folder);
    g_test_add_func("/outside/label-without-end", test_label_without_end);
    g_test_add_func("/outside/pause-in-line", test_pause_in_line);
    g_test_add_func("/outside/watch", test_watch);
    g_test_add_func("/outside/nothing", test_nothing);
    g_test_add_func("/outside/are", test_are);
    return g_test_run();
}
