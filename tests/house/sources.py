"""What the repository holds: tracked files, and the Python among them as syntax trees."""

import ast
import subprocess
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PRODUCT: Final = ("analysis", "reviews", "config", "scripts", "benchmarks", "examples")

Function = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git tracks and that is there, by path."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return tuple(sorted(ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()))


def python_files(*packages: str) -> list[Path]:
    """The Python files under the packages (or the modules of that name), without migrations."""
    found = [path for name in packages for path in [*(ROOT / name).rglob("*.py"), (ROOT / name).with_suffix(".py")]]
    return sorted(path for path in found if path.is_file() and "migrations" not in path.parts)


def place(path: Path) -> str:
    """The path inside the repository."""
    return path.relative_to(ROOT).as_posix()


def functions(tree: ast.AST) -> list[Function]:
    """Every function and method in the tree."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def length(function: Function) -> int:
    """Lines from `def` to the end."""
    return (function.end_lineno or function.lineno) - function.lineno + 1


def dotted(node: ast.AST) -> str:
    """a.b.c for a chain of attributes on a name; the part that can be named, otherwise."""
    match node:
        case ast.Attribute(value=value, attr=attr):
            return f"{dotted(value)}.{attr}"
        case ast.Call(func=func):
            return dotted(func)
        case ast.Name(id=name):
            return name
        case _:
            return ""
