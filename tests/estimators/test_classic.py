"""ID3 and C4.5 as scikit-learn estimators: its own checks, none excused; inputs, errors, what is documented."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney.estimators.classic import C45Classifier, ID3Classifier

BOTH = [ID3Classifier, C45Classifier]


@parametrize_with_checks([ID3Classifier(), C45Classifier()])
def test_scikit_learn_checks(estimator, check):
    check(estimator)
