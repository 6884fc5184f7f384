"""Build hook: sources with compiled kernels (see build_wheel.py) make a wheel for one platform."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):
    def initialize(self, version, build_data):
        if self.target_name == "wheel" and (Path(self.root) / "spinney" / "_kernels").is_dir():
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
            build_data["artifacts"].append("spinney/_kernels/**")
