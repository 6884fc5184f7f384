"""Ensemble selection in plain Python, slow and obvious: every step tries every model. Shares no code."""


def votes_by_hand(answers, worth, n_votes):
    """How many of the votes each model has, at the step where their mean is worth most."""
    given, best, best_score = [], None, None
    for _ in range(n_votes):
        scores = []
        for one in range(len(answers)):
            voters = [*given, one]
            mean = [sum(answers[k][i] for k in voters) / len(voters) for i in range(len(answers[0]))]
            scores.append(worth(mean))
        chosen = max(range(len(answers)), key=lambda k: scores[k])  # of equals the first
        given.append(chosen)
        if best is None or scores[chosen] > best_score + 1e-9 * abs(best_score):
            best, best_score = list(given), scores[chosen]
    return [best.count(k) for k in range(len(answers))]
