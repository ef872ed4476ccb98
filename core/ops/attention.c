/* SPDX-License-Identifier: MIT */
#include "core/ops/attention.h"

#include "core/base/clones.h"
#include "core/base/vector_lanes.h"
#include "core/ops/gemm.h"
#include "core/ops/gemm_tiled.h"
#include "core/ops/math.h"
#include "core/ops/plain.h"

#include <stdalign.h>

#define INLINE static inline __attribute__((always_inline))

enum {
    /* Rows of a block if there are no kernels to choose it. */
    ROWS = 16,
    /* Keys are transposed in pieces of at most this many features, and as many keys as then fit. */
    FEATURES = 256,
    PANELS = (64 << 10) / sizeof(ns_real)
};

/* ---- The formulas ---- */

/* p_j = exp(z_j) / sum_k exp(z_k); the largest z is subtracted, so that nothing overflows. */
void ns_plain_softmax(double *p, const double *z, size_t n)
{
    double most = -(double)INFINITY, sum = 0;
    for (size_t j = 0; j < n; j++) most = MAX(most, z[j]);
    for (size_t j = 0; j < n; j++) sum += p[j] = exp(z[j] - most);
    for (size_t j = 0; j < n; j++) p[j] /= sum;
}

/* dz_j = p_j (dp_j - sum_k p_k dp_k) */
void ns_plain_softmax_backward(double *dz, const double *p, const double *dp, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += p[j] * dp[j];
    for (size_t j = 0; j < n; j++) dz[j] = p[j] * (dp[j] - sum);
}

static double plain_dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* s_j = <q, k_j> / sqrt(d);  p = softmax(s);  o = sum_j p_j v_j */
void ns_plain_attend(const NsPlainQuery *a, double *p, double *o)
{
    size_t n = a->n, d = a->d;
    for (size_t j = 0; j < n; j++) p[j] = plain_dot(a->q, a->k + j * d, d) / sqrt((double)d);
    ns_plain_softmax(p, p, n);
    for (size_t c = 0; c < d; c++) o[c] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < d; c++) o[c] += p[j] * a->v[j * d + c];
}

/* dp_j = <do, v_j>, and ds from it;  dq = sum_j ds_j k_j / sqrt(d);
 * dk_j = ds_j q / sqrt(d);  dv_j = p_j do */
void ns_plain_attend_backward(const NsPlainQuery *a, const double *p, const double *dO, double *ds,
                              double *dq, double *dk, double *dv)
{
    size_t n = a->n, d = a->d;
    for (size_t j = 0; j < n; j++) ds[j] = plain_dot(dO, a->v + j * d, d);
    ns_plain_softmax_backward(ds, p, ds, n);
    for (size_t c = 0; c < d; c++) dq[c] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < d; c++) {
            dq[c] += ds[j] * a->k[j * d + c] / sqrt((double)d);
            dk[j * d + c] += ds[j] * a->q[c] / sqrt((double)d);
            dv[j * d + c] += p[j] * dO[c];
        }
}

/* ---- Kernels ---- */

/* Rows divided into blocks as evenly as possible: a last block of two rows would cost as much as a
 * full one. */
typedef struct {
    size_t count, height, taller; /* the first `taller` blocks have one more row */
} Blocks;

static Blocks blocks_of(size_t rows, size_t most)
{
    size_t count = (rows + most - 1) / most;
    return (Blocks){count, rows / MAX(count, 1), rows % MAX(count, 1)};
}

static size_t block_rows(const Blocks *b, size_t i)
{
    return b->height + (i < b->taller);
}

/* The attention of a head in a sequence.  Q, K, V, dO and o have the given row strides; P and dP:
 * [T, S]. */
typedef struct {
    /* The same for all heads and sequences. */
    const NsGemmKernels *kernels; /* NULL if this processor has none */
    size_t T, S, d;
    size_t group; /* heads of queries that share keys and values */
    bool causal;
    ns_real scale;
    size_t q_stride, k_stride, o_stride;
    size_t most;                       /* rows of a block */
    size_t piece_keys, piece_features; /* of a piece that is transposed at once */
    Blocks queries;
    /* The same for all heads of a sequence. */
    size_t keys;     /* number of keys; the rest are padding */
    size_t gathered; /* number of keys that some query sees */
    Blocks gathered_keys;

    ns_real *weights, *o;     /* forward; weights is P */
    const ns_real *V, *K, *P; /* K and P for backward only */
    ns_real *dQ, *scores;     /* backward only; scores is dP, then ds */
} Head;

static size_t visible(const Head *h, size_t i)
{
    return h->causal && i + 1 < h->keys ? i + 1 : h->keys;
}

/* Number of elements of a row to compute if n of them are needed: whole vectors, if they fit. */
static size_t round_up(const Head *h, size_t n)
{
    return MIN((n + NS_VECTOR_LANES - 1) / NS_VECTOR_LANES * NS_VECTOR_LANES, h->S);
}

/* Number of rows that go through each step of softmax together, so that their sums overlap in the
 * pipeline; a multiple of NS_VECTOR_ROWS. */
enum { TOGETHER = 16 };

typedef ns_real VectorLanes[NS_VECTOR_LANES];

/* If n is not a multiple of NS_VECTOR_ROWS, the remaining rows are summed, too: clears them, since
 * garbage may be denormal, which makes additions a hundred times slower. */
NS_VECTOR_INLINE void fill_up(VectorLanes *lane, size_t n)
{
    for (; n % NS_VECTOR_ROWS; n++) memset(lane[n], 0, sizeof *lane);
}

/* The keys that a query sees, in vectors of NS_VECTOR_LANES keys. */
typedef struct {
    size_t start;    /* of the row in P and dP */
    size_t last;     /* first key of the last vector; all keys before it are visible */
    const int *seen; /* for every key of the last vector, whether it is visible */
} Row;

static const int all_seen[2 * NS_VECTOR_LANES] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

NS_VECTOR_INLINE Row seen_row(const Head *h, size_t i)
{
    size_t keys = visible(h, i), last = (keys - 1) / NS_VECTOR_LANES * NS_VECTOR_LANES;
    return (Row){i * h->S, last, all_seen + NS_VECTOR_LANES - (keys - last)};
}

/* Whether the row ends within its last vector, which is then processed in a copy. */
NS_VECTOR_INLINE bool ragged(const Head *h, const Row *row)
{
    return row->last + NS_VECTOR_LANES > h->S;
}

NS_VECTOR_INLINE ns_real *copy_last(const Head *h, const Row *row, const ns_real *x, ns_real *copy)
{
    memset(copy, 0, NS_VECTOR_LANES * sizeof *copy);
    return memcpy(copy, x + row->start + row->last, (h->S - row->last) * sizeof *x);
}

/* Writes the last vector back, and 0 to the keys after it. */
NS_VECTOR_INLINE void finish_row(const Head *h, const Row *row, ns_real *x, const ns_real *last)
{
    size_t n = h->S - row->last;
    x += row->start + row->last;
    if (ragged(h, row))
        memcpy(x, last, n * sizeof *x);
    else if (n > NS_VECTOR_LANES)
        memset(x + NS_VECTOR_LANES, 0, (n - NS_VECTOR_LANES) * sizeof *x);
}

/* The vectors of a row for j = 0, NS_VECTOR_LANES ... row->last.  The last vector comes first, so
 * that a short row is not a special case.  The loops over them compute every lane and select the
 * visible ones afterwards: arithmetic inside the selection would be compiled to branches. */
#define VECTOR(row, x, last, j) ((j) ? (x) + (row)->start + (j)-NS_VECTOR_LANES : (last))
#define SEEN(row, j) ((j) ? all_seen : (row)->seen)

/* P_j = exp(s_j - max s) / sum_k exp(s_k - max s) over the keys that each row sees, in place of s;
 * the other elements are set to 0, whatever they hold. */
NS_VECTOR_INLINE void softmax_rows(const Head *h, size_t first, size_t n)
{
    Row rows[TOGETHER];
    VectorLanes lane[TOGETHER], copy[TOGETHER];
    ns_real max[TOGETHER], scale[TOGETHER], *last[TOGETHER], *x = h->weights;
    for (size_t r = 0; r < n; r++) {
        Row row = rows[r] = seen_row(h, first + r);
        last[r] = ragged(h, &row) ? copy_last(h, &row, x, copy[r]) : x + row.start + row.last;
        VectorLanes largest;
        for (int l = 0; l < NS_VECTOR_LANES; l++) largest[l] = -(ns_real)INFINITY;
        for (size_t j = 0; j <= row.last; j += NS_VECTOR_LANES) {
            const ns_real *s = VECTOR(&row, x, last[r], j);
            const int *seen = SEEN(&row, j);
#pragma omp simd
            for (int l = 0; l < NS_VECTOR_LANES; l++) {
                ns_real score = s[l];
                score = seen[l] ? score : -(ns_real)INFINITY;
                largest[l] = score > largest[l] ? score : largest[l];
            }
        }
        memcpy(lane[r], largest, sizeof largest);
    }
    fill_up(lane, n);
    for (size_t r = 0; r < n; r += NS_VECTOR_ROWS) ns_vector_lanes_max_rows(max + r, lane + r);

    for (size_t r = 0; r < n; r++) {
        Row row = rows[r];
        VectorLanes sum = {0};
        for (size_t j = 0; j <= row.last; j += NS_VECTOR_LANES) {
            ns_real *s = VECTOR(&row, x, last[r], j);
            const int *seen = SEEN(&row, j);
#pragma omp simd
            for (int l = 0; l < NS_VECTOR_LANES; l++) {
                ns_real e = ns_exp(s[l] - max[r]);
                e = seen[l] ? e : 0;
                s[l] = e;
                sum[l] += e;
            }
        }
        memcpy(lane[r], sum, sizeof sum);
    }
    for (size_t r = 0; r < n; r += NS_VECTOR_ROWS) {
        ns_vector_lanes_sum_rows(scale + r, lane + r);
#pragma omp simd
        for (size_t i = r; i < r + NS_VECTOR_ROWS; i++) scale[i] = 1 / scale[i];
    }
    for (size_t r = 0; r < n; r++) {
        Row row = rows[r];
        for (size_t j = 0; j <= row.last; j += NS_VECTOR_LANES) {
            ns_real *e = VECTOR(&row, x, last[r], j);
            const int *seen = SEEN(&row, j);
#pragma omp simd
            for (int l = 0; l < NS_VECTOR_LANES; l++) {
                ns_real weight = e[l] * scale[r];
                e[l] = seen[l] ? weight : 0;
            }
        }
        finish_row(h, &row, x, last[r]);
    }
}

NS_CLONES(static, softmax, (const Head *h, size_t first, size_t end), (h, first, end))
{
    for (size_t query = first; query < end; query += TOGETHER)
        softmax_rows(h, query, MIN(TOGETHER, end - query));
}

/* P = softmax(s), so ds = P (dP - sum_j dP_j P_j), in place of dP.  The rounded P sums to only
 * nearly 1; dividing by its sum makes ds sum to 0, as it should, so that the gradient of b_K does
 * not consist of rounding errors. */
NS_VECTOR_INLINE void softmax_backward_rows(const Head *h, size_t first, size_t n)
{
    Row rows[TOGETHER];
    VectorLanes dot_lane[TOGETHER], mass_lane[TOGETHER], copy[TOGETHER], p_copy[TOGETHER];
    ns_real dot[TOGETHER], mass[TOGETHER], *last[TOGETHER], *x = h->scores;
    const ns_real *p_last[TOGETHER], *P = h->P;
    for (size_t r = 0; r < n; r++) {
        Row row = rows[r] = seen_row(h, first + r);
        last[r] = ragged(h, &row) ? copy_last(h, &row, x, copy[r]) : x + row.start + row.last;
        p_last[r] = ragged(h, &row) ? copy_last(h, &row, P, p_copy[r]) : P + row.start + row.last;
        VectorLanes dots = {0}, masses = {0};
        for (size_t j = 0; j <= row.last; j += NS_VECTOR_LANES) {
            const ns_real *d = VECTOR(&row, x, last[r], j), *p = VECTOR(&row, P, p_last[r], j);
            const int *seen = SEEN(&row, j);
#pragma omp simd
            for (int l = 0; l < NS_VECTOR_LANES; l++) {
                ns_real weight = p[l], gradient = d[l];
                weight = seen[l] ? weight : 0;
                gradient = seen[l] ? gradient : 0;
                dots[l] += gradient * weight;
                masses[l] += weight;
            }
        }
        memcpy(dot_lane[r], dots, sizeof dots);
        memcpy(mass_lane[r], masses, sizeof masses);
    }
    fill_up(dot_lane, n);
    fill_up(mass_lane, n);
    for (size_t r = 0; r < n; r += NS_VECTOR_ROWS) {
        ns_vector_lanes_sum_rows(dot + r, dot_lane + r);
        ns_vector_lanes_sum_rows(mass + r, mass_lane + r);
#pragma omp simd
        for (size_t i = r; i < r + NS_VECTOR_ROWS; i++) dot[i] /= mass[i];
    }
    for (size_t r = 0; r < n; r++) {
        Row row = rows[r];
        for (size_t j = 0; j <= row.last; j += NS_VECTOR_LANES) {
            ns_real *d = VECTOR(&row, x, last[r], j);
            const ns_real *p = VECTOR(&row, P, p_last[r], j);
            const int *seen = SEEN(&row, j);
#pragma omp simd
            for (int l = 0; l < NS_VECTOR_LANES; l++) {
                ns_real ds = p[l] * (d[l] - dot[r]);
                d[l] = seen[l] ? ds : 0;
            }
        }
        finish_row(h, &row, x, last[r]);
    }
}

NS_CLONES(static, softmax_backward, (const Head *h, size_t first, size_t end), (h, first, end))
{
    for (size_t query = first; query < end; query += TOGETHER)
        softmax_backward_rows(h, query, MIN(TOGETHER, end - query));
}

static void uniform(const Head *h)
{
    for (size_t i = 0; i < h->T; i++) {
        ns_real *row = h->weights + i * h->S;
        size_t n = visible(h, i);
        for (size_t j = 0; j < h->S; j++) row[j] = j < n ? 1 / (ns_real)n : 0;
    }
}

G_GNUC_NO_INLINE static void multiply_by_gemm(NsGemm g)
{
    ns_gemm(&g);
}

/* C = alpha A B + beta C for at most one block of rows, reading B in place.  Inlined, and g is
 * passed by value to multiply_by_gemm, so that the compiler never builds g in memory. */
INLINE void multiply_block(const Head *h, const NsGemm *g)
{
    if (!h->kernels) {
        multiply_by_gemm(*g);
        return;
    }
    size_t vector_lanes = h->kernels->vector_lanes, width = 2 * vector_lanes;
    NsGemmTile t = {.a = g->A,
                    .a_stride = g->lda,
                    .b_stride = g->ldb,
                    .c_stride = g->ldc,
                    .K = g->K,
                    .alpha = g->alpha,
                    .beta = g->beta};
    for (size_t n = 0; n < g->N; n += width) {
        t.columns = MIN(width, g->N - n);
        t.b = g->B + n;
        t.c = g->C + n;
        ns_gemm_tile(h->kernels, &t, g->M, g->ta);
    }
}

/* A transposed piece of Y, in which a vector holds one feature of many keys: panels of two vectors
 * of keys, [features, 2 vector_lanes], one after the other. */
typedef struct {
    size_t first, keys, feature, features;
    ns_real *panels;
} Piece;

/* C = alpha X Y^T, each row with the keys that some row of its block sees.  The first features
 * overwrite C, later ones are added. */
typedef struct {
    const ns_real *X, *Y;
    size_t x_stride, y_stride;
    ns_real alpha;
    ns_real *C;
    /* Called for each block of rows when its scores are complete and still in the cache. */
    void (*finish)(const Head *h, size_t first, size_t end);
} Scores;

static void score_block(const Head *h, const Scores *s, const Piece *p, size_t first, size_t end)
{
    size_t vector_lanes = h->kernels->vector_lanes, width = 2 * vector_lanes,
           seen = round_up(h, visible(h, end - 1));
    NsGemmTile t = {.a = s->X + first * s->x_stride + p->feature,
                    .a_stride = s->x_stride,
                    .b_stride = width,
                    .c_stride = h->S,
                    .K = p->features,
                    .alpha = s->alpha,
                    .beta = p->feature ? 1 : 0};
    size_t keys = seen > p->first ? MIN(seen - p->first, p->keys) : 0;
    for (size_t j = 0; j < keys; j += width) {
        t.columns = MIN(width, keys - j);
        t.b = p->panels + j * p->features;
        t.c = s->C + first * h->S + p->first + j;
        ns_gemm_tile(h->kernels, &t, end - first, false);
    }
}

static void score(const Head *h, const Scores *s)
{
    if (h->kernels) {
        alignas(64) ns_real panels[PANELS];
        size_t features = h->piece_features, keys = h->piece_keys, all = round_up(h, h->keys);
        for (size_t k = 0; k < all; k += keys)
            for (size_t c = 0; c < h->d; c += features) {
                Piece p = {k, MIN(keys, all - k), c, MIN(features, h->d - c), panels};
                bool last = k + keys >= all && c + features >= h->d;
                h->kernels->pack[1](panels, s->Y + k * s->y_stride + c, s->y_stride, p.keys,
                                    p.features);
                for (size_t i = 0, first = 0, end; i < h->queries.count; i++, first = end) {
                    end = first + block_rows(&h->queries, i);
                    score_block(h, s, &p, first, end);
                    if (last) s->finish(h, first, end);
                }
            }
        return;
    }
    for (size_t i = 0, first = 0, end; i < h->queries.count; i++, first = end) {
        end = first + block_rows(&h->queries, i);
        ns_gemm(&(NsGemm){.tb = true,
                          .M = end - first,
                          .N = visible(h, end - 1),
                          .K = h->d,
                          .alpha = s->alpha,
                          .A = s->X + first * s->x_stride,
                          .lda = s->x_stride,
                          .B = s->Y,
                          .ldb = s->y_stride,
                          .C = s->C + first * h->S,
                          .ldc = h->S});
        s->finish(h, first, end);
    }
}

/* o = P V */
static void mix(const Head *h, size_t first, size_t end)
{
    multiply_block(h, &(NsGemm){.M = end - first,
                                .N = h->d,
                                .K = visible(h, end - 1),
                                .alpha = 1,
                                .A = h->weights + first * h->S,
                                .lda = h->S,
                                .B = h->V,
                                .ldb = h->k_stride,
                                .C = h->o + first * h->o_stride,
                                .ldc = h->o_stride});
}

static void finish_forward(const Head *h, size_t first, size_t end)
{
    softmax(h, first, end);
    mix(h, first, end);
}

/* s = scale Q K^T, so dQ = scale ds K. */
static void finish_backward(const Head *h, size_t first, size_t end)
{
    softmax_backward(h, first, end);
    multiply_block(h, &(NsGemm){.M = end - first,
                                .N = h->d,
                                .K = visible(h, end - 1),
                                .alpha = h->scale,
                                .A = h->scores + first * h->S,
                                .lda = h->S,
                                .B = h->K,
                                .ldb = h->k_stride,
                                .C = h->dQ + first * h->q_stride,
                                .ldc = h->q_stride});
}

/* dY = alpha W^T X + beta dY, for each key summed over the queries that see it.  W: [T, S], X:
 * [T, d], dY: [S, d]; beta: 0 or 1. */
static void gather(const Head *h, ns_real *dY, ns_real alpha, ns_real beta, const ns_real *W,
                   const ns_real *X, size_t x_stride)
{
    for (size_t i = 0, first = 0, end; i < h->gathered_keys.count; i++, first = end) {
        end = first + block_rows(&h->gathered_keys, i);
        size_t query = h->causal ? first : 0;
        multiply_block(h, &(NsGemm){.ta = true,
                                    .M = end - first,
                                    .N = h->d,
                                    .K = h->T - query,
                                    .alpha = alpha,
                                    .beta = beta,
                                    .A = W + query * h->S + first,
                                    .lda = h->S,
                                    .B = X + query * x_stride,
                                    .ldb = x_stride,
                                    .C = dY + first * h->k_stride,
                                    .ldc = h->k_stride});
    }
    for (size_t j = h->gathered; j < h->S && beta == 0; j++)
        memset(dY + j * h->k_stride, 0, h->d * sizeof *dY);
}

INLINE Head heads_of(const NsAttention *a)
{
    const NsGemmKernels *kernels = ns_gemm_kernels(ns_instructions());
    size_t vector_lanes = kernels ? kernels->vector_lanes : 0,
           features = MAX(MIN(a->d, FEATURES), 1);
    bool narrow = a->S <= vector_lanes && a->d <= vector_lanes;
    Head h = {.kernels = kernels,
              .T = a->T,
              .S = a->S,
              .d = a->d,
              .group = a->kv_heads ? a->H / a->kv_heads : 1,
              .causal = a->causal,
              .scale = (ns_real)(1 / sqrt((double)a->d)),
              .q_stride = a->q_stride,
              .k_stride = a->k_stride,
              .o_stride = a->H * a->d,
              .most = !kernels ? ROWS
                      : narrow ? kernels->tall
                               : kernels->rows,
              .piece_features = features,
              .piece_keys =
                  kernels ? PANELS / features / (2 * vector_lanes) * (2 * vector_lanes) : 0};
    h.queries = blocks_of(a->T, h.most);
    return h;
}

static void begin_sequence(Head *h, const NsAttention *a, size_t b)
{
    h->keys = (size_t)a->key_length[b];
    h->gathered = h->causal ? MIN(h->keys, h->T) : h->keys;
    h->gathered_keys = blocks_of(h->gathered, h->most);
}

void ns_attention_forward(const NsAttention *a, ns_real *o, ns_real *P)
{
    Head h = heads_of(a);
    for (size_t b = 0; b < a->B; b++) {
        begin_sequence(&h, a, b);
        for (size_t i = 0; i < a->H; i++) {
            size_t query = b * a->T * a->q_stride + i * a->d;
            size_t key = b * a->S * a->k_stride + i / h.group * a->d;
            h.V = a->V + key;
            h.weights = P + (b * a->H + i) * a->T * a->S;
            h.o = o + b * a->T * h.o_stride + i * a->d;
            if (!a->uniform) {
                score(&h, &(Scores){.X = a->Q + query,
                                    .Y = a->K + key,
                                    .x_stride = h.q_stride,
                                    .y_stride = h.k_stride,
                                    .alpha = h.scale,
                                    .C = h.weights,
                                    .finish = finish_forward});
                continue;
            }
            uniform(&h);
            for (size_t k = 0, first = 0, end; k < h.queries.count; k++, first = end) {
                end = first + block_rows(&h.queries, k);
                mix(&h, first, end);
            }
        }
    }
}

void ns_attention_backward(const NsAttention *a, const NsAttentionGradients *g)
{
    Head h = heads_of(a);
    h.scores = g->scratch;
    for (size_t b = 0; b < a->B; b++) {
        begin_sequence(&h, a, b);
        for (size_t i = 0; i < a->H; i++) {
            size_t query = b * a->T * a->q_stride + i * a->d;
            size_t key = b * a->S * a->k_stride + i / h.group * a->d;
            const ns_real *dO = g->dO + b * a->T * h.o_stride + i * a->d;
            h.P = g->P + (b * a->H + i) * a->T * a->S;
            /* o = P V, so dV = P^T dO and dP = dO V^T; a group adds to one dV. */
            ns_real beta = i % h.group ? 1 : 0;
            gather(&h, g->dV + key, 1, beta, h.P, dO, h.o_stride);
            if (a->uniform) continue;
            h.K = a->K + key;
            h.dQ = g->dQ + query;
            score(&h, &(Scores){.X = dO,
                                .Y = a->V + key,
                                .x_stride = h.o_stride,
                                .y_stride = h.k_stride,
                                .alpha = 1,
                                .C = h.scores,
                                .finish = finish_backward});
            gather(&h, g->dK + key, h.scale, beta, h.scores, a->Q + query, h.q_stride);
        }
    }
}
