"""The report as a page: what is on it, what may not be on it, and how large it may be."""

import base64
import hashlib
import itertools
import re
from html.parser import HTMLParser
from importlib import resources

import pytest

from go_debug_bench.report.html import render_html
from go_debug_bench.report.model import Report
from tests import reports

HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}</style></title>"
VOID = {"meta", "link", "input", "rect"}


class Outline(HTMLParser):
    """What a page is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert self._open == [], "a tag is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Every tag is closed in order."""
        if tag not in VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        """Note text that is seen."""
        if data.strip() and self._open[-1] not in ("style", "script"):
            self.text.append(" ".join(data.split()))

    def all(self, tag: str) -> list[dict[str, str]]:
        """The attributes of every tag of a name."""
        return [attributes for name, attributes in self.tags if name == tag]


def every_kind() -> Report:
    """A run in which all that can go wrong did."""
    checks = [
        *[reports.check(name) for name in reports.PLAIN[1:]],
        reports.broke("vet-clean"),
        reports.failed("wrong[one-more]"),
        reports.check("exploit[early]"),
        reports.failed("exploit[late]"),
        reports.skipped("exploit[never]"),
    ]
    cached = reports.task("cached-tally", [reports.check("vet-clean", "cached-tally", cached=True)])
    return reports.report(reports.task(checks=checks), cached, reports.malformed(), exit_status=1)


def test_the_page_is_well_formed_and_needs_nothing_else() -> None:
    """No address but those of places on it; no attribute that holds style or script."""
    page = Outline(render_html(every_kind()))
    for _, attributes in page.tags:
        assert not {"style", "src", "srcset", "action", "background"} & set(attributes)
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#") or attributes["href"] == "data:,"
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {attributes["href"][1:] for attributes in page.all("a")}
    assert targets <= set(ids)


def test_the_policy_names_the_pages_own_style_and_script_alone() -> None:
    """By their hashes, so that nothing that gets into the page otherwise runs."""
    text = render_html(every_kind())
    (policy,) = [meta["content"] for meta in Outline(text).all("meta") if "http-equiv" in meta]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (body,) = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy


def test_what_a_task_says_is_text() -> None:
    """In names, titles, findings, reasons, excerpts, problems and options."""
    broken = reports.broke(f"stable[{HOSTILE}]", reason=HOSTILE)
    checks = [
        reports.failed(f"exploit[{HOSTILE}]", found=HOSTILE, claim=HOSTILE, excerpt=HOSTILE, mend=HOSTILE),
        broken,
    ]
    odd = reports.task(HOSTILE, checks, title=HOSTILE, family=HOSTILE, package=HOSTILE)
    text = render_html(reports.report(odd, reports.malformed(HOSTILE), options={"-k": HOSTILE}, commit=HOSTILE))
    page = Outline(text)
    assert len(page.all("script")) == 1
    assert page.all("img") == []
    assert "49" not in " ".join(page.text)


def test_failing_claims_come_first_with_the_command_that_repeats_each() -> None:
    """Malformed tasks, then failed claims, then what broke; each with what an author needs."""
    text = " ".join(Outline(render_html(every_kind())).text)
    order = [
        text.index(part)
        for part in (
            "2 claims do not hold, 1 check broke, 1 task is malformed",
            "unknown field; did you mean 'title'?",
            "it earns 1.1: all 6 hidden and public tests pass",
            "pytest --gobench-tasks 'tasks/tiny-tally/task.json::wrong[one-more]'",
            "Total = 4, want 5",
            "no box could be started: no space left",
            "1 skipped: nothing here keeps an exploit away",
            "Open a task for its checks",
        )
    ]
    assert order == sorted(order)


def test_each_task_has_its_matrix() -> None:
    """Build, tampering, hidden suite and reward of each check; passed exploits stand in the grid alone."""
    text = " ".join(Outline(render_html(reports.report(reports.task()))).text)
    assert "delete-test-cheat ✓ passed yes yes no 0.1 0.50 s" in text
    assert "non-compiling ✓ passed no no no 0.0 0.50 s" in text
    assert "1 exploit or control behaved as must be" in text
    assert text.count("the claim of exploit[exit-early]") == 0


def test_the_grid_tells_outcomes_apart_without_colour() -> None:
    """A sign for the eye and a word for the ear."""
    text = render_html(every_kind())
    grid = text[text.index('<section id="exploits"') : text.index('<section id="time"')]
    for name, sign, word in (("early", "✓", "passed"), ("late", "✕", "failed"), ("never", "–", "skipped")):  # noqa: RUF001
        assert (
            f'title="{name}: {word}"><span aria-hidden="true">{sign}</span><span class="unseen">{word}</span>' in grid
        )


def test_headings_and_tables_have_a_structure() -> None:
    """For whoever goes through the page by them."""
    page = Outline(render_html(every_kind()))
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert all(header.get("scope") in ("row", "col") for header in page.all("th"))
    assert page.all("html")[0]["lang"] == "en"
    assert [tag for tag, _ in page.tags if tag in ("main", "nav", "footer")] == ["nav", "main", "footer"]
    scrolled = [attributes for _, attributes in page.tags if attributes.get("class", "").startswith("scroll")]
    assert scrolled
    assert all(each["tabindex"] == "0" and each["role"] == "region" and each["aria-label"] for each in scrolled)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(scheme: str) -> None:
    """4.5 to 1 and more (WCAG AA), in both schemes; 3 to 1 for the edge of a control."""
    style = resources.files("go_debug_bench.report").joinpath("page", "page.css").read_text(encoding="utf-8")
    light, dark = (dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block)) for block in style.split("@media")[:2])
    colours = light if scheme == "light" else {**light, **dark}
    assert set(dark) == set(light)
    kinds = ("passed", "failed", "error", "skipped")
    pairs = [(text, ground) for text in ("ink", "soft", "accent") for ground in ("page", "card", "code", "accent-soft")]
    pairs += [(kind, f"{kind}-soft") for kind in kinds] + [("failed", "card")]
    for text, ground in pairs:
        assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["edge"], colours["card"]) >= 3


def contrast(one: str, other: str) -> float:
    """The ratio that WCAG defines."""

    def luminance(colour: str) -> float:
        parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def test_a_large_suite_makes_a_page_of_bounded_size() -> None:
    """200 tasks of 30 checks each, also if every one of them fails with all that it can print."""
    names = [
        *reports.PLAIN,
        *[f"wrong[fix-number-{n}]" for n in range(12)],
        *[f"exploit[attempt-{n}]" for n in range(12)],
    ]
    claim = "the wrong fix 'a-name-of-it' earns 0.1, as the hidden suite refuses it (and why that is, in a sentence)"
    tasks = [reports.task(f"task-{n}", [reports.check(name, claim=claim) for name in names]) for n in range(200)]
    assert len(render_html(reports.report(*tasks)).encode()) < 3_000_000
    bad = [reports.failed(name, claim=claim, excerpt="x" * 8_000) for name in names]
    assert len(render_html(reports.report(*[reports.task(f"t{n}", bad) for n in range(200)])).encode()) < 6_000_000


def test_an_empty_run_has_a_page() -> None:
    """That claims nothing."""
    text = " ".join(Outline(render_html(reports.report())).text)
    assert "Nothing was proved" in text
    assert "No claim was tried" in text
    assert "Every claim holds" not in text


def test_tasks_of_one_id_are_told_apart() -> None:
    """By their folders."""
    twins = [reports.task("twin", folder=folder) for folder in ("one/twin", "two/twin")]
    text = " ".join(Outline(render_html(reports.report(*twins))).text)
    assert "twin (one/twin)" in text
    assert "twin (two/twin)" in text
