/* The graph of one layer.  SPDX-License-Identifier: MIT
 *
 * Every place of the block equation has its own row even if it is empty, so that placements can be
 * compared visually, and moving a norm does not move anything else. */
#include "ui/figures/diagram-private.h"

#include "core/base/copy.h"
#include "core/base/words.h"
#include "core/ops/activation.h"
#include "core/ops/norm.h"
#include "ui/plot/text.h"

#include <math.h>

/* Rows of a sub-layer, upwards from its fork. */
enum { ROW_FORK, ROW_IN, ROW_S, ROW_F, ROW_BRANCH, ROW_B, ROW_SUM, ROW_OUT, ROWS };
static const double ROW[ROWS] = {0, 0.88, 1.55, 2.45, 3.65, 4.35, 5.0, 5.9};

#define SUBLAYER 7.0 /* rows between consecutive forks */
#define BELOW 1.0    /* rows from the input to the first fork */
#define ABOVE 1.65   /* rows from the last row to the output */
#define MARGIN 0.5   /* rows beyond input and output */

/* Heights, in rows. */
#define NORM_HEIGHT 0.78
#define F_HEIGHT 1.15
#define SCALE_SIZE 0.5
#define SUM_SIZE 0.46
#define FORK_SIZE 0.16
#define CHIP_HEIGHT 0.46

/* Horizontal positions as fractions of the width of the block. */
#define EXTRA 0.06
#define TRUNK 0.27
#define BRANCH 0.6
#define DUAL 0.84
#define MEMORY 0.925

/* Widths as fractions of the width of the block, with and without stacks (without, it is narrower
 * relative to its text); and maximum widths in text sizes. */
static const double NORM_WIDTH[] = {0.3, 0.31};
static const double F_WIDTH[] = {0.36, 0.42};
#define MEMORY_WIDTH 0.14
#define MEMORY_COMPLETE 4.6 /* minimum width in text sizes for the full name */
#define NORM_MOST 9.0
#define F_MOST 13.0

typedef struct {
    NsDiagram *d;
    double unit;   /* height of a row */
    double bottom; /* position of row 0 on the page */
    NsSublayerFlows flows[NS_LAYER_SUBLAYERS];
    unsigned layer;   /* from 1, counted over all stacks */
    bool dual, extra; /* some sub-layer has an r */
} Builder;

double ns_diagram_block_rows(size_t sublayers)
{
    return 2 * MARGIN + BELOW + SUBLAYER * (double)sublayers - (SUBLAYER - ROW[ROW_OUT]) + ABOVE;
}

static double column(const Builder *b, double share)
{
    return b->d->block.x + share * b->d->block.width;
}

static NsPoint at(const Builder *b, double share, double row)
{
    return (NsPoint){column(b, share), b->bottom - row * b->unit};
}

static double fork_row(size_t k)
{
    return MARGIN + BELOW + SUBLAYER * (double)k;
}

static double width_of(const Builder *b, const double shares[2], double most)
{
    double share = shares[b->d->stacks.width > 0 ? 0 : 1];
    return MIN(share * b->d->block.width, most * b->d->text_size);
}

static NsNode node(const Builder *b, NsNodeKind kind, int sublayer)
{
    NsNode n = {.kind = kind, .sublayer = sublayer, .layer = b->layer, .parent = -1};
    if (sublayer >= 0) n.part = b->d->wiring[sublayer].position.kind;
    return n;
}

static unsigned add_round(Builder *b, NsNode n, double share, double row, double size)
{
    return ns_diagram_add(b->d, n, at(b, share, row), size * b->unit, size * b->unit);
}

static unsigned add_norm(Builder *b, int sublayer, NsPlace place)
{
    NsNode n = node(b, NS_NODE_NORM, sublayer);
    n.place = place;
    ns_copy_text(n.text, sizeof n.text, _(b->d->wiring[sublayer].c.norm->choice.label));
    const NsBox *box = &b->d->slot[sublayer][place];
    NsPoint middle = {box->x + box->width / 2, box->y + box->height / 2};
    return ns_diagram_add(b->d, n, middle, box->width, box->height);
}

static unsigned add_scale(Builder *b, int sublayer, NsFactor factor, double share, double row)
{
    const NsWiring *c = &b->d->wiring[sublayer].c;
    NsNode n = node(b, NS_NODE_SCALE, sublayer);
    n.factor = factor;
    n.number = factor == NS_FACTOR_S ? c->s : factor == NS_FACTOR_B ? c->b : c->a;
    const char *symbol = "";
    if (factor == NS_FACTOR_B && c->gain != NS_GAIN_NONE)
        symbol = c->gain == NS_GAIN_VECTOR ? "g" : "α";
    if (factor == NS_FACTOR_A && c->stream_gain) symbol = "ω";
    g_autofree char *number = ns_text_number(n.number, 3);
    if (ns_diagram_is_one(n.number))
        g_snprintf(n.text, sizeof n.text, "×%s", symbol);
    else
        g_snprintf(n.text, sizeof n.text, "×%s%s", number, symbol);
    double width = MAX(SCALE_SIZE * b->unit,
                       (0.62 * (double)g_utf8_strlen(n.text, -1) + 0.9) * b->d->text_size);
    return ns_diagram_add(b->d, n, at(b, share, row), MIN(width, 0.2 * b->d->block.width),
                          SCALE_SIZE * b->unit);
}

/* ---- F ---- */

static void add_chip(Builder *b, unsigned parent, NsNode n, double x, double y, double width,
                     double height)
{
    n.parent = (int)parent;
    ns_diagram_add(b->d, n, (NsPoint){x, y}, width, height);
}

/* Adds small boxes within F: norms of queries, keys and values at its bottom; the norm before its
 * last matrix and the factors of heads at its top. */
static void add_chips(Builder *b, int sublayer, unsigned f)
{
    const NsWiring *c = &b->d->wiring[sublayer].c;
    NsBox box = ns_diagram_node(b->d, f)->box;
    const struct {
        bool there;
        NsPlace place;
        const char *text;
    } feet[] = {{c->qk != NS_QK_NONE, NS_PLACE_QUERY, "N_Q"},
                {c->qk != NS_QK_NONE, NS_PLACE_KEY, "N_K"},
                {c->v, NS_PLACE_VALUE, "N_V"}};
    size_t n = 0, i = 0;
    for (size_t k = 0; k < G_N_ELEMENTS(feet); k++) n += feet[k].there;
    double height = CHIP_HEIGHT * b->unit, gap = 0.04 * b->unit;
    for (size_t k = 0; k < G_N_ELEMENTS(feet); k++) {
        if (!feet[k].there) continue;
        NsNode chip = node(b, NS_NODE_NORM, sublayer);
        chip.place = feet[k].place;
        g_strlcpy(chip.text, feet[k].text, sizeof chip.text);
        double width = box.width / (double)n;
        add_chip(b, f, chip, box.x + ((double)i + 0.5) * width,
                 box.y + box.height - gap - height / 2, width - 2 * gap, height);
        i++;
    }
    size_t heads = (c->mid ? 1u : 0u) + (c->head_scale ? 1u : 0u);
    double width = box.width / (double)MAX(heads, 1), y = box.y + gap + height / 2;
    if (c->head_scale) {
        NsNode chip = node(b, NS_NODE_FACTOR, sublayer);
        g_strlcpy(chip.text, "γ_h", sizeof chip.text);
        add_chip(b, f, chip, box.x + width / 2, y, width - 2 * gap, height);
    }
    if (c->mid) {
        NsNode chip = node(b, NS_NODE_NORM, sublayer);
        chip.place = NS_PLACE_MID;
        g_strlcpy(chip.text, "N_{mid}", sizeof chip.text);
        add_chip(b, f, chip, box.x + box.width - width / 2, y, width - 2 * gap, height);
    }
}

static unsigned add_branch(Builder *b, int sublayer, double row)
{
    static const char *const names[NS_SUBLAYER_KINDS] = {
        [NS_SELF_ATTENTION] = N_("Self-attention"),
        [NS_CROSS_ATTENTION] = N_("Cross-attention"),
        [NS_FFN] = N_("Feed-forward"),
    };
    const NsSettings *settings = &b->d->data->settings;
    const NsWiring *c = &b->d->wiring[sublayer].c;
    NsNode n = node(b, NS_NODE_BRANCH, sublayer);
    bool chips = c->qk != NS_QK_NONE || c->v || c->mid || c->head_scale;
    ns_copy_text(n.text, sizeof n.text, _(names[n.part]));
    if (!chips && n.part == NS_FFN)
        g_snprintf(n.detail, sizeof n.detail, "%d → %d → %d", (int)settings->d_model,
                   (int)ns_settings_d_ff(settings), (int)settings->d_model);
    else if (!chips && settings->attention == NS_ATTENTION_UNIFORM)
        ns_copy_text(n.detail, sizeof n.detail, _("uniform"));
    else if (!chips)
        g_snprintf(n.detail, sizeof n.detail,
                   ns_plural("%d head", "%d heads", (int)settings->heads), (int)settings->heads);
    unsigned f = ns_diagram_add(b->d, n, at(b, BRANCH, row), width_of(b, F_WIDTH, F_MOST),
                                F_HEIGHT * b->unit);
    add_chips(b, sublayer, f);
    return f;
}

/* ---- wires ---- */

static NsWire *connect(Builder *b, NsWireKind kind, unsigned from, unsigned to,
                       const NsFlowValues *carries)
{
    const NsPoint ends[] = {ns_diagram_middle(b->d, from), ns_diagram_middle(b->d, to)};
    return ns_diagram_connect(b->d, kind, from, to, *carries, ends, 2);
}

/* Connects the branch to the trunk: up to the row of the sum, then across. */
static void connect_from_branch(Builder *b, unsigned from, unsigned to, double row,
                                const NsFlowValues *carries)
{
    NsPoint begin = ns_diagram_middle(b->d, from), end = ns_diagram_middle(b->d, to);
    NsPoint corner = at(b, BRANCH, row), trunk = at(b, TRUNK, row);
    bool corner_first = fabs(begin.y - corner.y) > 1e-6, bent = fabs(end.y - corner.y) > 1e-6;
    NsPoint way[4] = {begin};
    size_t n = 1;
    if (corner_first) way[n++] = corner;
    if (bent) way[n++] = trunk;
    way[n++] = end;
    ns_diagram_connect(b->d, NS_WIRE_BRANCH, from, to, *carries, way, n);
}

/* The nodes to which the next sub-layer is connected. */
typedef struct {
    unsigned below; /* the node whose output is x */
    unsigned input; /* the first fork, or the input, where r begins */
    unsigned dual;  /* the node whose output is the second stream */
} Ends;

/* Adds N_in, s, F, N_br and b, upwards from the fork; returns the last node. */
static unsigned add_branch_path(Builder *b, int k, unsigned fork)
{
    const NsWiring *c = &b->d->wiring[k].c;
    const NsSublayerFlows *f = &b->flows[k];
    double row = fork_row((size_t)k);
    unsigned chain[5];
    const NsFlowValues *after[5];
    size_t n = 0;
    if (c->in) {
        chain[n] = add_norm(b, k, NS_PLACE_IN);
        after[n++] = &ns_flow_unknown;
    }
    if (!ns_diagram_is_one(c->s)) {
        chain[n] = add_scale(b, k, NS_FACTOR_S, BRANCH, row + ROW[ROW_S]);
        after[n++] = &f->u;
    }
    bool scaled = !ns_diagram_is_one(c->b) || c->gain != NS_GAIN_NONE;
    const NsFlowValues *before_b = scaled ? &f->v : &f->y;
    chain[n] = add_branch(b, k, row + ROW[ROW_F]);
    after[n++] = c->branch ? &ns_flow_unknown : before_b;
    if (c->branch) {
        chain[n] = add_norm(b, k, NS_PLACE_BRANCH);
        after[n++] = before_b;
    }
    if (scaled) {
        chain[n] = add_scale(b, k, NS_FACTOR_B, BRANCH, row + ROW[ROW_B]);
        after[n++] = &f->y;
    }
    /* Connects the trunk at the row of a fork to the branch: across to its column, then up. */
    unsigned to = chain[0];
    const NsFlowValues *carries = &f->branch_in;
    NsPoint begin = ns_diagram_middle(b->d, fork);
    NsPoint corner = at(b, BRANCH, row), trunk = at(b, TRUNK, row);
    NsPoint end = ns_diagram_middle(b->d, to);
    bool bent = fabs(begin.y - corner.y) > 1e-6; /* there is no fork */
    const NsPoint way[] = {begin, bent ? trunk : corner, bent ? corner : end, end};
    NsWire *wire = ns_diagram_connect(b->d, NS_WIRE_BRANCH, fork, to, *carries, way, bent ? 4 : 3);
    wire->numbered[NS_FLOW_SIGNAL] = bent;
    for (size_t i = 1; i < n; i++) connect(b, NS_WIRE_BRANCH, chain[i - 1], chain[i], after[i - 1]);
    return chain[n - 1];
}

static void add_skip(Builder *b, int k, unsigned fork, unsigned sum)
{
    const NsWiring *c = &b->d->wiring[k].c;
    const NsSublayerFlows *f = &b->flows[k];
    if (ns_diagram_is_one(c->a) && !c->stream_gain) {
        connect(b, NS_WIRE_SKIP, fork, sum, &f->skip);
        return;
    }
    unsigned a = add_scale(b, k, NS_FACTOR_A, TRUNK, fork_row((size_t)k) + ROW[ROW_F]);
    connect(b, NS_WIRE_SKIP, fork, a, &f->skip_in)->numbered[NS_FLOW_SIGNAL] = false;
    connect(b, NS_WIRE_SKIP, a, sum, &f->skip);
}

static void add_memory(Builder *b, int k)
{
    for (guint i = 0; i < b->d->nodes->len; i++) {
        const NsNode *f = ns_diagram_node(b->d, i);
        if (f->kind != NS_NODE_BRANCH || f->sublayer != k) continue;
        NsNode n = node(b, NS_NODE_MEMORY, k);
        /* Translators: the encoder, if there is space for a few letters only. */
        const char *brief = C_("brief", "enc.");
        double width = MEMORY_WIDTH * b->d->block.width;
        bool wide = width > MEMORY_COMPLETE * b->d->text_size;
        ns_copy_text(n.text, sizeof n.text, wide ? _("encoder") : brief);
        unsigned memory = ns_diagram_add(b->d, n, at(b, MEMORY, fork_row((size_t)k) + ROW[ROW_F]),
                                         width, NORM_HEIGHT * b->unit);
        const NsSettings *settings = &b->d->data->settings;
        NsStackWiring stacks[NS_STACKS_MAX];
        ns_stacks_wiring(settings, NULL, stacks);
        NsFlowValues carries = ns_flow_unknown;
        if (!stacks[0].final_norm) carries = ns_diagram_hidden(b->d->data, stacks[0].layers);
        carries.value[NS_FLOW_GRADIENT] = NAN; /* the layer contributes only a part of it */
        connect(b, NS_WIRE_MEMORY, memory, i, &carries);
        return;
    }
}

/* Adds y to the second stream; returns the fork from which y is passed to the first. */
static unsigned add_dual(Builder *b, int k, Ends *ends, unsigned end)
{
    const NsSublayerFlows *f = &b->flows[k];
    double row = fork_row((size_t)k) + ROW[ROW_SUM];
    unsigned both = add_round(b, node(b, NS_NODE_FORK, k), BRANCH, row, FORK_SIZE);
    unsigned sum = add_round(b, node(b, NS_NODE_SUM, k), DUAL, row, SUM_SIZE);
    connect(b, NS_WIRE_BRANCH, end, both, &f->y)->numbered[NS_FLOW_SIGNAL] = false;
    NsWire *wire = connect(b, NS_WIRE_BRANCH, both, sum, &f->y_in);
    wire->value[NS_FLOW_GRADIENT] = NAN;
    wire->numbered[NS_FLOW_SIGNAL] = false;
    connect(b, NS_WIRE_DUAL, ends->dual, sum, &ns_flow_unknown);
    ends->dual = sum;
    return both;
}

/* Adds a sub-layer; returns the node on the trunk whose output is x'. */
static unsigned add_sublayer(Builder *b, int k, Ends *ends)
{
    const NsWiring *c = &b->d->wiring[k].c;
    const NsSublayerFlows *f = &b->flows[k];
    double row = fork_row((size_t)k), sum_row = row + ROW[ROW_SUM];
    bool skip = c->a != 0, sums = skip || c->skip_layer;
    unsigned fork = ends->below;
    if (skip || (k == 0 && b->extra)) {
        fork = add_round(b, node(b, NS_NODE_FORK, k), TRUNK, row, FORK_SIZE);
        connect(b, NS_WIRE_STREAM, ends->below, fork, &f->x);
    }
    if (k == 0) ends->input = fork;
    unsigned end = add_branch_path(b, k, fork);
    if (b->dual) end = add_dual(b, k, ends, end);
    if (!sums && c->out) {
        unsigned out = add_norm(b, k, NS_PLACE_OUT);
        connect_from_branch(b, end, out, sum_row, &f->y_in);
        return out;
    }
    /* If there is nothing to add, the branch is routed back to the trunk. */
    unsigned top = add_round(b, node(b, sums ? NS_NODE_SUM : NS_NODE_FORK, k), TRUNK, sum_row,
                             sums ? SUM_SIZE : FORK_SIZE);
    if (skip) add_skip(b, k, fork, top);
    connect_from_branch(b, end, top, sum_row, &f->y_in);
    if (c->skip_layer) {
        NsPoint from = ns_diagram_middle(b->d, ends->input), to = ns_diagram_middle(b->d, top);
        double x = column(b, EXTRA);
        const NsPoint way[] = {from, {x, from.y}, {x, to.y}, to};
        ns_diagram_connect(b->d, NS_WIRE_EXTRA, ends->input, top, f->extra, way, 4)
            ->numbered[NS_FLOW_SIGNAL] = false;
    }
    if (!c->out) return top;
    unsigned out = add_norm(b, k, NS_PLACE_OUT);
    /* The residual connection has the same gradient. */
    connect(b, NS_WIRE_STREAM, top, out, &f->z)->numbered[NS_FLOW_GRADIENT] =
        !skip || !ns_diagram_is_one(c->a) || c->stream_gain;
    return out;
}

/* ---- the whole ---- */

/* Adds an input or an output of the layer, such as "x_2". */
static unsigned add_end(Builder *b, NsNodeKind kind, const char *symbol, unsigned index,
                        double share, double row)
{
    NsNode n = node(b, kind, -1);
    g_snprintf(n.text, sizeof n.text, "%s_{%u}", symbol, index);
    return ns_diagram_add(b->d, n, at(b, share, row), 3.2 * b->d->text_size,
                          MIN(1.6 * b->d->text_size, 0.8 * b->unit));
}

void ns_diagram_build_block(NsDiagram *d, const NsStackWiring *stacks, size_t stack)
{
    unsigned within = d->layer - 1 - stacks[stack].first;
    double rows = ns_diagram_block_rows(d->sublayers);
    double unit = MIN(d->block.height / rows, 4 * d->text_size);
    Builder b = {.d = d,
                 .unit = unit,
                 .bottom = d->block.y + (d->block.height + rows * unit) / 2,
                 .layer = d->layer,
                 .dual = stacks[stack].dual};
    for (size_t k = 0; k < d->sublayers; k++) b.extra |= d->wiring[k].c.skip_layer;
    ns_diagram_flows(d, stack, d->layer - 1, b.flows);
    double width = width_of(&b, NORM_WIDTH, NORM_MOST), height = NORM_HEIGHT * unit;
    for (size_t k = 0; k < d->sublayers; k++)
        for (int place = 0; place < NS_PLACES_MOVABLE; place++) {
            double row = place == NS_PLACE_IN       ? ROW[ROW_IN]
                         : place == NS_PLACE_BRANCH ? ROW[ROW_BRANCH]
                                                    : ROW[ROW_OUT];
            NsPoint slot = at(&b, place == NS_PLACE_OUT ? TRUNK : BRANCH, fork_row(k) + row);
            d->slot[k][place] = (NsBox){slot.x - width / 2, slot.y - height / 2, width, height};
        }
    Ends ends = {.input = G_MAXUINT};
    ends.below = add_end(&b, NS_NODE_INPUT, "x", within, TRUNK, MARGIN);
    if (b.dual) ends.dual = add_end(&b, NS_NODE_INPUT, "D", within, DUAL, MARGIN);
    for (int k = 0; k < (int)d->sublayers; k++) {
        ends.below = add_sublayer(&b, k, &ends);
        if (d->wiring[k].position.kind == NS_CROSS_ATTENTION) add_memory(&b, k);
    }
    unsigned top = add_end(&b, NS_NODE_OUTPUT, "x", within + 1, TRUNK, rows - MARGIN);
    connect(&b, NS_WIRE_STREAM, ends.below, top, &b.flows[d->sublayers - 1].out);
    NsPoint middle = at(&b, BRANCH, rows - MARGIN);
    d->tray = (NsBox){middle.x - width / 2, middle.y - height / 2, width, height};
    if (!b.dual) return;
    unsigned dual = add_end(&b, NS_NODE_OUTPUT, "D", within + 1, DUAL, rows - MARGIN);
    connect(&b, NS_WIRE_DUAL, ends.dual, dual, &ns_flow_unknown);
}
