"""Sphinx's settings for the documentation site; `make docs` builds it (tools/site)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import spinney

project = "Spinney"
author = copyright = "the Spinney developers"
release = version = spinney.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_design",
    "tools.site.links",
]
root_doc = "index"
language = "en"
nitpicky = False
default_role = "py:obj"  # `name` in a docstring: a link if there is such a name, code otherwise
add_module_names = False
smartquotes = False  # values in quotes are code

# guides: Markdown; headings are anchors, as on code hosts
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# docstrings: numpydoc; the pages of tools/site/reference.py list the methods
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"
autodoc_inherit_docstrings = True

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = f"Spinney {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_search_scorer = str(Path(__file__).with_name("search.js"))
html_show_search_summary = False  # would have to be fetched, which pages opened as files cannot do
html_theme_options = {"navigation_with_keys": True}
