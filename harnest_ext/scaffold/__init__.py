"""Templates become new folders: an agent project or an extension, whole or not at all.

A template is data (variables with patterns and defaults, files to render); it has no hooks, and
rendering can reach nothing but the declared values.
"""

from harnest_ext.scaffold.agent import DEFAULT_IMAGE, AgentScaffold, create_agent
from harnest_ext.scaffold.template import Template, template_names

__all__ = ["DEFAULT_IMAGE", "AgentScaffold", "Template", "create_agent", "template_names"]
