"""The app: all commands under one name, `spinney`."""

from __future__ import annotations

import warnings
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import spinney
from spinney.cli.cluster import cluster
from spinney.cli.datasets import datasets
from spinney.cli.doctor import doctor
from spinney.cli.evaluate import evaluate
from spinney.cli.explain import explain
from spinney.cli.export import export
from spinney.cli.fit import fit
from spinney.cli.inspect import inspect
from spinney.cli.lab import lab
from spinney.cli.predict import predict
from spinney.cli.report_page import report
from spinney.cli.show import show
from spinney.cli.terminal import exit_code, tell_warning, written
from spinney.cli.warmup import warmup


class _Polite(TyperGroup):
    """A group of commands that report errors as sentences."""

    def invoke(self, ctx: Any) -> Any:
        written.clear()
        try:
            with warnings.catch_warnings():
                warnings.showwarning = tell_warning
                return super().invoke(ctx)
        except (typer.Exit, typer.Abort) as end:
            raise end
        except (SystemExit, GeneratorExit):
            raise
        except BaseException as error:
            code = exit_code(error)
        raise typer.Exit(code)


app = typer.Typer(
    cls=_Polite,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        print(f"spinney {spinney.__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Fit, evaluate and use tree-based models on tables, without writing code.

    spinney fit titanic.csv --target survived    fits, evaluates and saves a model
    """


for verb in (fit, predict, evaluate, show, explain, report, cluster, export, inspect, datasets, lab, warmup, doctor):
    app.command()(verb)
