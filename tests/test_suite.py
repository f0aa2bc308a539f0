"""What a task's texts must show: what each rule finds, where, and the near misses that it lets pass. No Go runs."""

import json
import shutil
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from go_debug_bench.checks import checks_of
from go_debug_bench.suite import PLACEHOLDER, Finding, giveaways, mends_of, shown, unexplained, unwritten
from go_debug_bench.task import load_task, load_tasks
from go_debug_bench.tasks_dir import tasks_dir

EXAMPLES = Path(__file__).parent / "examples"
GATE = "Appending to `list[:0]` writes through the backing array, as heap.Pop and sort.Slice do."
Change = Callable[[Path], object]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A task with a gate, two source files, an unexported function that the reference fix edits, and a subtest."""
    folder = Path(shutil.copytree(EXAMPLES / "valid" / "tiny-tally", tmp_path / "tiny-tally"))
    change(
        folder,
        fields(knowledge_gate=GATE, fail_to_pass=["TestTotalOfMany/four_of_a_kind"]),
        text(
            "repo/mean.go",
            "package tally\n\n// Mean returns the mean.\nfunc Mean(r []int) int { return Total(r) / len(r) }\n",
        ),
        edited(
            "repo/tally.go",
            "\ttotal := 0\n",
            "\treturn sum(readings)\n}\n\nfunc sum(readings []int) int {\n\ttotal := 0\n",
        ),
    )
    return folder


def change(folder: Path, *changes: Change) -> None:
    """Spoil a task, or nearly."""
    for one in changes:
        one(folder)


def fields(**values: Any) -> Change:
    """Replace fields of ``task.json``."""

    def change(folder: Path) -> None:
        path = folder / "task.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **values}))

    return change


def text(path: str, content: str) -> Change:
    """Write a file of the task."""

    def change(folder: Path) -> None:
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_text(content)

    return change


def edited(path: str, find: str, replace: str) -> Change:
    """Replace a text in a file of the task."""

    def change(folder: Path) -> None:
        before = (folder / path).read_text()
        assert find in before
        (folder / path).write_text(before.replace(find, replace))

    return change


def comment(words: str) -> Change:
    """Write a comment into an unexported function."""
    return edited("repo/tally.go", "\ttotal := 0\n", f"\t// {words}\n\ttotal := 0\n")


def documentation(words: str) -> Change:
    """Write a sentence into the documentation of the package."""
    return edited(
        "repo/tally.go", "// Package tally adds up readings.\n", f"// Package tally adds up readings.\n// {words}\n"
    )


def said(findings: Iterable[Finding]) -> list[str]:
    """The findings as a reader sees them."""
    return [str(finding) for finding in findings]


def test_the_checks_of_texts_stand_where_an_author_wants_to_see_them_fail() -> None:
    """First what is left to write, and what the words give away once the code is right."""
    task = load_task(EXAMPLES / "valid" / "tiny-tally")
    kinds = list(dict.fromkeys(check.kind for check in checks_of(task, repeat=1, exploits=["a", "b"])))
    assert kinds[0] == "written"
    assert kinds[-5:] == ["discreet", "explained", "distinct", "exploit", "stable"]
    assert [check.name for check in checks_of(task, exploits=["a", "b"])][-2:] == ["exploit[a]", "exploit[b]"]


@pytest.mark.parametrize("root", [tasks_dir(), EXAMPLES / "valid", EXAMPLES / "shapes"], ids=lambda root: root.name)
def test_good_tasks_break_no_rule(root: Path) -> None:
    """A rule that refuses them is wrong."""
    for task in load_tasks(root):
        assert said([*unwritten(task), *giveaways(task), *unexplained(task)]) == []


# -- written ----------------------------------------------------------------------------------------------------------


def test_what_is_left_to_write_is_said_in_the_order_of_the_work(folder: Path) -> None:
    """The idea, the code, its tests, the hidden suite, the fixes, the words; with what each place asks for."""
    change(
        folder,
        fields(
            title=f"{PLACEHOLDER}: what goes wrong",
            knowledge_gate=f"{PLACEHOLDER} the piece of knowledge",
            why_hard=["It is.", PLACEHOLDER],
        ),
        edited("task.json", '"Raise the limit."', f'"{PLACEHOLDER}: a hurried fix"'),
        edited("hidden/total_test.go", "func TestTotal", f"// {PLACEHOLDER}: the contract\nfunc TestTotal"),
        edited("repo/tally_test.go", "func TestTotalOfTwo", f"// {PLACEHOLDER}: natural tests\nfunc TestTotalOfTwo"),
        comment(f"{PLACEHOLDER}: the defect"),
    )
    assert said(unwritten(load_task(folder))) == [
        "task.json: knowledge_gate: 'the piece of knowledge'",
        "repo/tally.go:10: 'the defect'",
        "repo/tally_test.go:9: 'natural tests'",
        "hidden/total_test.go:9: 'the contract'",
        "task.json: wrong_fixes[0].summary: 'a hurried fix'",
        "task.json: title: 'what goes wrong'",
        f"task.json: why_hard[1]: '{PLACEHOLDER}'",
    ]


def test_the_placeholder_is_no_hint(folder: Path) -> None:
    """A scaffold fails one check for it, not two; and a TODO of the repo's own is not something to write."""
    change(folder, comment(f"{PLACEHOLDER}: the loop"))
    assert said(giveaways(load_task(folder))) == []
    change(folder, edited("repo/tally.go", PLACEHOLDER, "TODO(ann)"))
    assert said(unwritten(load_task(folder))) == []


# -- discreet ---------------------------------------------------------------------------------------------------------

LONG_TEST = "TestTotalOfMany"
GIVEN_AWAY = {
    "a hidden test in the prompt": (
        fields(prompt=f"The total is too small.\nSee {LONG_TEST}."),
        "task.json: prompt line 2: names 'TestTotalOfMany' of the hidden suite",
    ),
    "a hidden test without its prefix": (
        fields(title="It is about TotalOfMany"),
        "task.json: title line 1: names 'TotalOfMany' of the hidden suite",
    ),
    "a hidden subtest in the repo": (
        comment("as for four_of_a_kind"),
        "repo/tally.go:10: names 'four_of_a_kind' of the hidden suite",
    ),
    "a hidden file": (
        text("repo/README.md", "Tested.\n\nBy total_test.go.\n"),
        "repo/README.md:3: names 'total_test.go' of the hidden suite",
    ),
    "the file of the fault": (
        fields(prompt="Look at tally.go, please."),
        "task.json: prompt line 1: names 'tally.go', and the reference fix edits tally.go",
    ),
    "the function of the fault": (
        fields(prompt="The loop in `sum` ends early."),
        "task.json: prompt line 1: names '`sum`', and the reference fix edits tally.go, in sum",
    ),
    "code of the gate": (
        fields(prompt="It began with heap.Pop() last week."),
        "task.json: prompt line 1: says 'heap.Pop', as knowledge_gate or the task's id does",
    ),
    "code of the gate in quotes": (
        comment("see list[:0] for why"),
        "repo/tally.go:10: says 'list[:0]', as knowledge_gate or the task's id does",
    ),
    "a method of the gate without its package": (
        fields(prompt="It began with `Pop` last week."),
        "task.json: prompt line 1: says 'Pop', as knowledge_gate or the task's id does",
    ),
    "two telling words of the gate": (
        fields(prompt="Perhaps it writes the old\nbacking arrays, which are shared."),
        "task.json: prompt line 2: says 'backing arrays', as knowledge_gate or the task's id does",
    ),
    "a phrase of the gate over two lines of documentation": (
        documentation("A new list writes\n// through the backing store."),
        "repo/tally.go:2: says 'writes // through the backing', as knowledge_gate or the task's id does",
    ),
    "a hint": (
        comment("BUG: the end is missing"),
        "repo/tally.go:10: hints at the fault or at how it is judged: 'BUG'",
    ),
    "a hint that lies": (
        comment("deliberately wrong"),
        "repo/tally.go:10: hints at the fault or at how it is judged: 'deliberately'",
    ),
    "a sentence of the gate in other forms and another order": (
        fields(prompt="It is slow. The array is overwritten: whoever writes has appended!\nWhy?"),
        "task.json: prompt line 1: says 'array … writes … appended', as knowledge_gate or the task's id does",
    ),
    "the place of the fault": (
        fields(prompt="The total is wrong.\nA BUG in the value receiver."),
        "task.json: prompt line 2: states the fault or its mend: 'BUG in the value receiver'",
    ),
    "the cause": (
        fields(prompt="The total is wrong. The cause is that it ends early."),
        "task.json: prompt line 1: states the fault or its mend: 'cause is that it ends early'",
    ),
    "where the fault lies": (
        fields(title="The fault lies in Total"),
        "task.json: title line 1: states the fault or its mend: 'fault lies in Total'",
    ),
    "the mend": (
        fields(prompt="Please fix the loop of Total by adding up the rest."),
        "task.json: prompt line 1: states the fault or its mend: 'fix the loop of Total by adding up the rest'",
    ),
    "a hint at the judge": (
        text("repo/NOTES.txt", "The hidden tests want more.\n"),
        "repo/NOTES.txt:1: hints at the fault or at how it is judged: 'hidden tests'",
    ),
}


@pytest.mark.parametrize("case", GIVEN_AWAY)
def test_what_gives_the_fault_away_is_found_where_it_stands(folder: Path, case: str) -> None:
    """Each alone: file and line, or field and line, and what was said there."""
    spoil, expected = GIVEN_AWAY[case]
    change(folder, spoil)
    assert said(giveaways(load_task(folder))) == [expected]


def test_a_word_of_the_id_that_is_none_of_the_domain_gives_it_away(folder: Path) -> None:
    """In the prompt and in comments; what the module's own names say is the domain."""
    task = folder.parent / "tally-aliasing"
    folder.rename(task)
    change(task, fields(id="tally-aliasing", prompt="Each tally suffers from aliasing."), comment("no aliasing here"))
    assert said(giveaways(load_task(task))) == [
        "task.json: prompt line 1: says 'aliasing', as knowledge_gate or the task's id does",
        "repo/tally.go:10: says 'aliasing', as knowledge_gate or the task's id does",
    ]
    change(task, edited("repo/tally.go", "total := 0", "total, aliasing := 0, 0\n\t_ = aliasing"))
    assert [line.partition(":")[0] for line in said(giveaways(load_task(task)))] == ["task.json"]


def test_words_of_any_prompt_are_no_words_of_the_id(folder: Path) -> None:
    """An id may say public and hidden; the other words of it tell."""
    task = folder.parent / "public-hidden-tests-existing-exported-package-aliasing"
    folder.rename(task)
    change(
        task, fields(id=task.name, prompt="The public, exported API; existing, passing tests of the package; hidden.")
    )
    assert said(giveaways(load_task(task))) == []
    change(task, fields(prompt="The public aliasing."))
    assert len(giveaways(load_task(task))) == 1


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("FIX: the end", "FIX"),
        ("a mistake", "mistake"),
        ("the fault is here", "the fault is"),
        ("this is broken", "this is broken"),
        ("a known issue", "known issue"),
        ("off by 1", "off by 1"),
        ("it is off by\n\t// one here", "off by // one"),
        ("planted", "planted"),
        ("the trap", "the trap"),
        ("incorrect on purpose", "on purpose"),
        ("Intentionally so.\n\t// It is broken.", "Intentionally"),
        ("the benchmarks show the bug report's fault", "benchmarks"),
    ],
)
def test_a_comment_hints_in_many_words(folder: Path, words: str, hint: str) -> None:
    """Alone, or beside a word for a fault."""
    change(folder, comment(words))
    assert f"repo/tally.go:10: hints at the fault or at how it is judged: {hint!r}" in said(
        giveaways(load_task(folder))
    )


@pytest.mark.parametrize(
    "words",
    [
        "The error is intentionally ignored: Close cannot fail here.",
        "Deliberately not locked; callers hold mu.",
        "See the benchmarks for why.",
        "Defects are counted by shift.",
        "bug reports carry an id",
        "Prefix: fix: what is given twice by mistake is taken once.",
        "Set on purpose, for graders.",
    ],
)
def test_what_good_comments_say_is_no_hint(folder: Path, words: str) -> None:
    """In a comment and in a README, where another paragraph may speak of what is wrong."""
    change(folder, comment(words), text("repo/README.md", f"{words}\n\nA wrong reading is left out.\n"))
    assert said(giveaways(load_task(folder))) == []


@pytest.mark.parametrize(
    ("prompt", "hint"),
    [
        ("It looks like an off-by-one error.", "off-by-one"),
        ("Total is off by one.", "off by one"),
        ("Make the hidden tests pass.", "hidden tests"),
        ("There is a Hidden Suite.", "Hidden Suite"),
    ],
)
def test_a_prompt_tells_nothing_that_only_its_author_knows(folder: Path, prompt: str, hint: str) -> None:
    """Neither the kind of the fault nor that somebody judges."""
    for values in ({"prompt": prompt}, {"prompt": "It is wrong.", "title": prompt}):
        change(folder, fields(**values))
        (line,) = said(giveaways(load_task(folder)))
        assert line.endswith(f"line 1: hints at the fault or at how it is judged: {hint!r}")


def loop(folder: Path) -> None:
    """A reference fix that replaces the head of a loop."""
    head = "for n := 0; n < 4 && err == nil; n++ {"
    edit = {"file": "tally.go", "find": head, "replace": "for {"}
    change(
        folder,
        edited("repo/tally.go", "\ttotal := 0\n", f"\tvar err error\n\t{head}\n\t}}\n\ttotal := 0\n"),
        fields(reference_fix={"name": "add-all", "summary": "Add every reading.", "edits": [edit]}),
    )


@pytest.mark.parametrize(
    ("prompt", "code"),
    [("It stops at `n<4`.", "n<4"), ("Why does it say n < 4 there?", "n < 4"), ("It has\n\tn := 0", "n := 0")],
)
def test_code_that_the_reference_fix_replaces_gives_it_away(folder: Path, prompt: str, code: str) -> None:
    """However it is spaced, in quotes or not."""
    change(folder, loop, fields(prompt=prompt))
    (line,) = said(giveaways(load_task(folder)))
    assert line.endswith(f": quotes {code!r}, which the reference fix replaces in tally.go")
    change(folder, documentation(f"It is so while {code}."))
    assert said(giveaways(load_task(folder))) == []


@pytest.mark.parametrize("prompt", ["It is 4, and n is < 5.", "Then `err == nil` holds.", "For n, 0 or 4."])
def test_other_code_may_be_quoted(folder: Path, prompt: str) -> None:
    """What a user writes, and single tokens."""
    change(folder, loop, fields(prompt=prompt))
    assert said(giveaways(load_task(folder))) == []


NEAR_MISSES = {
    "a guess at the place": fields(prompt="We suspect that the bug is in Mean. Perhaps the fault lies in Total."),
    "what is wanted": fields(prompt="Please find the cause and mend it. Our guess is that Total loses something."),
    "a bug in no place": fields(prompt="There is a bug in this package. Fix it by tomorrow, by morning if you can."),
    "bugs that are the domain": lambda folder: change(
        folder,
        edited("repo/mean.go", "func Mean", "func Bugs() int { return 0 }\n\n// Mean is.\nfunc Mean"),
        fields(prompt="Each bug in the list is counted."),
    ),
    "words of the gate in two sentences": fields(prompt="The array is long; it appends. Whoever writes it is known."),
    "public names": fields(prompt="Total and tally.Mean are wrong, says TestTotalOfTwo in tally_test.go; sum it up."),
    "a short name of a hidden subtest": fields(prompt="It fails from four on, and of four_of five."),
    "a longer name than the hidden test's": fields(prompt="See TestTotalOfManyMore and four_of_a_kind_too."),
    "a file that the fix does not edit": fields(prompt="The documentation in mean.go says so; subtally.go is ours."),
    "code that the documentation names too": lambda folder: change(
        folder, documentation("Order is that of sort.Slice."), fields(prompt="We sort with sort.Slice.")
    ),
    "words of everyday": fields(prompt="Appending is through, as it does do; an array, and a backing of heap."),
    "words of the gate apart": comment("the array that is backing it, through which it writes"),
    "parts of words": comment("debugging, methodology, unhidden, hacksaw, and the testsuite of today"),
    "what only strings say": edited("repo/tally.go", "\ttotal := 0\n", '\t_ = "BUG: a backing array"\n\ttotal := 0\n'),
    "a word of the domain": lambda folder: change(
        folder,
        edited("repo/mean.go", "func Mean", "func Bugs() int { return 0 }\n\n// Mean is.\nfunc Mean"),
        comment("a bug more"),
    ),
    "a line of a test": edited(
        "repo/tally_test.go", "func TestTotalOfNone", "// What is empty adds up to 0.\nfunc TestTotalOfNone"
    ),
}


@pytest.mark.parametrize("case", NEAR_MISSES)
def test_what_gives_nothing_away_is_let_pass(folder: Path, case: str) -> None:
    """A check that cries wolf is switched off."""
    change(folder, NEAR_MISSES[case])
    assert said(giveaways(load_task(folder))) == []


def test_the_comments_of_public_tests_are_no_documentation(folder: Path) -> None:
    """The contract is not in them, and what they say of the gate explains no prompt."""
    spoil = edited("repo/tally_test.go", "func TestTotalOfTwo", "// Not by heap.Pop.\nfunc TestTotalOfTwo")
    change(folder, spoil, fields(prompt="It began with heap.Pop."))
    assert [line.partition(": says")[0] for line in said(giveaways(load_task(folder)))] == [
        "task.json: prompt line 1",
        "repo/tally_test.go:9",
    ]


def test_an_edit_of_what_an_earlier_edit_wrote_has_no_place_of_its_own(folder: Path) -> None:
    """It edits the function that the earlier one does, and no other."""
    note = "// " + "A long remark. " * 20
    change(
        folder,
        edited("repo/mean.go", "package tally\n", "package tally\n\nfunc helper() {}\n"),
        fields(
            prompt="We never call `helper`.",
            reference_fix={
                "name": "add-all",
                "summary": "Add every reading.",
                "edits": [
                    {
                        "file": "mean.go",
                        "find": "// Mean returns the mean.",
                        "replace": f"{note}\n\nvar half = 2\n\n// Mean is.",
                    },
                    {"file": "mean.go", "find": f"{note}\n\n", "replace": ""},
                ],
            },
        ),
    )
    assert said(giveaways(load_task(folder))) == []


def test_the_only_source_file_may_be_named(folder: Path) -> None:
    """There is no other place to look in."""
    (folder / "repo" / "mean.go").unlink()
    change(folder, fields(prompt="Look at tally.go, please."))
    assert said(giveaways(load_task(folder))) == []


@pytest.mark.parametrize("name", ["four_of_a_kind", "four of a kind"])
def test_a_name_that_public_tests_have_too_is_no_secret(folder: Path, name: str) -> None:
    """Of a subtest, as they write it; and of a test in another package."""
    change(
        folder,
        edited(
            "repo/tally_test.go",
            "func TestTotalOfTwo(t *testing.T) {",
            f'const name = "{name}" // four_of_a_kind\n\nfunc TestTotalOfTwo(t *testing.T) {{',
        ),
        text("repo/report/report.go", "// Package report reports.\npackage report\n"),
        text("repo/report/report_test.go", f"package report_test\n\n// {LONG_TEST} is.\nfunc {LONG_TEST}() {{}}\n"),
    )
    assert said(giveaways(load_task(folder))) == []


def test_a_comment_of_a_public_test_makes_no_name_public(folder: Path) -> None:
    """It gives the name away."""
    change(
        folder,
        edited("repo/tally_test.go", "func TestTotalOfTwo", f"// As {LONG_TEST}/four_of_a_kind.\nfunc TestTotalOfTwo"),
    )
    assert said(giveaways(load_task(folder))) == [
        "repo/tally_test.go:9: names 'TestTotalOfMany' of the hidden suite",
        "repo/tally_test.go:9: names 'four_of_a_kind' of the hidden suite",
    ]


# -- explained --------------------------------------------------------------------------------------------------------

API = """package tally

// Meter counts.
type Meter struct {
	Name string
	// Unit is that of the readings.
	Unit string
	Size, Depth int // in metres
	own string
}

type Bare struct{ Meter }

type Reader interface{ Latest() int }

// Limits of a meter.
const (
	Low = iota
	High
)

var Default = Meter{}

var (
	// First is the first.
	First = 1
	Second = 2
)

func (m Meter) String() string { return m.own }

func (m *Meter) Reset() { m.own = "" }

type hidden struct{ Inner int }

func (hidden) Outer() {}
"""


def hidden_test(body: str) -> Change:
    """A hidden test that uses something."""
    head = 'package tally_test\n\nimport (\n\t"testing"\n\n\tother "example.com/tally"\n\t"strings"\n)\n\n'
    return text("hidden/api_test.go", f"{head}func TestAPI(t *testing.T) {{\n\t{body}\n}}\n")


UNEXPLAINED = {
    "other.Default.Meter()": "the variable Default",
    "_ = other.Bare{}": "the type Bare",
    "var r other.Reader; _ = r": "the type Reader",
    "x.Latest()": "the method Reader.Latest",
    "m.Reset()": "the method Meter.Reset",
    "_ = other.Meter{Name: `x`}": "the field Meter.Name",
    "_ = []other.Meter{{Name: `x`}}": "the field Meter.Name",
    "_ = m.Name": "the field Meter.Name",
    "_ = other.Second": "the variable Second",
}


@pytest.mark.parametrize("body", UNEXPLAINED)
def test_an_exported_name_that_nothing_explains_is_found(folder: Path, body: str) -> None:
    """Functions, types, variables, fields of selectors and literals, methods; where declared and where used."""
    change(folder, text("repo/api.go", API), hidden_test(body))
    (line,) = said(unexplained(load_task(folder)))
    assert line.startswith("repo/api.go:")
    assert f"{UNEXPLAINED[body]} has no doc comment, and hidden/api_test.go:11 uses it in TestAPI" in line


@pytest.mark.parametrize(
    "body",
    [
        "_ = other.Meter{Unit: `x`, Size: 1, Depth: 2}",  # comments of their own, above and beside
        "_ = other.High + other.Low + other.First",  # of the group, and of one in it
        "_ = m.String()",  # fmt says what it does
        "_ = x.Inner; x.Outer()",  # of no exported type
        "_ = strings.Reset; strings.Default()",  # another package's
        "type mine struct{ Name string }; _ = mine{Name: `x`}.Name",  # the test's own
        "own(); Reset()",  # functions of the test
    ],
)
def test_what_explains_itself_is_let_pass(folder: Path, body: str) -> None:
    """By a doc comment, by convention, or because it is not the module's."""
    change(folder, text("repo/api.go", API), hidden_test(body))
    assert said(unexplained(load_task(folder))) == []


@pytest.mark.parametrize(
    "explain",
    [
        fields(prompt="After Reset it starts at 0."),
        text("repo/README.md", "Reset starts anew.\n"),
        documentation("Reset starts anew."),
        edited("repo/api.go", "func (m *Meter) Reset", "// Reset starts anew.\nfunc (m *Meter) Reset"),
        edited(
            "repo/tally_test.go",
            "func TestTotalOfTwo(t *testing.T) {",
            "func TestTotalOfTwo(t *testing.T) {\n\tm.Reset()",
        ),
    ],
)
def test_prompt_documentation_and_public_tests_explain(folder: Path, explain: Change) -> None:
    """Each is enough."""
    change(folder, text("repo/api.go", API), hidden_test("m.Reset()"))
    assert said(unexplained(load_task(folder))) != []
    change(folder, explain)
    assert said(unexplained(load_task(folder))) == []


def test_a_name_of_another_package_in_a_public_test_explains_nothing(folder: Path) -> None:
    """``errors.Reset`` is not ``Meter.Reset``."""
    change(
        folder,
        text("repo/api.go", API),
        hidden_test("m.Reset()"),
        edited("repo/tally_test.go", '\t"testing"\n', '\t"errors"\n\t"testing"\n'),
        edited(
            "repo/tally_test.go", "func TestTotalOfTwo(", "func TestOther() { errors.Reset() }\n\nfunc TestTotalOfTwo("
        ),
    )
    assert len(unexplained(load_task(folder))) == 1


def test_a_capital_that_begins_a_sentence_explains_nothing(folder: Path) -> None:
    """``Name`` the field is not the word."""
    change(folder, text("repo/api.go", API), hidden_test("_ = m.Name"), fields(prompt="It is late. Name the cause."))
    assert len(unexplained(load_task(folder))) == 1


@pytest.mark.parametrize("directive", ["//go:noinline", "//nolint:all", "//nolint", "//go:noinline\n//"])
def test_a_directive_explains_nothing(folder: Path, directive: str) -> None:
    """It speaks to a tool; words beside it explain."""
    function = "func (m *Meter) Reset"
    change(folder, text("repo/api.go", API), hidden_test("m.Reset()"))
    change(folder, edited("repo/api.go", function, f"{directive}\n{function}"))
    assert len(unexplained(load_task(folder))) == 1
    change(folder, edited("repo/api.go", directive, f"// It starts anew.\n//\n{directive}"))
    assert said(unexplained(load_task(folder))) == []


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("_ = Second", ["the variable Second"]),
        ("_ = Bare{}", ["the type Bare"]),
        ("var _ Reader", ["the type Reader"]),
        ("_ = High + First; _ = Meter{}; Total(nil)", []),
        ("_ = Latest; Reset()", []),
    ],
)
def test_names_of_a_dot_import_are_the_packages(folder: Path, body: str, found: list[str]) -> None:
    """Its functions, types and variables; no methods."""
    change(folder, text("repo/api.go", API), hidden_test(body))
    assert said(unexplained(load_task(folder))) == []
    change(folder, edited("hidden/api_test.go", 'other "example.com/tally"', '. "example.com/tally"'))
    lines = said(unexplained(load_task(folder)))
    assert [line.partition(": ")[2].partition(" has no")[0] for line in lines] == found


# -- what all have in common ------------------------------------------------------------------------------------------


def test_findings_are_short_and_printable(folder: Path) -> None:
    """A prompt is somebody else's text, and may be long or hold escapes."""
    change(folder, fields(why_hard=[f"{PLACEHOLDER}: \x1b[31m" + "long " * 500, *[PLACEHOLDER] * 9]))
    found = unwritten(load_task(folder))
    assert shown(found).isprintable()
    assert len(shown(found)) < 400
    assert shown(found).endswith("; and 7 more")
    assert mends_of(found).count(PLACEHOLDER) == 1
    assert str(Finding(place="repo/\x07.go:1", what="x" * 1000, mend="")).isprintable()


@pytest.mark.parametrize("filler", ["a/", "`", "a.", "aB", "// x\n", "TestTotalOf ", "(", "\u2019s "])
def test_a_huge_text_takes_no_more_than_its_length(folder: Path, filler: str) -> None:
    """No pattern tries again from every place."""
    change(folder, fields(prompt=filler * (200_000 // len(filler))), text("repo/NOTES.md", filler * 20_000))
    task = load_task(folder)
    begin = time.process_time()
    giveaways(task), unexplained(task), unwritten(task)
    assert time.process_time() - begin < 5


SIZE = 1_000_000
LARGE = {
    "hints": ("repo/large.go", "package tally\n\n" + "// TODO\n" * (SIZE // 8)),
    "hints in one comment": ("repo/large.go", f"package tally\n\n/* {'bug ' * (SIZE // 4)}*/\n"),
    "words of the domain": ("repo/large.go", f"package tally\n\nvar bug int\n\n/* {'bug ' * (SIZE // 4)}*/\n"),
    "hidden names": ("repo/README.md", "four_of_a_kind\n" * (SIZE // 15)),
    "words of the gate": ("repo/README.md", "backing array\n" * (SIZE // 14)),
    "a long comment": ("repo/large.go", "package tally\n\n" + "// x\n" * (SIZE // 5) + "func F() {}\n"),
    "constants": (
        "repo/large.go",
        "package tally\n\nconst (\n" + "".join(f"\tA{number} = 1 // b\n" for number in range(SIZE // 18)) + ")\n",
    ),
    "functions in functions": ("repo/large.go", f"package tally\n\n{'var X = func() { ' * 20_000}{'}' * 20_000}\n"),
}


@pytest.mark.parametrize("case", LARGE)
def test_a_file_of_a_megabyte_takes_no_more_than_its_length(folder: Path, case: str) -> None:
    """However many findings, comments or declarations are in it."""
    change(folder, text(*LARGE[case]))
    task = load_task(folder)
    begin = time.process_time()
    found = giveaways(task)
    unexplained(task), unwritten(task)
    assert time.process_time() - begin < 15
    assert len(found) <= 100


def test_a_prompt_of_statements_takes_no_more_than_its_length(folder: Path) -> None:
    """Though none of them is a finding, as the bugs are the domain."""
    change(
        folder,
        edited("repo/mean.go", "func Mean", "func Bugs() int { return 0 }\n\n// Mean is.\nfunc Mean"),
        fields(prompt="bug in it, " * 60_000),
    )
    task = load_task(folder)
    begin = time.process_time()
    assert said(giveaways(task)) == []
    assert time.process_time() - begin < 15


def test_the_line_of_a_finding_is_that_of_its_first_letter(folder: Path) -> None:
    """Behind line ends, and on one line with others."""
    change(folder, text("repo/NOTES.txt", "BUG\n\nFIXME and XXX\nHACK"))
    places = [line.split(": ")[0] for line in said(giveaways(load_task(folder)))]
    assert places == ["repo/NOTES.txt:1", "repo/NOTES.txt:3", "repo/NOTES.txt:3", "repo/NOTES.txt:4"]
