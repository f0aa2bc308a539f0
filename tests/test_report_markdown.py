"""The report as Markdown: bounded, failures first, and nothing of a task means anything to it."""

import re
from collections import Counter

from markdown_it import MarkdownIt
from markdown_it.token import Token

from go_debug_bench.report.markdown import MAX_BYTES, render_markdown
from go_debug_bench.report.model import Report
from tests import reports

HOSTILE = (
    "</details><script>alert(1)</script> [x](javascript:1) `code` | cell ![i](u) @team #1 $x$ **b** ~~s~~ <!-- www.x.y"
)


def lines(text: str) -> list[str]:
    """Without the blank ones."""
    return [line for line in text.splitlines() if line]


def test_a_run_that_passes_is_a_table() -> None:
    """One row per task, one column per kind of check, counts where a kind has several."""
    tasks = (reports.task(), reports.task("other-tally", [reports.check("vet-clean", "other-tally")]))
    page = lines(render_markdown(reports.report(*tasks)))
    assert page[0] == "## ✅ go-debug-bench: Every claim holds"
    assert page[1].startswith("2 tasks · 12 checks (12 passed) · 12.5 s · go1.24.11 linux/amd64")
    at = page.index("### Tasks")
    assert page[at + 1].endswith(
        "| vet-clean | public-green | unfixed-fails | reference-passes | delete-test-cheat "
        "| non-compiling | alternative | wrong | exploit |"
    )
    assert page[at + 3] == "| tiny-tally | medium | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ | ✅ 2/2 | ✅ 2/2 | ✅ 1/1 |"
    assert page[at + 4] == "| other-tally | medium | ✅ |  |  |  |  |  |  |  |  |"
    assert "### Failing claims" not in page


def test_one_of_a_kind_is_counted_in_the_singular() -> None:
    """In the line of figures."""
    page = lines(render_markdown(reports.report(reports.task(checks=[reports.check("vet-clean")]))))
    assert page[1].startswith("1 task · 1 check (1 passed) · ")


def test_failing_claims_come_first_with_the_command_that_repeats_each() -> None:
    """Then what broke, each with what an author needs."""
    checks = [reports.broke("vet-clean"), reports.failed("wrong[one-more]"), reports.check("wrong[skip]")]
    page = lines(render_markdown(reports.report(reports.task(checks=checks), reports.malformed())))
    assert page[0] == "## ❌ go-debug-bench: 1 claim does not hold, 1 check broke, 1 task is malformed"
    order = [
        page.index(line)
        for line in (
            "### Malformed tasks",
            "- task.json\\: titel\\: unknown field; did you mean 'title'?",
            "### Failing claims",
            "#### ❌ tiny-tally wrong\\[one-more\\]",
            "- **Found:** it earns 1.1\\: all 6 hidden and public tests pass",
            "pytest --gobench-tasks 'tasks/tiny-tally/task.json::wrong[one-more]'",
            "--- FAIL: TestTotal (0.00s)",
            "#### 💥 tiny-tally vet-clean",
            "no box could be started: no space left",
            "### Tasks",
        )
    ]
    assert order == sorted(order)
    assert "| tiny-tally | medium | 💥 | ❌ 1/2 |" in page


def tokens(page: str) -> list[Token]:
    """What a Markdown parser makes of the page: blocks, and what is in their lines."""
    blocks = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(page)
    return [*blocks, *(child for block in blocks for child in block.children or ())]


def kinds(page: str) -> Counter[str]:
    """How many tokens of each kind there are that a task's text must not make, and their number of cells."""
    made = ("html_block", "html_inline", "link_open", "image", "em_open", "s_open", "fence", "code_inline", "td_open")
    return Counter(token.type for token in tokens(page) if token.type in made)


def borders(page: str) -> list[int]:
    """How many cells each row of a table has."""
    return [len(re.findall(r"(?<!\\)\|", row)) for row in page.splitlines() if row.startswith("|")]


def hostile_run(text: str) -> Report:
    """A run whose tasks say ``text`` wherever they may."""
    check = reports.failed("wrong[x]", found=text, claim=text, mend=text, seconds=9.0, excerpt=text)
    odd = reports.task(text, [check, reports.check(f"exploit[{text}]")], family=text, folder=f"tasks/{text}")
    return reports.report(odd, reports.malformed(f"m{text}"), exploits=text, go=text, commit=text)


def test_what_a_task_says_means_nothing() -> None:
    """Neither a tag nor a link, image, emphasis, code or cell of its own comes of it, wherever it stands."""
    hostile, harmless = (render_markdown(hostile_run(text)) for text in (HOSTILE, "harmless"))
    assert kinds(hostile) == kinds(harmless)
    assert kinds(harmless)["td_open"] > 0
    assert borders(hostile) == borders(harmless)


def test_what_a_task_says_calls_nobody() -> None:
    """GitHub makes mentions, references, formulas, emoji and links of bare text."""
    seen = [token.content for token in tokens(render_markdown(hostile_run(HOSTILE))) if token.type == "inline"]
    for text in seen:
        prose = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
        assert re.search(r"(?<!\\)(@team|#1|\$x|:tada|https?:|www\.)", prose) is None, prose


def test_a_fence_cannot_be_closed_from_inside() -> None:
    """It is longer than any that Go printed."""
    check = reports.failed("wrong[x]", excerpt="```\n# loud\n`````\n<b>")
    page = render_markdown(reports.report(reports.task(checks=[check])))
    assert "``````text\n```\n# loud\n`````\n<b>\n``````\n" in page


def test_it_is_bounded_however_bad_the_run() -> None:
    """GitHub shows nothing of what is larger than its limit, so what is left out is counted."""
    checks = [
        reports.failed(f"wrong[{n}]", excerpt="|ä" * 4_000, found="*" * 1_000, claim="`" * 999) for n in range(300)
    ]
    tasks = [reports.task(f"task-{n}-{'_' * 900}", [reports.check("vet-clean")]) for n in range(2_000)]
    page = render_markdown(reports.report(reports.task(checks=checks), *tasks))
    assert len(page.encode()) <= MAX_BYTES
    assert re.search(r"… and \d+ more, which do not fit in here", page)
    assert "### Balance" in page


def test_an_interrupted_run_says_so() -> None:
    """With what is missing."""
    page = render_markdown(reports.report(reports.task(), interrupted=True, exit_status=2, selected=40))
    assert lines(page)[0] == "## ❌ go-debug-bench: The run was interrupted with 29 checks to go"


def test_nothing_is_no_success() -> None:
    """A run without a check proves nothing."""
    assert lines(render_markdown(reports.report()))[0] == "## ❌ go-debug-bench: Nothing was proved"
