"""Documents by TF-IDF, which is sparse, and models of trees in pipelines."""

import numpy as np
from sklearn.ensemble import (
    AdaBoostClassifier,
    BaggingClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

random = np.random.RandomState(0)
words = {"sport": ["ball", "goal", "team", "match", "win"], "money": ["bank", "rate", "stock", "fund", "loss"]}
common = ["the", "a", "of", "and", "to", "in", "we", "they", "it", "day", "year", "people", "time", "new", "old"]
topics = random.choice(list(words), 300)
documents = [" ".join([*random.choice(common, 12), *random.choice(words[topic], 2)]) for topic in topics]

models = {
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(50, random_state=0),
    "extra": ExtraTreesClassifier(50, random_state=0),
    "boosting": GradientBoostingClassifier(n_estimators=50, random_state=0),
    "adaboost": AdaBoostClassifier(n_estimators=20, random_state=0),
    "bagging": BaggingClassifier(DecisionTreeClassifier(), random_state=0),
}
outcome = {
    name: cross_val_score(make_pipeline(TfidfVectorizer(), model), documents, topics, cv=3).mean()
    for name, model in models.items()
}
counts = make_pipeline(CountVectorizer(), RandomForestClassifier(50, random_state=0)).fit(documents, topics)
outcome["counts"] = counts.score(documents, topics)
outcome["columns"] = counts[-1].n_features_in_
within = {"tree": 0.08, "bagging": 0.08, "adaboost": 0.12}
