"""What import-linter cannot say. Each rule takes one source and gives the sentences that it breaks, by line."""

import ast
import re
from collections.abc import Callable, Iterator
from typing import Final

from tests.house.sources import Function, dotted, functions, length

LINES_OF_A_MODULE: Final = 300
LINES_OF_A_FUNCTION: Final = 50
PARAMETERS: Final = 6

Rule = Callable[[str], list[str]]

WRITES_TO_ROWS: Final = frozenset({"save", "bulk_create", "bulk_update", "get_or_create", "update_or_create"})
WRITES_THROUGH_A_MANAGER: Final = frozenset({"create", "update", "delete", "select_for_update"})
A_CONDITION: Final = re.compile(r"\{%\s*(?:if|elif|ifchanged)\b(.*?)%\}", re.DOTALL)
A_LOOP_OR_VALUE: Final = re.compile(r"\{[%{](.*?)[%}]\}", re.DOTALL)
DECIDES: Final = frozenset({"state", "role", "roles", "perms", "is_staff", "is_superuser", "groups", "has_perm"})


def _parameters(function: Function) -> list[ast.arg]:
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [argument for argument in every if argument.arg not in {"self", "cls"}]


def _attributes(source: str) -> Iterator[ast.Attribute]:
    return (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute))


def a_module_fits_its_page(source: str) -> list[str]:
    lines = len(source.splitlines())
    return [f"{lines} lines, more than {LINES_OF_A_MODULE}"] if lines > LINES_OF_A_MODULE else []


def a_function_fits_a_screen(source: str) -> list[str]:
    return [
        f"line {function.lineno}: {function.name} has {length(function)} lines"
        for function in functions(ast.parse(source))
        if length(function) > LINES_OF_A_FUNCTION
    ]


def a_function_takes_few_parameters(source: str) -> list[str]:
    return [
        f"line {function.lineno}: {function.name} takes {len(_parameters(function))} parameters"
        for function in functions(ast.parse(source))
        if len(_parameters(function)) > PARAMETERS
    ]


def a_face_reads_and_writes_no_rows(source: str) -> list[str]:
    forbidden = {"objects", "_default_manager", "_base_manager", "save", "bulk_create"}
    return [f"line {node.lineno}: .{node.attr}" for node in _attributes(source) if node.attr in forbidden]


def the_environment_is_read_in_one_place(source: str) -> list[str]:
    """Naming the settings module at an entry point is no reading."""
    tree = ast.parse(source)
    naming = {
        id(node.func.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and dotted(node.func) == "os.environ.setdefault"
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value == "DJANGO_SETTINGS_MODULE"
    }
    read = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute) and dotted(n) in {"os.environ", "os.getenv"}]
    imported = [
        f"line {node.lineno}: from os import {alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "os"
        for alias in node.names
        if alias.name in {"environ", "getenv"}
    ]
    return [f"line {node.lineno}: {dotted(node)}" for node in read if id(node) not in naming] + imported


def a_policy_imports_no_django(source: str) -> list[str]:
    tree = ast.parse(source)
    names = [
        (node.lineno, alias.name) for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    ]
    names += [(node.lineno, node.module or "") for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return [
        f"line {line}: imports {name}" for line, name in names if name.split(".")[0] in {"django", "rest_framework"}
    ]


def a_template_decides_nothing(source: str) -> list[str]:
    """No condition on a state or a role, and no query."""
    conditions = [
        f"condition on {word}: {condition.strip()}"
        for condition in A_CONDITION.findall(source)
        for word in sorted(set(re.findall(r"\w+", condition)) & DECIDES)
    ]
    queries = [
        f"query: {inside.strip()}"
        for inside in A_LOOP_OR_VALUE.findall(source)
        if re.search(r"\.(?:all|objects|\w+_set)\b", inside)
    ]
    return conditions + queries


def _writes(function: Function) -> bool:
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        if node.func.attr in WRITES_TO_ROWS or dotted(node.func) == "events.append":
            return True
        if node.func.attr in WRITES_THROUGH_A_MANAGER and ".objects" in dotted(node.func):
            return True
    return False


def _writers(source: str) -> list[Function]:
    """The public functions at the top of a module that change rows."""
    top = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [function for function in top if not function.name.startswith("_") and _writes(function)]


def _is_door(function: Function) -> bool:
    """A door takes keywords only; a helper takes the row that another service has locked, by position."""
    return not (function.args.posonlyargs or function.args.args)


def helpers(source: str) -> set[str]:
    """The functions of a module of services that only other services may call."""
    return {function.name for function in _writers(source) if not _is_door(function)}


def calls(source: str) -> set[str]:
    """Every dotted name that is called."""
    return {dotted(node.func) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)}


def a_service_writes_in_one_transaction(source: str) -> list[str]:
    return [
        f"line {function.lineno}: {function.name} lacks @transaction.atomic"
        for function in _writers(source)
        if _is_door(function) and "transaction.atomic" not in {dotted(made) for made in function.decorator_list}
    ]


def doors_without_actor(source: str) -> set[str]:
    """The doors that change rows for somebody whom they do not take as their first parameter."""
    return {
        function.name
        for function in _writers(source)
        if _is_door(function) and [argument.arg for argument in _parameters(function)][:1] != ["actor"]
    }
