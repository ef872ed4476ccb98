/* The registry of figures.  SPDX-License-Identifier: MIT */
#include "ui/figures/figures.h"

#include "ui/figures/diagram.h"
#include "ui/figures/figure.h"

#define IN(domain) (1u << NS_DOMAIN_##domain)
#define SEVERAL (IN(LAYER) | IN(HIDDEN) | IN(HEAD)) /* several values per step */

static const NsFigureKind kinds[] = {
    {
        {
            .key = "loss",
            .label = "Loss",
            .reference = "Xiong et al. 2020, Fig. 2 and 4",
            .purpose = "Training and validation loss over the steps, with the learning rate.",
        },
        &ns_loss_class,
        .abscissa = NS_OVER_STEPS,
        .overview = true,
    },
    {
        {
            .key = "gradient-norm",
            .label = "Gradient norm by layer",
            .reference = "Xiong et al. 2020, Fig. 3",
            .purpose = "The norm of a gradient in every layer at one step, compared with step 0.",
        },
        &ns_profile_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_GRADIENT,
        .domains = IN(LAYER),
        .initial = NS_QUANTITY_GRAD_W2,
        .overview = true,
        .log = true,
    },
    {
        {
            .key = "hidden-norm",
            .label = "Hidden-state norm by layer",
            .reference = "Xiong et al. 2020, Lemma 2",
            .purpose =
                "The norm of the hidden state after every layer at one step, compared with step 0.",
        },
        &ns_profile_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_HIDDEN,
        .domains = IN(HIDDEN),
        .initial = NS_QUANTITY_HIDDEN_NORM,
        .overview = true,
        .log = true,
    },
    {
        {
            .key = "gradient-heatmap",
            .label = "Gradient norm by layer and step",
            .purpose = "The norm of a gradient in every layer at every step, as color.",
        },
        &ns_heatmap_class,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_GRADIENT,
        .domains = IN(LAYER),
        .initial = NS_QUANTITY_GRAD_W2,
        .overview = true,
        .rows_are_layers = true,
        .log = true,
    },
    {
        {
            .key = "profile",
            .label = "A quantity by layer",
            .purpose = "Any quantity in every layer at one step, compared with step 0.",
        },
        &ns_profile_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = SEVERAL,
        .initial = NS_QUANTITY_GRAD_W2,
        .log = true,
    },
    {
        {
            .key = "steps",
            .label = "A quantity over the steps",
            .purpose =
                "Any quantity at every step: its mean, largest and smallest value over the layers.",
        },
        &ns_steps_class,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = SEVERAL | IN(STEP),
        .initial = NS_QUANTITY_GRAD_W2,
        .log = true,
    },
    {
        {
            .key = "edge",
            .label = "Edge of stability",
            .reference = "Cohen et al. 2022, arXiv 2207.14484",
            .purpose = "Learning rate times the largest curvature that the optimizer meets, with "
                       "the value above which its steps are too large.",
        },
        &ns_steps_class,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = IN(STEP),
        .initial = NS_QUANTITY_RATE_SHARPNESS,
        .log = true,
    },
    {
        {
            .key = "update-loss",
            .label = "Loss along the update",
            .reference = "Kalra et al. 2026, arXiv 2601.16979",
            .purpose = "The loss on the batch of the newest measured update, had this been made "
                       "with other learning rates: its own, the lowest loss, the critical rate.",
        },
        &ns_along_class,
        .of_curvature = true,
        .one_model = true,
    },
    {
        {
            .key = "heatmap",
            .label = "A quantity by layer and step",
            .purpose = "Any quantity in every layer at every step, as color.",
        },
        &ns_heatmap_class,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = SEVERAL,
        .initial = NS_QUANTITY_GRAD_W2,
        .rows_are_layers = true,
        .log = true,
    },
    {
        {
            .key = "heads",
            .label = "A quantity by layer and head",
            .reference = "Zhai et al. 2023, arXiv 2303.06296",
            .purpose = "A quantity of every head in every layer at one step, as color.",
        },
        &ns_heads_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = IN(HEAD),
        .initial = NS_QUANTITY_HEAD_ENTROPY_ATTENTION,
        .log = true,
        .one_model = true,
    },
    {
        {
            .key = "similarity",
            .label = "Similarity of layers",
            .reference = "Kornblith et al. 2019, arXiv 1905.00414",
            .purpose = "How similar the hidden states after any two layers are, as color.",
        },
        &ns_similarity_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_SIMILARITY,
        .expensive = true,
        .rows_are_layers = true,
        .one_model = true,
    },
    {
        {
            .key = "theory",
            .label = "Theory and measurement",
            .reference = "Xiong et al. 2020, Lemma 2 and appendix F",
            .purpose =
                "A quantity by layer, compared with its theoretical value at initialization.",
        },
        &ns_profile_class,
        .theory = true,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = IN(LAYER) | IN(HIDDEN),
        .initial = NS_QUANTITY_HIDDEN_SQ,
        .log = true,
    },
    {
        {
            .key = "compare",
            .label = "Two runs by layer, and their ratio",
            .purpose = "Any quantity in every layer of all lanes, or of this run and the previous "
                       "one, at one step, and the ratio.",
        },
        &ns_compare_class,
        .two_runs = true,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = IN(LAYER) | IN(HIDDEN),
        .initial = NS_QUANTITY_GRAD_W2,
        .log = true,
    },
    {
        {
            .key = "ratio",
            .label = "Ratio of two runs by layer and step",
            .purpose = "Any quantity of lane B over that of lane A, or of this run over the "
                       "previous one, as color: log_2 of the ratio.",
        },
        &ns_heatmap_class,
        .two_runs = true,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = SEVERAL,
        .initial = NS_QUANTITY_GRAD_W2,
        .rows_are_layers = true,
    },
    {
        {
            .key = "schedule",
            .label = "Learning-rate schedule",
            .purpose = "The learning rate of every step, so far and as scheduled; the end of the "
                       "warm-up can be dragged.",
        },
        &ns_schedule_class,
        .abscissa = NS_OVER_STEPS,
        .one_model = true,
    },
    {
        {
            .key = "tokens",
            .label = "Distribution over tokens",
            .reference = "Xiong et al. 2020, section 3.4",
            .purpose =
                "Histogram over tokens of the squared norm after a layer, in units of the mean.",
        },
        &ns_tokens_class,
        .subject = NS_SUBJECT_PLACE,
        .expensive = true,
        .one_model = true,
    },
    {
        {
            .key = "attention",
            .label = "Attention map",
            .reference = "Vaswani et al. 2017, section 3.2",
            .purpose = "Attention weights of one head, for every query and key position of a "
                       "sequence, as color.",
        },
        &ns_attention_class,
        .subject = NS_SUBJECT_PLACE,
        .of_head = true,
        .expensive = true,
        .one_model = true,
    },
    {
        {
            .key = "cross-attention",
            .label = "Cross-attention map and translation",
            .reference = "Vaswani et al. 2017, section 3.2.3",
            .purpose = "Attention weights of one head of the decoder over the source, as color; of "
                       "the task translation also the sentence and its translation by the model.",
        },
        &ns_cross_attention_class,
        .subject = NS_SUBJECT_PLACE,
        .of_head = true,
        .expensive = true,
        .one_model = true,
    },
    {
        {
            .key = "diagram",
            .label = "Diagram of a layer",
            .reference = "Xiong et al. 2020, Fig. 1",
            .purpose = "How one layer is wired, with the norm of the signal on every wire.",
        },
        &ns_diagram_signal_class,
        .subject = NS_SUBJECT_PLACE,
    },
    {
        {
            .key = "diagram-gradient",
            .label = "Diagram of a layer, backward",
            .reference = "Xiong et al. 2020, Fig. 1",
            .purpose = "How one layer is wired, with the norm of the gradient on every wire.",
        },
        &ns_diagram_gradient_class,
        .subject = NS_SUBJECT_PLACE,
    },
};

const NsFigureKind *ns_figure_kind(size_t i)
{
    return i < G_N_ELEMENTS(kinds) ? &kinds[i] : NULL;
}

NS_CHOICES(ns_figure_choice, kinds)

const NsFigureKind *ns_figure_find(const char *key)
{
    int i = ns_choices_find(ns_figure_choice, key);
    return i < 0 ? NULL : &kinds[i];
}
