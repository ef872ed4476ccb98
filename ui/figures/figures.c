/* The registry of figures.  SPDX-License-Identifier: MIT */
#include "ui/figures/figures.h"

#include "ui/figures/diagram.h"
#include "ui/figures/figure.h"

#define IN(domain) (1u << NS_DOMAIN_##domain)
#define SEVERAL (IN(LAYER) | IN(HIDDEN) | IN(HEAD)) /* several values per step */

static const NsFigureKind kinds[] = {
    {
        .choice = {"loss", "Loss", NULL, "Xiong et al. 2020, Fig. 2 and 4",
                   "Training and validation loss over the steps, with the learning rate."},
        .class = &ns_loss_class,
        .abscissa = NS_OVER_STEPS,
        .overview = true,
    },
    {
        .choice = {"gradient-norm", "Gradient norm by layer", NULL, "Xiong et al. 2020, Fig. 3",
                   "The norm of a gradient in every layer at one step, compared with step 0."},
        .class = &ns_profile_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_GRADIENT,
        .domains = IN(LAYER),
        .initial = NS_QUANTITY_GRAD_W2,
        .overview = true,
        .log = true,
    },
    {
        .choice =
            {"hidden-norm", "Hidden-state norm by layer", NULL, "Xiong et al. 2020, Lemma 2",
             "The norm of the hidden state after every layer at one step, compared with step 0."},
        .class = &ns_profile_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_HIDDEN,
        .domains = IN(HIDDEN),
        .initial = NS_QUANTITY_HIDDEN_NORM,
        .overview = true,
        .log = true,
    },
    {
        .choice = {"gradient-heatmap", "Gradient norm by layer and step", NULL, NULL,
                   "The norm of a gradient in every layer at every step, as color."},
        .class = &ns_heatmap_class,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_GRADIENT,
        .domains = IN(LAYER),
        .initial = NS_QUANTITY_GRAD_W2,
        .overview = true,
        .rows_are_layers = true,
        .log = true,
    },
    {
        .choice = {"profile", "A quantity by layer", NULL, NULL,
                   "Any quantity in every layer at one step, compared with step 0."},
        .class = &ns_profile_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = SEVERAL,
        .initial = NS_QUANTITY_GRAD_W2,
        .log = true,
    },
    {
        .choice =
            {"steps", "A quantity over the steps", NULL, NULL,
             "Any quantity at every step: its mean, largest and smallest value over the layers."},
        .class = &ns_steps_class,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = SEVERAL | IN(STEP),
        .initial = NS_QUANTITY_GRAD_W2,
        .log = true,
    },
    {
        .choice = {"edge", "Edge of stability", NULL, "Cohen et al. 2022, arXiv 2207.14484",
                   "Learning rate times the largest curvature that the optimizer meets, with the "
                   "value above which its steps are too large."},
        .class = &ns_steps_class,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = IN(STEP),
        .initial = NS_QUANTITY_RATE_SHARPNESS,
        .log = true,
    },
    {
        .choice = {"update-loss", "Loss along the update", NULL,
                   "Kalra et al. 2026, arXiv 2601.16979",
                   "The loss on the batch of the newest measured update, had this been made with "
                   "other learning rates: its own, the lowest loss, the critical rate."},
        .class = &ns_along_class,
        .of_curvature = true,
        .one_model = true,
    },
    {
        .choice = {"heatmap", "A quantity by layer and step", NULL, NULL,
                   "Any quantity in every layer at every step, as color."},
        .class = &ns_heatmap_class,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = SEVERAL,
        .initial = NS_QUANTITY_GRAD_W2,
        .rows_are_layers = true,
        .log = true,
    },
    {
        .choice = {"heads", "A quantity by layer and head", NULL,
                   "Zhai et al. 2023, arXiv 2303.06296",
                   "A quantity of every head in every layer at one step, as color."},
        .class = &ns_heads_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = IN(HEAD),
        .initial = NS_QUANTITY_HEAD_ENTROPY_ATTENTION,
        .log = true,
        .one_model = true,
    },
    {
        .choice = {"similarity", "Similarity of layers", NULL,
                   "Kornblith et al. 2019, arXiv 1905.00414",
                   "How similar the hidden states after any two layers are, as color."},
        .class = &ns_similarity_class,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_SIMILARITY,
        .expensive = true,
        .rows_are_layers = true,
        .one_model = true,
    },
    {
        .choice = {"theory", "Theory and measurement", NULL,
                   "Xiong et al. 2020, Lemma 2 and appendix F",
                   "A quantity by layer, compared with its theoretical value at initialization."},
        .class = &ns_profile_class,
        .theory = true,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = IN(LAYER) | IN(HIDDEN),
        .initial = NS_QUANTITY_HIDDEN_SQ,
        .log = true,
    },
    {
        .choice = {"compare", "Two runs by layer, and their ratio", NULL, NULL,
                   "Any quantity in every layer of all lanes, or of this run and the previous one, "
                   "at one step, and the ratio."},
        .class = &ns_compare_class,
        .two_runs = true,
        .abscissa = NS_OVER_LAYERS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = IN(LAYER) | IN(HIDDEN),
        .initial = NS_QUANTITY_GRAD_W2,
        .log = true,
    },
    {
        .choice = {"ratio", "Ratio of two runs by layer and step", NULL, NULL,
                   "Any quantity of lane B over that of lane A, or of this run over the previous "
                   "one, as color: log_2 of the ratio."},
        .class = &ns_heatmap_class,
        .two_runs = true,
        .abscissa = NS_OVER_STEPS,
        .subject = NS_SUBJECT_QUANTITY,
        .domains = SEVERAL,
        .initial = NS_QUANTITY_GRAD_W2,
        .rows_are_layers = true,
    },
    {
        .choice = {"schedule", "Learning-rate schedule", NULL, NULL,
                   "The learning rate of every step, so far and as scheduled; the end of the "
                   "warm-up can be dragged."},
        .class = &ns_schedule_class,
        .abscissa = NS_OVER_STEPS,
        .one_model = true,
    },
    {
        .choice =
            {"tokens", "Distribution over tokens", NULL, "Xiong et al. 2020, section 3.4",
             "Histogram over tokens of the squared norm after a layer, in units of the mean."},
        .class = &ns_tokens_class,
        .subject = NS_SUBJECT_PLACE,
        .expensive = true,
        .one_model = true,
    },
    {
        .choice = {"attention", "Attention map", NULL, "Vaswani et al. 2017, section 3.2",
                   "Attention weights of one head, for every query and key position of a sequence, "
                   "as color."},
        .class = &ns_attention_class,
        .subject = NS_SUBJECT_PLACE,
        .of_head = true,
        .expensive = true,
        .one_model = true,
    },
    {
        .choice = {"cross-attention", "Cross-attention map and translation", NULL,
                   "Vaswani et al. 2017, section 3.2.3",
                   "Attention weights of one head of the decoder over the source, as color; of the "
                   "task translation also the sentence and its translation by the model."},
        .class = &ns_cross_attention_class,
        .subject = NS_SUBJECT_PLACE,
        .of_head = true,
        .expensive = true,
        .one_model = true,
    },
    {
        .choice = {"diagram", "Diagram of a layer", NULL, "Xiong et al. 2020, Fig. 1",
                   "How one layer is wired, with the norm of the signal on every wire."},
        .class = &ns_diagram_signal_class,
        .subject = NS_SUBJECT_PLACE,
    },
    {
        .choice = {"diagram-gradient", "Diagram of a layer, backward", NULL,
                   "Xiong et al. 2020, Fig. 1",
                   "How one layer is wired, with the norm of the gradient on every wire."},
        .class = &ns_diagram_gradient_class,
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
