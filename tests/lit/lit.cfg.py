"""lit: runs every .mlir and .py kernel under tests/lit through phobosc or phobos-opt and compares with FileCheck.

Assumes the programs are built; PHOBOS_BUILD_DIR names the build where it is not build/. A test says what it needs by
REQUIRES: `ptxas` and `libdevice` are the features that may be missing.
"""

import os
import shutil

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
build = os.environ.get("PHOBOS_BUILD_DIR", os.path.join(root, "build"))

config.name = "phobos"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".test"]
config.excludes = ["lit.cfg.py", "Inputs"]
config.test_source_root = os.path.dirname(os.path.abspath(__file__))
config.test_exec_root = os.path.join(build, "tests", "lit")

path = [os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-context=10"
for name in ("CUDA_HOME", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%examples", os.path.join(root, "examples")))
config.substitutions.append(("%python", os.path.join(root, ".venv", "bin", "python")))

cuda = os.environ.get("CUDA_HOME", "/usr/local/cuda")
if shutil.which("ptxas") or os.access(os.path.join(cuda, "bin", "ptxas"), os.X_OK):
    config.available_features.add("ptxas")
if os.path.exists(os.path.join(cuda, "nvvm", "libdevice", "libdevice.10.bc")):
    config.available_features.add("libdevice")
