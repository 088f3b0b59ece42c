#!/usr/bin/env python3
"""check_layers.py ROOT | --self-test

Fails on every #include of our own code that goes against the layer rule, and on Qt in the engine.
ALLOWED is the rule: folder -> folders (or single headers) whose files it may include besides its
own. A new folder is entered here, together with the change of resources/docs/architecture.md.
"""
import os
import re
import sys
import tempfile

CORE = ["engine/base", "engine/proto", "engine/framework", "engine/graph"]
# What the window sees of the engine: data and sessions, never kernels, executors or allocators.
# Reading and writing value files belongs to it, too.
SEEN_BY_WIDGETS = [
    "engine/base", "engine/proto", "engine/graph", "engine/trace", "engine/diagram",
    "engine/document", "engine/io",
    "engine/framework/dtype.h", "engine/framework/tensor.h", "engine/framework/tensor_shape.h",
    "engine/framework/op_registry.h", "engine/runtime/session.h",
    "engine/runtime/session_factory.h", "engine/runtime/step_gate.h",
]
SUPPORT = SEEN_BY_WIDGETS + ["widgets/support"]
FIRST = SUPPORT + ["widgets/models", "widgets/overlays"]
SECOND = FIRST + ["widgets/controllers", "widgets/canvas"]

ALLOWED = {
    "engine/base": [],
    "engine/proto": ["engine/base"],
    "engine/framework": ["engine/base", "engine/proto"],
    "engine/graph": CORE,
    "engine/ops": CORE,
    "engine/kernels": CORE + ["engine/io"],
    "engine/runtime": CORE,
    "engine/trace": CORE,
    "engine/diagram": CORE,
    "engine/gradients": CORE,
    "engine/optimize": CORE,
    "engine/io": CORE,
    "engine/document": CORE + ["engine/diagram", "engine/io"],
    "engine/opencl": CORE + ["engine/runtime"],
    "engine/distributed": CORE + ["engine/runtime"],
    "engine/c_api": CORE + ["engine/runtime", "engine/gradients", "engine/optimize", "engine/io",
                            "engine/ops"],
    "engine/python": CORE + ["engine/c_api"],
    "engine/api": CORE + ["engine/runtime"],
    "widgets/support": SEEN_BY_WIDGETS,
    "widgets/models": SUPPORT,
    "widgets/overlays": SUPPORT,
    "widgets/controllers": FIRST,
    "widgets/canvas": FIRST,
    "widgets/input": SECOND,
    "widgets/panels": SECOND,
    "app": ["engine", "widgets"],
}
# Code without any Qt: the engine, and the program for shells and servers.
WITHOUT_QT = ("engine/", "app/cli/", "app/cli_main.cpp")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)
QT = re.compile(r"^(Q[A-Z]\w*|Qt\w*/.+|q[a-z_]+\.h)$")
OWN = ("app/", "engine/", "widgets/", "tests/")
GENERATED = re.compile(r"(^|/)(moc_\w+\.cpp|\w+\.moc|ui_\w+\.h)$")


def folder_of(path):
    parts = path.split("/")
    return parts[0] if parts[0] == "app" else "/".join(parts[:2])


def may_include(folder, target):
    own = folder + "/"
    return target.startswith(own) or any(
        target == allowed or target.startswith(allowed + "/") for allowed in ALLOWED[folder])


def faults_of(path, text):
    """Lines saying what is wrong with the includes of one file."""
    folder = folder_of(path)
    if folder not in ALLOWED:
        return [f"{path}: folder {folder} is not in the table of {os.path.basename(__file__)}"]
    faults = []
    for mark, target in INCLUDE.findall(text):
        if target.startswith(OWN):
            if not may_include(folder, target):
                faults.append(f"{path}: {folder} must not include {target}")
        elif QT.match(target):
            if path.startswith(WITHOUT_QT):
                faults.append(f"{path}: no Qt here, but it includes {target}")
        elif mark == '"' and not GENERATED.search(target):
            faults.append(f"{path}: include {target} by its path from the root of the project")
    return faults


def sources(root):
    for top in ("app", "engine", "widgets"):
        for where, folders, files in os.walk(os.path.join(root, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith((".h", ".cpp", ".cc", ".hpp")):
                    yield os.path.relpath(os.path.join(where, name), root).replace(os.sep, "/")


def check(root):
    faults, count = [], 0
    for path in sources(root):
        count += 1
        with open(os.path.join(root, path), encoding="utf-8") as file:
            faults += faults_of(path, file.read())
    return faults, count


GOOD = {
    "engine/base/status.h": "#include <string>\n",
    "engine/graph/graph.cpp": '#include "engine/graph/graph.h"\n#include "engine/base/status.h"\n',
    "engine/document/document.h": '#include "engine/diagram/diagram.h"\n',
    "widgets/panels/tensor_panel.cpp":
        '#include "widgets/controllers/run_controller.h"\n#include <QWidget>\n'
        '#include "engine/runtime/session.h"\n#include "tensor_panel.moc"\n',
    "app/gui_main.cpp": '#include "engine/kernels/all.h"\n#include <QApplication>\n',
}
BAD = {
    "engine/base/a.h": '#include "engine/framework/tensor.h"\n',
    "engine/graph/b.cpp": "#include <QString>\n",
    "engine/graph/c.cpp": "#include <QtCore/qglobal.h>\n",
    "engine/runtime/d.cpp": '#include "engine/trace/run_trace.h"\n',
    "engine/diagram/e.cpp": ' #  include "engine/runtime/session.h"\n',
    "engine/io/f.cpp": '#include "widgets/support/theme.h"\n',
    "widgets/canvas/g.cpp": '#include "widgets/controllers/selection.h"\n',
    "widgets/panels/h.cpp": '#include "engine/ops/op_catalogue.h"\n',
    "widgets/panels/i.cpp": '#include "engine/kernels/matmul.h"\n',
    "widgets/models/j.cpp": '#include "engine/runtime/executor.h"\n',
    "widgets/input/k.cpp": '#include "widgets/panels/search_panel.h"\n',
    "widgets/support/l.cpp": '#include "app/settings.h"\n',
    "app/cli/m.cpp": "#include <QCoreApplication>\n",
    "engine/graph/n.cpp": '#include "../base/status.h"\n',
    "engine/unheard_of/o.cpp": "#include <vector>\n",
}


def self_test():
    with tempfile.TemporaryDirectory() as root:
        for path, text in {**GOOD, **BAD}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        faults, count = check(root)
    found = sorted(fault.split(":")[0] for fault in faults)
    if found != sorted(BAD) or count != len(GOOD) + len(BAD):
        print("expected a fault in", sorted(BAD), "but found", faults)
        return 1
    print(f"self-test: {len(found)} bad includes found, {len(GOOD)} good files accepted")
    return 0


def main():
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    if sys.argv[1] == "--self-test":
        return self_test()
    faults, count = check(sys.argv[1])
    print("\n".join(faults + [f"{count} files, {len(faults)} includes against the layer rule"]))
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
