"""What `device` says where the GPU cannot be used."""

import numpy as np
import pytest

import spinney
import spinney.gpu as gpu

X, Y = np.arange(40.0).reshape(20, 2), np.arange(20.0)


def test_without_a_gpu_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: "device='cuda' needs a GPU: none is here.")
    with pytest.raises(
        RuntimeError, match=r"none is here\. Use device='cpu', or device='auto' to use a GPU if there is one"
    ):
        spinney.GradientBoostingRegressor(device="cuda").fit(X, Y)


def test_auto_falls_back_and_says_so(monkeypatch, capsys):
    monkeypatch.setenv("SPINNEY_QUIET", "0")
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: "none is here, in this test.")
    models = [
        spinney.GradientBoostingRegressor(n_estimators=2, device=device, random_state=0).fit(X, Y)
        for device in ("cpu", "auto", "auto")
    ]
    assert len({model.fingerprint_ for model in models}) == 1
    assert capsys.readouterr().err.count("device='auto' uses the CPU: none is here, in this test.") == 1


def test_what_the_gpu_cannot_do_is_refused_in_words(monkeypatch):
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: None)
    model = spinney.GradientBoostingRegressor(n_estimators=2, device="cuda", max_bins=None)
    with pytest.raises(ValueError, match=r"device='cuda' supports only dense data in bins .* Use device='cpu'"):
        model.fit(X, Y)


def test_auto_takes_such_tables_to_the_cpu(monkeypatch):
    monkeypatch.setattr(gpu, "problem_with_gpu", lambda: None)
    exact = {"n_estimators": 2, "max_bins": None, "random_state": 0}
    auto = spinney.GradientBoostingRegressor(device="auto", **exact).fit(X, Y)
    assert auto.fingerprint_ == spinney.GradientBoostingRegressor(**exact).fit(X, Y).fingerprint_


def test_a_forked_process_is_told(monkeypatch):
    pytest.importorskip("numba.cuda")
    monkeypatch.setattr(gpu, "_process", -1)
    message = gpu.problem_with_gpu()
    assert message is not None
    assert "forked process" in message or "numba-cuda" in message
