"""The report's page in a real browser: Debian's Chromium and its driver, never one that a tool downloads.

Without them the tests skip; with GOBENCH_BROWSER=1 they fail.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

from go_debug_bench.report.html import render_html
from tests import reports

EXAMPLES = Path(__file__).parent / "examples"
QUIET = (
    "--headless",
    "--no-sandbox",  # root has no sandbox in Chromium
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
SIZES = [(360, 780), (1280, 900)]
SCHEMES = ["light", "dark"]


def program(*names: str) -> str:
    """Where a program is; a test that cannot do without it is skipped, or fails in a run that must have a browser."""
    found = next((path for name in names if (path := shutil.which(name))), None)
    if found is None:
        reason = f"no {' or '.join(names)} here; on Debian: apt-get install chromium chromium-driver"
        if os.environ.get("GOBENCH_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    """A browser without a window, with a fresh profile."""
    service = Service(program("chromedriver"))
    options = webdriver.ChromeOptions()
    options.binary_location = program("chromium", "google-chrome")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    with tempfile.TemporaryDirectory(prefix="gb-profile-") as profile:
        for argument in (*QUIET, f"--user-data-dir={profile}"):
            options.add_argument(argument)
        driver = webdriver.Chrome(options=options, service=service)
        try:
            yield driver
        finally:
            driver.quit()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a real run of two examples, one of which has a claim that fails, and of an exploit."""
    folder = tmp_path_factory.mktemp("run")
    for name in ("valid/tiny-tally", "broken/fails-wrong"):
        shutil.copytree(EXAMPLES / name, folder / "tasks" / Path(name).name)
    argv = ["--gobench-tasks", "-p", "no:cacheprovider", "-n", "0", "--gobench-exploits=api-os-exit0"]
    only = ["-k", "vet-clean or one-more or exploit", "--gobench-report=report.html"]
    done = subprocess.run([sys.executable, "-m", "pytest", *argv, *only], cwd=folder, capture_output=True, text=True)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED, done.stdout
    return folder / "report.html"


@pytest.fixture
def opened(browser: webdriver.Chrome, page: Path) -> Iterator[webdriver.Chrome]:
    """The browser with the page of the real run, which logs no error in the whole test."""
    browser.get(page.as_uri())
    yield browser
    assert_no_complaint(browser)


def assert_no_complaint(browser: webdriver.Chrome) -> None:
    """Neither an error nor a warning, such as one of the content security policy."""
    assert [entry["message"] for entry in browser.get_log("browser")] == []  # type: ignore[no-untyped-call]


def assert_fits(browser: webdriver.Chrome) -> None:
    """Nothing scrolls to the side but what is made to."""
    shown, needed = browser.execute_script(
        "const root = document.documentElement; return [root.clientWidth, root.scrollWidth]"
    )
    assert needed <= shown


def show(browser: webdriver.Chrome, size: tuple[int, int], scheme: str) -> None:
    """A window of a size, for somebody who prefers a scheme."""
    # Without motion: a click waits for nothing to stop scrolling.
    features = [
        {"name": "prefers-color-scheme", "value": scheme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def visible(browser: webdriver.Chrome, selector: str) -> list[WebElement]:
    """The elements that are shown."""
    return [element for element in browser.find_elements(By.CSS_SELECTOR, selector) if element.is_displayed()]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_page_fits_the_window(opened: webdriver.Chrome, size: tuple[int, int], scheme: str) -> None:
    """With every task open, at two widths and in both schemes: tables scroll by themselves, the page does not."""
    show(opened, size, scheme)
    opened.execute_script("for (const task of document.querySelectorAll('details')) task.open = true")
    assert_fits(opened)
    ground = opened.execute_script("return getComputedStyle(document.body).backgroundColor")
    bright = sum(int(part) for part in ground.removeprefix("rgb(").removesuffix(")").split(",")) > 3 * 128
    assert bright is (scheme == "light")


@pytest.mark.parametrize("size", SIZES)
def test_a_page_with_everything_on_it_fits_too(
    browser: webdriver.Chrome, tmp_path: Path, size: tuple[int, int]
) -> None:
    """Long names, long lines, many exploits, and all that can go wrong."""
    long = "a-name-without-any-end-" * 20
    checks = [
        reports.failed(f"wrong[{long}]", found=long, claim=long, mend=long, excerpt="x" * 2_000),
        reports.broke("stable", reason="y" * 2_000),
        *[reports.check(f"exploit[attempt-{number}]") for number in range(150)],
    ]
    made = reports.report(reports.task(long[:200], checks, title=long, family=long), reports.malformed(long[:300]))
    path = tmp_path / "report.html"
    path.write_text(render_html(made), encoding="utf-8")
    show(browser, size, "light")
    browser.get(path.as_uri())
    browser.execute_script("for (const task of document.querySelectorAll('details')) task.open = true")
    assert_fits(browser)
    assert_no_complaint(browser)


def test_a_task_opens_by_mouse_and_by_keyboard(opened: webdriver.Chrome) -> None:
    """And shows the matrix of its checks."""
    show(opened, SIZES[1], "light")
    assert visible(opened, ".task table") == []
    first, second = opened.find_elements(By.CSS_SELECTOR, ".task > summary")
    first.click()
    (table,) = visible(opened, ".task table")
    assert "wrong[one-more]" in table.text
    second.send_keys(Keys.ENTER)
    assert len(visible(opened, ".task table")) == 2
    first.click()
    assert len(visible(opened, ".task table")) == 1


def test_the_filter_leaves_what_was_asked_for(opened: webdriver.Chrome) -> None:
    """In the list of tasks, in the failing claims and in the grid of exploits, and says how much."""
    show(opened, SIZES[1], "light")
    words = opened.find_element(By.CSS_SELECTOR, "input[type=search]")
    status = opened.find_element(By.CSS_SELECTOR, ".filter [role=status]")
    assert status.text == "All tasks are shown"
    words.send_keys("TINY")
    assert [element.text for element in visible(opened, ".task .name")] == ["tiny-tally"]
    assert [element.text for element in visible(opened, ".grid tbody th")] == ["tiny-tally"]
    assert visible(opened, ".failure") == []
    assert status.text == "1 of 2 tasks are shown"
    words.send_keys(" nothing")
    assert visible(opened, ".task") == []
    assert visible(opened, "#no-match")
    words.send_keys(Keys.CONTROL, "a")
    words.send_keys(Keys.BACKSPACE)
    words.send_keys(Keys.ENTER)  # which sends no form anywhere
    Select(opened.find_element(By.CSS_SELECTOR, "select")).select_by_value("failed")
    assert [element.text for element in visible(opened, ".task .name")] == ["fails-wrong"]
    assert len(visible(opened, ".failure")) == 1
    Select(opened.find_element(By.CSS_SELECTOR, "select")).select_by_value("")
    assert len(visible(opened, ".task")) == 2


def test_the_command_is_copied(opened: webdriver.Chrome) -> None:
    """All of it, and the page says so."""
    show(opened, SIZES[1], "light")
    command = opened.find_element(By.CSS_SELECTOR, ".failure .command")
    wanted = command.find_element(By.TAG_NAME, "code").text
    assert wanted.startswith("pytest --gobench-tasks 'tasks/fails-wrong/task.json::wrong[one-more]'")
    command.find_element(By.TAG_NAME, "button").click()
    WebDriverWait(opened, 5).until(lambda _: command.find_element(By.CSS_SELECTOR, "[role=status]").text)
    assert command.find_element(By.TAG_NAME, "button").text.startswith("Copied")
    words = opened.find_element(By.CSS_SELECTOR, "input[type=search]")
    words.send_keys(Keys.CONTROL, "v")
    assert words.get_attribute("value") == wanted.replace("\n", " ")


def test_the_links_lead_to_places_on_the_page(opened: webdriver.Chrome) -> None:
    """By keyboard: the first stop leads past the head of the page, and every stop is seen."""
    show(opened, SIZES[0], "dark")
    opened.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    stop = opened.switch_to.active_element
    assert stop.text == "Skip to the report"
    assert stop.value_of_css_property("outline-style") == "solid"
    for link in opened.find_elements(By.CSS_SELECTOR, "nav a"):
        link.send_keys(Keys.ENTER)
        target = opened.execute_script("return document.querySelector(':target').id")
        assert str(link.get_attribute("href")).endswith(f"#{target}")


def test_without_script_everything_is_there(browser: webdriver.Chrome, page: Path) -> None:
    """The filter and the buttons, which would do nothing, are not."""
    show(browser, SIZES[1], "light")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(page.as_uri())
        assert len(visible(browser, ".task")) == 2
        assert len(visible(browser, ".failure")) == 1
        assert visible(browser, ".grid table")
        assert visible(browser, ".filter") == []
        assert visible(browser, ".command button") == []
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_a_script_that_gets_into_the_page_is_not_run(browser: webdriver.Chrome, page: Path, tmp_path: Path) -> None:
    """The content security policy is the second wall behind the escaping."""
    hostile = page.read_text(encoding="utf-8").replace("<main", "<script>document.title = 'won'</script><main", 1)
    (tmp_path / "report.html").write_text(hostile, encoding="utf-8")
    browser.get((tmp_path / "report.html").as_uri())
    assert browser.title != "won"
    (complaint,) = browser.get_log("browser")  # type: ignore[no-untyped-call]
    assert "Content Security Policy" in complaint["message"]


def test_a_large_suite_stays_quick(browser: webdriver.Chrome, tmp_path: Path) -> None:
    """200 tasks of 30 checks: filtering takes a tenth of a second and not more, on a machine that is not busy."""
    names = [*reports.PLAIN, *[f"wrong[fix-{n}]" for n in range(12)], *[f"exploit[attempt-{n}]" for n in range(12)]]
    tasks = [reports.task(f"task-{n}", [reports.check(name) for name in names]) for n in range(200)]
    path = tmp_path / "report.html"
    path.write_text(render_html(reports.report(*tasks)), encoding="utf-8")
    show(browser, SIZES[1], "light")
    browser.get(path.as_uri())
    milliseconds = browser.execute_script(
        """
        const words = document.querySelector("input[type=search]"), begin = performance.now();
        for (const text of ["task-1", "task-19", ""]) {
          words.value = text;
          words.dispatchEvent(new Event("input", {bubbles: true}));
          document.body.getBoundingClientRect();
        }
        return (performance.now() - begin) / 3;
        """
    )
    assert milliseconds < 1_000  # ten times what it takes, as tests run beside each other
    assert_no_complaint(browser)


def test_a_missing_driver_skips_unless_a_browser_is_required(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that CI cannot pass for want of one."""
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("GOBENCH_BROWSER", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no chromedriver here"):
        program("chromedriver")
    monkeypatch.setenv("GOBENCH_BROWSER", "1")
    with pytest.raises(pytest.fail.Exception, match="apt-get install"):
        program("chromedriver")
