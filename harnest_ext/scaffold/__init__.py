"""Templates become new folders: an agent project or an extension, whole or not at all.

A template is data (variables with patterns and defaults, files to render); it has no hooks, and
rendering can reach nothing but the declared values.
"""

from harnest_ext.scaffold.agent import DEFAULT_IMAGE, AgentScaffold, create_agent
from harnest_ext.scaffold.extension import (
    LICENSES,
    ExtensionScaffold,
    create_extension,
    extension_templates,
)
from harnest_ext.scaffold.template import Template, template_names
from harnest_ext.scaffold.update import FileChange, FileState, TemplateUpdate, compare

__all__ = [
    "DEFAULT_IMAGE",
    "LICENSES",
    "AgentScaffold",
    "ExtensionScaffold",
    "FileChange",
    "FileState",
    "Template",
    "TemplateUpdate",
    "compare",
    "create_agent",
    "create_extension",
    "extension_templates",
    "template_names",
]
