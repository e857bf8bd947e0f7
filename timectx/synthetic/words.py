"""Write filler of any length: prose, prompts, tool output and tool arguments, in harmless words of its own."""

from __future__ import annotations

import json
from functools import cache
from typing import Final

from timectx.session.events import JsonObject
from timectx.synthetic.dice import Dice

__all__ = ["Words", "system_prompt", "tool_list"]

_THINGS: Final = (
    "parser", "cache", "queue", "index", "loader", "report", "schema", "router", "test", "counter", "importer",
    "session", "retry", "timeout", "config", "header", "worker", "table", "filter", "export",
)  # fmt: skip
_TRAITS: Final = ("small", "slow", "new", "old", "missing", "shared", "broken", "plain", "second", "nested", "empty")
_VERBS: Final = ("read", "check", "move", "rename", "split", "fix", "compare", "measure", "rewrite", "remove", "keep")
_PLACES: Final = ("src", "lib", "tests", "docs", "tools", "core", "web", "store")
_SENTENCES: Final = (
    "The {trait} {thing} still fails when the {thing} is {trait}. ",
    "I will {verb} the {thing} first and then {verb} the {thing}. ",
    "Nothing in {place}/{thing}.py depends on the {trait} {thing}. ",
    "It looks as if the {thing} keeps a {trait} {thing} open. ",
    "Let me {verb} {place}/{thing}.py before I change the {thing}. ",
    "The {thing} passes now; {count} tests ran and none failed. ",
    "There are {count} places that {verb} the {thing}. ",
    "That explains why the {thing} was {trait} after the {thing}. ",
    "A {trait} {thing} would be simpler, but the {thing} needs both. ",
    "Next: {verb} the {trait} {thing}, then run the tests again. ",
)
_REQUESTS: Final = (
    "please {verb} the {trait} {thing} in {place} ",
    "why is the {thing} so {trait}? ",
    "can you {verb} {place}/{thing}.py and {verb} the {thing} ",
    "the {thing} is {trait} again, have a look ",
    "add a test for the {trait} {thing} ",
    "go on ",
    "now {verb} the {thing} as well ",
)
_LINES: Final = (
    "def {verb}_{thing}({thing}, count={count}):\n",
    "    return {verb}({thing}, {trait}=True)\n",
    "{place}/{thing}.py:{count}: {verb} {thing}\n",
    "    if {thing} is None:\n",
    "        raise ValueError('{trait} {thing}')\n",
    "PASSED tests/test_{thing}.py::test_{verb}_{trait}_{thing}\n",
    "-rw-r--r-- {count} {place}/{trait}_{thing}.py\n",
    "+    {thing} = {verb}_{thing}({count})\n",
    "-    {thing} = {verb}_{thing}()\n",
    "    {thing}: {{ {trait}: {count} }}\n",
    "ok {count} - {verb} the {trait} {thing}\n",
)
_CJK_THINGS: Final = ("解析器", "缓存", "队列", "索引", "报告", "配置", "测试", "会话", "计数器", "导出")
_CJK_VERBS: Final = ("检查", "修改", "重命名", "比较", "删除", "运行", "整理")
_CJK_SENTENCES: Final = (
    "先{verb}一下{thing}再{verb}{thing}。",
    "{thing}现在可以用了。一共有{count}个测试。",
    "这里的{thing}还是有问题。我来{verb}。",
    "请帮我{verb}{thing}。谢谢。",
    "接下来{verb}{thing}然后看看结果。",
)
_KEPT: Final = 160
"""Pieces prepared per kind; texts are put together from them."""


class Words:
    """
    Put texts together from prepared pieces.

    Parameters
    ----------
    dice : Dice
        Draws the pieces, then the texts.
    cjk_permille : int
        Pieces of prose, in a thousand, that are Chinese.
    """

    def __init__(self, dice: Dice, cjk_permille: int) -> None:
        self._dice = dice
        self._prose = [self._piece(_SENTENCES, cjk_permille) for _ in range(_KEPT)]
        self._requests = [self._piece(_REQUESTS, cjk_permille) for _ in range(_KEPT)]
        self._lines = [self._piece(_LINES, 0) for _ in range(_KEPT)]

    def prose(self, chars: int) -> str:
        """
        Return what a model writes.

        Parameters
        ----------
        chars : int
            How many characters, about.

        Returns
        -------
        str
            At least two characters.
        """
        return self._text(self._prose, chars)

    def prompt(self, chars: int) -> str:
        """
        Return what a person asks.

        Parameters
        ----------
        chars : int
            How many characters, about.

        Returns
        -------
        str
            At least two characters.
        """
        return self._text(self._requests, chars)

    def output(self, chars: int) -> str:
        """
        Return what a tool prints.

        Parameters
        ----------
        chars : int
            How many characters, exactly.

        Returns
        -------
        str
            A few lines.
        """
        return self._cut(self._lines, chars)

    def call(self, chars: int) -> tuple[str, str]:
        """
        Return a tool call.

        Parameters
        ----------
        chars : int
            How many characters, about.

        Returns
        -------
        tuple of str
            The tool's name, and the JSON text of its arguments.
        """
        dice = self._dice
        path = f"{dice.pick(_PLACES)}/{dice.pick(_THINGS)}.py"
        room = max(8, chars - 60)
        arguments: JsonObject
        if chars > 400:
            name = dice.pick(("write", "edit"))
            body = self._cut(self._lines, room)
            arguments = {"path": path, "content": body} if name == "write" else {"path": path, "replacement": body}
        elif dice.chance(400):
            name, arguments = "read", {"path": path, "offset": dice.below(400), "limit": 200}
        else:
            name, words = "bash", f"python -m pytest {path} -k {dice.pick(_THINGS)}"
            arguments = {"command": words, "description": self._text(self._prose, max(8, room - len(words)))}
        return name, json.dumps(arguments, ensure_ascii=False)

    def _piece(self, patterns: tuple[str, ...], cjk_permille: int) -> str:
        dice, chinese = self._dice, self._dice.chance(cjk_permille)
        pattern = dice.pick(_CJK_SENTENCES if chinese else patterns)
        things, verbs = (_CJK_THINGS, _CJK_VERBS) if chinese else (_THINGS, _VERBS)
        return pattern.format(
            thing=dice.pick(things),
            verb=dice.pick(verbs),
            trait=dice.pick(_TRAITS),
            place=dice.pick(_PLACES),
            count=dice.between(2, 99),
        )

    def _text(self, pieces: list[str], chars: int) -> str:
        return self._cut(pieces, chars).rstrip() or "ok"

    def _cut(self, pieces: list[str], chars: int) -> str:
        parts, length = [], 0
        while length < chars:
            parts.append(self._dice.pick(pieces))
            length += len(parts[-1])
        return "".join(parts)[:chars]


@cache
def system_prompt() -> str:
    """
    Return the system prompt of all made-up sessions; it never says what time it is.

    Returns
    -------
    str
        As long as a real one: about twenty thousand characters.
    """
    rules = (
        "You are a careful programmer who works in the folder you were started in.",
        "Look before you change: read a file before you edit it, and run the tests after.",
        "Say briefly what you did and what is still open. Never invent a result.",
    )
    words = Words(Dice("system prompt"), 0)
    return "\n\n".join((*rules, *(words.prose(1200) for _ in range(16))))


def tool_list() -> list[JsonObject]:
    """
    Return the tools every request offers.

    Returns
    -------
    list of dict
        With name, description and a JSON schema of the parameters.
    """
    return [
        _tool(
            "read", "Show a file, or a part of it.", {"path": "The file.", "offset": "First line.", "limit": "Lines."}
        ),
        _tool("write", "Create a file or replace all of it.", {"path": "The file.", "content": "Its new content."}),
        _tool("edit", "Replace a passage of a file.", {"path": "The file.", "replacement": "What stands there then."}),
        _tool("bash", "Run a command and show what it prints.", {"command": "The command.", "description": "Its aim."}),
    ]


def _tool(name: str, description: str, parameters: dict[str, str]) -> JsonObject:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(parameters)[:1]}
    return {"name": name, "description": description, "parameters": schema}
