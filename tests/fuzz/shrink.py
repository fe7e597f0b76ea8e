"""Makes a failing kernel smaller: statements, functions, parameters and turns go as long as it fails in the same way."""

from __future__ import annotations

import ast
import copy
import itertools

from fuzz import cases


def smallest(reply: dict, run, summary, attempts: int = 500) -> dict:
    """`reply` for the smallest kernel found; `run` gives a reply for the text of a case, and a summary of it must stay the same."""
    wanted = reply["kind"], reply["phase"], summary(reply)
    case, position, changed = cases.read(reply["case"]), 0, False
    for _ in range(attempts):
        smaller = next(itertools.islice(candidates(case), position, None), None)
        if smaller is None:
            if not changed:
                break
            position, changed = 0, False
            continue
        answer = run(str(smaller))
        if (answer["kind"], answer["phase"], summary(answer)) == wanted:
            # What is now at this position was behind it before.
            case, reply, changed = smaller, answer | {"case": str(smaller)}, True
        else:
            position += 1
    return reply


def candidates(case: cases.Case):
    """Cases with something less, the largest cuts first."""
    tree = ast.parse(case.text)
    blocks = [(node, name) for node in ast.walk(tree) for name in ("body", "orelse") if isinstance(getattr(node, name, None), list)]
    for index, (node, name) in enumerate(blocks):
        for place in range(len(getattr(node, name)) - 1, -1, -1):
            statement = getattr(node, name)[place]
            if isinstance(statement, (ast.Import, ast.ImportFrom)) or getattr(statement, "name", "") == "kernel":
                continue
            yield without(case, index, place, inline=False)
            if isinstance(statement, (ast.If, ast.For)):
                yield without(case, index, place, inline=True)
    used = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    kernel = next(n for n in tree.body if getattr(n, "name", "") == "kernel")
    for place, argument in enumerate(kernel.args.args):
        if argument.arg not in used:
            smaller = copy.deepcopy(case)
            changed = ast.parse(case.text)
            function = next(n for n in changed.body if getattr(n, "name", "") == "kernel")
            del function.args.args[place], smaller.arguments[place]
            smaller.text = text_of(changed)
            yield smaller
    for grid in ((1, 1, 1), (2, 1, 1)):
        if case.grid > grid:
            yield changed_case(case, grid=grid)
    for decorator in range(1, len(kernel.decorator_list)):
        changed = ast.parse(case.text)
        function = next(n for n in changed.body if getattr(n, "name", "") == "kernel")
        del function.decorator_list[decorator]
        yield changed_case(case, text=text_of(changed))
    if case.seed:
        yield changed_case(case, seed=0)
    for place, argument in enumerate(case.arguments):
        for field, plain in (("padding", 0), ("shift", 0), ("order", None)):
            if isinstance(argument, cases.Array) and getattr(argument, field):
                smaller = copy.deepcopy(case)
                setattr(smaller.arguments[place], field, plain)
                yield smaller
    # Expressions: an operation gives way to one of its operands.
    for index, node in enumerate(ast.walk(tree)):
        operands = node.args if isinstance(node, ast.Call) else [node.left, node.right] if isinstance(node, ast.BinOp) else []
        operands = [node.operand] if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd) else operands
        for place, operand in enumerate(operands):
            if not isinstance(operand, ast.Constant):
                changed = Replace(index, place)
                yield changed_case(case, text=text_of(changed.run(ast.parse(case.text))))


class Replace(ast.NodeTransformer):
    """Puts an operand in its operation's place."""

    def __init__(self, index: int, place: int):
        self.index, self.place = index, place

    def run(self, tree):
        self.node = list(ast.walk(tree))[self.index]
        return self.visit(tree)

    def visit(self, node):
        if node is self.node:
            if isinstance(node, ast.Call):
                return node.args[self.place]
            return node.operand if isinstance(node, ast.UnaryOp) else [node.left, node.right][self.place]
        return self.generic_visit(node)


def without(case: cases.Case, index: int, place: int, inline: bool) -> cases.Case:
    """Without a statement; a loop or a branch may leave its body behind."""
    tree = ast.parse(case.text)
    blocks = [(node, name) for node in ast.walk(tree) for name in ("body", "orelse") if isinstance(getattr(node, name, None), list)]
    node, name = blocks[index]
    statements = getattr(node, name)
    statements[place : place + 1] = statements[place].body if inline else []
    if not statements and name == "body":
        statements.append(ast.Pass())
    return changed_case(case, text=text_of(tree))


def changed_case(case: cases.Case, **fields) -> cases.Case:
    smaller = copy.deepcopy(case)
    for name, value in fields.items():
        setattr(smaller, name, value)
    return smaller


def text_of(tree) -> str:
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
