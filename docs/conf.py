"""The documentation site: `make docs` builds it into docs/_build, with warnings as errors; it needs no network."""

from arggym_env import __version__

project = "ArgGYM"
author = "ArgGYM contributors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_copybutton"]
exclude_patterns = ["_build"]

# Pages are plain Markdown, so that they read well in a repository browser too; links and their anchors are checked.
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 4

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_mock_imports = ["accelerate", "datasets", "openai", "peft", "torch", "transformers", "trl", "vllm"]
napoleon_use_rtype = False
python_use_unqualified_type_names = True
add_module_names = False
maximum_signature_line_length = 88

copybutton_exclude = ".linenos, .gp, .go"

html_theme = "furo"
html_title = f"ArgGYM {release}"
html_static_path = ["_static"]
html_css_files = ["style.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False
pygments_dark_style = "monokai"
