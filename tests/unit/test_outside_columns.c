/* How the columns of a log are understood.  SPDX-License-Identifier: MIT */
#include "core/store/outside.h"
#include "core/store/outside_name.h"
#include "core/train/run.h"

#include <string.h>

static NsOutside *read_text(const char *text)
{
    NsOutside *o = ns_outside_new(NS_HISTORY_BUDGET);
    ns_outside_feed(o, text, strlen(text));
    ns_outside_end(o);
    return o;
}

/* Its columns as “name=meaning”. */
static void assert_columns(const NsOutside *o, const char *want)
{
    NsOutsideReading *reading = ns_outside_reading(o);
    g_autoptr(GString) words = g_string_new(NULL);
    for (guint i = 0; i < reading->columns->len; i++) {
        const NsOutsideColumn *column = reading->columns->pdata[i];
        g_string_append_printf(words, "%s%s=%s", i ? " " : "", column->name,
                               ns_outside_meanings[column->meaning].key);
    }
    g_assert_cmpstr(words->str, ==, want);
    ns_outside_reading_unref(reading);
}

/* The columns of one name in the files of training and of validation are two. */
static void test_columns_of_a_pair(void)
{
    g_autoptr(NsOutside) o = ns_outside_new(1 << 20);
    ns_outside_add_file(o, "train.csv", NULL, 0, true);
    ns_outside_add_file(o, "val.csv", "validation", 0, true);
    const char text[] = "step,loss\n0,3\n1,2\n";
    for (size_t i = 0; i < 2; i++) ns_outside_feed_file(o, i, text, strlen(text));
    ns_outside_end(o);
    assert_columns(o, "step=step loss=loss validation/loss=validation");
}

/* The numbers in the names of parameters and of heads are not the layer. */
static void test_columns_with_numbers(void)
{
    static const struct {
        const char *name, *columns; /* {l} is 0 to 7, or 1 to 8, or 0 */
        int first, last;
    } rows[] = {
        {"grad_norm/layers.%d.mlp.fc2.weight", "grad_norm/layers.{l}.mlp.fc2.weight", 0, 7},
        {"grad_norm/layers.%d.mlp.fc1.weight", "grad_norm/layers.{l}.mlp.fc1.weight", 1, 8},
        {"grad_norm/layers.%d.mlp.fc0.weight", "grad_norm/layers.{l}.mlp.fc0.weight", 0, 0},
        {"entropy/layers.%d.head.3", "entropy/layers.{l}.head.3", 0, 7},
        {"entropy/%d/head/3", "entropy/{l}/head/3", 1, 8},
        {"act/layer%d_rms/2", "act/layer{l}_rms/2", 0, 7},
        {"grad_norm/w2/%d", "grad_norm/w2/{l}", 0, 7},
        {"hidden_norm_%d", "hidden_norm_{l}", 0, 7},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        g_autoptr(GString) text = g_string_new("{\"step\":0,\"loss\":3");
        for (int l = rows[i].first; l <= rows[i].last; l++) {
            g_auto(GStrv) parts = g_strsplit(rows[i].name, "%d", 2);
            g_string_append_printf(text, ",\"%s%d%s\":%d", parts[0], l, parts[1], l);
        }
        g_string_append(text, "}\n");
        g_autoptr(NsOutside) o = read_text(text->str);
        g_autofree char *want = g_strdup_printf("step=step loss=loss %s=layer", rows[i].columns);
        assert_columns(o, want);
    }
}

/* An array in a step is by layer; one that has a value of each step is a curve. */
static void test_columns_of_arrays(void)
{
    g_autoptr(NsOutside) steps = read_text("{\"step\":0,\"loss\":3,\"act\":[1,2,3]}\n");
    assert_columns(steps, "step=step loss=loss act=layer");
    g_autoptr(NsOutside) table = read_text("{\"loss\":[3,2,1],\"accuracy\":[0.1,0.2,0.3]}\n");
    ns_outside_end(table);
    assert_columns(table, "loss=loss accuracy=curve");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/outside-columns/of-a-pair", test_columns_of_a_pair);
    g_test_add_func("/outside-columns/with-numbers", test_columns_with_numbers);
    g_test_add_func("/outside-columns/of-arrays", test_columns_of_arrays);
    return g_test_run();
}
