"""Trees of boosting: histograms of gradients and hessians over coded columns."""
