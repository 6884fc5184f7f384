"""The page in a real browser: every method, forwards and backwards, at two widths; links, points, code, pictures."""

import base64
import json
import struct

import pytest

from spinney.lab.methods import METHODS, PRESETS
from tests.browser import Browser, find_browser
from tests.compiled import slow
from tests.lab.test_steps import SMALL

pytestmark = pytest.mark.skipif(find_browser() is None, reason="there is no Chromium to open the page in")
READY = "document.body && document.body.dataset.ready"
FEW = ["tree", "boosting", "kmeans"]  # planes, curves and tables; test_steps.py has the steps of all methods
COUNT = "document.getElementById('count').textContent"


@pytest.fixture(scope="module")
def browser():
    found = Browser()
    yield found
    found.close()


@pytest.fixture
def page(browser, server):
    """Opens a step; afterwards nothing must have been complained about."""

    def open_at(link):
        browser.open(f"{server.address}#{link}")
        browser.wait(READY)
        return browser

    browser.errors.clear()
    browser.resize(1280, 900)
    browser.dark(False)
    yield open_at
    assert browser.errors == []


def again(browser, script):
    """Do something that makes the page ask for steps, and wait for them."""
    browser.run(f"document.body.dataset.ready = ''; {script}")
    browser.wait(READY)


def is_wide(browser):
    return browser.run("document.documentElement.scrollWidth > document.documentElement.clientWidth")


DRAWN = """(() => [...document.querySelectorAll('#panels canvas')].map((canvas) => {
  const { data, width, height } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const pixels = new Uint32Array(data.buffer), colours = new Map(), rows = new Set();
  pixels.forEach((one, at) => {
    if (!one) return;
    colours.set(one, (colours.get(one) ?? 0) + 1);
    rows.add(Math.floor(at / width));
  });
  return { colours: [...colours.values()].filter((n) => n > 3).length, rows: rows.size / height };
}))()"""


def check_canvases(browser):
    """Every canvas has lines and labels from top to bottom, in several colours."""
    for one in browser.run(DRAWN):
        assert one["colours"] >= 5, one  # frame, grid, text, and what is shown
        assert one["rows"] > 0.6, one


def test_a_canvas_without_its_data_is_noticed(page):
    """The check above can fail: of a plane whose points, regions and axes are gone."""
    browser = page("m=tree&s=1")
    check_canvases(browser)
    browser.run("document.querySelectorAll('#panels canvas').forEach((one) => { one.width = one.width; })")
    with pytest.raises(AssertionError, match="colours"):
        check_canvases(browser)


def test_pictures_change_with_the_step_and_use_the_width(page):
    browser = page("m=tree&s=10")
    before = browser.run("document.querySelector('#panels canvas').toDataURL()")
    again(browser, "location.hash = 'm=tree&s=0'")
    assert browser.run("document.querySelector('#panels canvas').toDataURL()") != before
    for method in ("tree", "voting", "boosting"):
        again(browser, f"location.hash = 'm={method}&s=0'")
        right = "(e) => e.getBoundingClientRect().right"
        ends = browser.run(f"[...document.querySelectorAll('#panels figure')].map({right})")
        assert max(ends) == pytest.approx(browser.run(f"({right})(document.getElementById('panels'))"), abs=2)


def test_points_and_regions_have_the_colours_of_their_classes(page):
    browser = page("m=tree&s=0")
    found = browser.run("""import('/draw.js').then((draw) => {
      const canvas = document.createElement('canvas'), half = 96 * 48;
      const look = { ...draw.themeColours(), card: '#ffffff', classes: ['#ff0000', '#0000ff'] };
      const table = { ranges: [[0, 1], [0, 1]], names: ['a', 'b'], points: { x: [0.25], y: [0.75], class: [1] } };
      const f = draw.drawPlane(canvas, { kind: 'plane', region: [half, 7, half, 15] }, table, look, 400, false);
      const r = window.devicePixelRatio, c = canvas.getContext('2d');
      const at = (x, y) => [...c.getImageData(f.x(x) * r, f.y(y) * r, 1, 1).data];
      return [at(0.25, 0.75), at(0.5, 0.9), at(0.5, 0.1)];
    })""")
    assert found[0] == [0, 0, 255, 255]  # the row
    assert [one.index(max(one[:3])) for one in found[1:]] == [2, 0]  # the upper half is the second class's
    assert found[1] != found[2]


def test_every_control_has_a_name(page):
    browser = page("m=tree")
    browser.call("Accessibility.enable")
    nodes = browser.call("Accessibility.getFullAXTree")["nodes"]
    roles = {"slider", "button", "combobox", "textbox", "spinbutton", "checkbox"}
    named = [
        (one["role"]["value"], one.get("name", {}).get("value", "")) for one in nodes if one["role"]["value"] in roles
    ]
    assert {("slider", "maximum depth"), ("slider", "rows"), ("slider", "noise"), ("slider", "Step")} <= set(named)
    assert [one for one in named if not one[1].strip()] == []
    browser.call("Accessibility.disable")


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (400, 800)])
def test_errors_and_results_are_in_sight(page, width, height):
    browser = page("m=tree")
    browser.resize(width, height)
    inside = "(() => { const r = document.getElementById('%s').getBoundingClientRect(); "
    inside += "return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight; })()"
    browser.wait("document.getElementById('settings').open === (innerWidth > 860)")  # the page folds it when narrow
    browser.run("settings.open = true; own.open = true")
    for bad, button, words in (
        ("csv.value = 'a,b'", "use", "The table has a header but no rows"),
        ("x.value = ''", "add", "A point needs two numbers"),
    ):
        browser.run(f"{bad}; document.getElementById('{button}').scrollIntoView({{ block: 'center' }})")
        browser.run(f"document.getElementById('{button}').click()")
        browser.wait(f"document.getElementById('error').textContent.startsWith('{words}')")
        assert browser.run(inside % "error")
    rows = "".join(f"{i},{(i * 7) % 11},{'a' if i % 3 else 'b'}\\n" for i in range(30))
    again(browser, f"csv.value = 'x,y,kind\\n{rows}'; use.scrollIntoView(); use.click()")
    assert browser.run(inside % "sentence")
    assert browser.run("document.getElementById('error').hidden")


@pytest.mark.parametrize("method", [*FEW, *slow(one for one in METHODS if one not in FEW)])
def test_every_method_forwards_and_backwards(page, method):
    chosen = "".join(f"&p.{name}={value}" for name, value in SMALL[method].get("params", {}).items())
    browser = page(f"m={method}{chosen}")
    first = browser.run("document.getElementById('sentence').textContent")
    assert browser.run("document.getElementById('error').textContent") == ""
    n = int(browser.run(COUNT).split()[-1])
    assert browser.run(COUNT) == f"step 1 of {n}"
    for _ in range(n - 1):
        browser.press("ArrowRight")
    assert browser.run(COUNT) == f"step {n} of {n}"
    assert not is_wide(browser)
    assert browser.run("document.querySelectorAll('#panels canvas, #panels table').length") > 0
    check_canvases(browser)
    browser.resize(400, 800)
    assert not is_wide(browser)
    browser.press("ArrowLeft")
    assert browser.run(COUNT) == f"step {n - 1} of {n}"
    browser.press("Home")
    assert browser.run("document.getElementById('sentence').textContent") == first
    browser.press("End")
    assert browser.run(COUNT) == f"step {n} of {n}"
    assert browser.run("document.getElementById('error').hidden")


def test_a_step_is_a_link(page, server):
    browser = page("m=tree&t=circles&s=3&p.max_depth=2&q.noise=0.1&add=0.5,0.5,1")
    said = browser.run("document.getElementById('sentence').textContent")
    assert browser.run(COUNT).startswith("step 4 of")
    link = browser.run("location.hash")
    assert "s=3" in link
    assert "token" not in browser.run("location.href")  # a link gives no token away
    again(browser, "document.querySelector('[data-name=kmeans]').click()")
    assert browser.run("document.querySelector('[data-name=kmeans]').getAttribute('aria-pressed')") == "true"
    again(browser, f"location.hash = {json.dumps(link)}")
    assert browser.run("document.getElementById('sentence').textContent") == said
    assert browser.run("document.querySelector('[data-param=max_depth]').value") == "2"


def test_points_are_added_by_clicks_and_by_typing(page):
    browser = page("m=tree&p.max_depth=1")
    rows = "document.getElementById('note').textContent"
    assert browser.run(rows) == "150 rows."
    box = browser.run("JSON.stringify(document.querySelector('#panels canvas').getBoundingClientRect())")
    box = json.loads(box)
    browser.run("document.body.dataset.ready = ''")
    browser.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 3)
    browser.wait(READY)
    assert browser.run(rows) == "151 rows."
    again(browser, "x.value = '0.5'; y.value = '-1'; document.getElementById('class').value = '1'; add.click()")
    assert browser.run(rows) == "152 rows."
    assert "0.5%2C-1%2C1" in browser.run("location.hash")
    again(browser, "document.getElementById('undo').click()")
    again(browser, "document.getElementById('clear').click()")
    assert browser.run(rows) == "150 rows."
    browser.run("x.value = ''; add.click()")
    assert browser.run("document.getElementById('error').textContent") == "A point needs two numbers."


@pytest.mark.slow
def test_lecture_examples_set_method_table_and_parameters(page):
    browser = page("m=tree")
    preset = "document.getElementById('preset')"
    choose = f"{preset}.value = {{k}}; {preset}.dispatchEvent(new Event('change'))"
    for k, one in enumerate(PRESETS):
        again(browser, choose.format(k=k))
        link = browser.run("location.hash")
        assert f"m={one.method}&" in link
        assert f"t={one.table}&" in link
        check_canvases(browser)
    assert "At x = 0, the responsibilities are 0.65 and 0.35." in browser.run(
        "document.getElementById('sentence').textContent"
    )


def test_sliders_fit_again(page):
    browser = page("m=boosting&p.n_estimators=2")
    said = browser.run("document.getElementById('sentence').textContent")
    move = "const s = document.querySelector('[data-param=learning_rate]'); s.value = 1; "
    move += "s.dispatchEvent(new Event('input'))"
    browser.press("ArrowRight")
    again(browser, f"(() => {{ {move} }})()")
    assert browser.run(COUNT) == "step 2 of 3"
    assert "and 1 times its prediction" in browser.run("document.getElementById('sentence').textContent") != said


def test_pictures_and_code(page):
    browser = page("m=id3&s=1")
    picture = "import('/page.js').then((page) => page.stepPicture().toDataURL('image/png'))"
    data = base64.b64decode(browser.run(picture).partition(",")[2])
    assert data.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", data[16:24])
    assert width == 2400
    assert height > 800
    browser.run("document.getElementById('code').click()")
    browser.wait("document.getElementById('codeBox').open")
    assert "ID3Classifier(max_depth=8)" in browser.run("document.getElementById('codeText').textContent")
    browser.run("document.getElementById('codeClose').click()")


def test_swiping(page):
    browser = page("m=kmeans")
    browser.resize(400, 800)
    browser.call("Emulation.setTouchEmulationEnabled", enabled=True)
    browser.swipe(300, 420, -150)
    browser.wait(f"{COUNT}.startsWith('step 2 of')")
    browser.swipe(100, 420, 150)
    browser.wait(f"{COUNT}.startsWith('step 1 of')")
    browser.call("Emulation.setTouchEmulationEnabled", enabled=False)
    assert browser.run("document.getElementById('note').textContent") == "150 rows."  # and no point was added


def test_dark_and_light(page):
    browser = page("m=id3")
    colour = "getComputedStyle(document.body).backgroundColor"
    light = browser.run(colour)
    browser.dark(True)
    browser.wait("document.documentElement.dataset.theme === 'dark'")
    assert browser.run(colour) != light
    browser.run("theme.click()")  # from system to dark, to light, and back
    browser.run("theme.click()")
    assert browser.run(colour) == light
    browser.run("theme.click()")
    assert browser.run("theme.textContent") == "Theme: system"


def test_a_table_of_ones_own(page):
    browser = page("m=tree")
    rows = "".join(f"{i % 13},{(i * 7) % 11},{'<i>x</i>' if i % 3 else 'b'}\\n" for i in range(30))
    text = f"<img src=x onerror=alert(1)>,y,kind\\n{rows}"
    again(browser, f"csv.value = '{text}'; use.click()")
    assert browser.run("document.getElementById('note').textContent") == "30 rows."
    assert browser.run("document.querySelectorAll('main img, main i').length") == 0
    assert "<i>x</i>" in browser.run("document.getElementById('legend').textContent")
    link = browser.run("location.hash")
    again(browser, "document.querySelector('[data-name=c45]').click()")
    assert browser.run("document.querySelectorAll('#panels table').length") == 0
    browser.press("ArrowRight")
    assert browser.run("document.querySelectorAll('#panels table').length") == 1
    again(browser, f"location.hash = {json.dumps(link)}")
    assert browser.run("document.getElementById('note').textContent") == "30 rows."
    browser.run("csv.value = 'a,b'; use.click()")
    browser.wait("document.getElementById('error').textContent.startsWith('The table has a header but no rows')")
    browser.errors[:] = [one for one in browser.errors if "400 (Bad Request)" not in one]


@pytest.mark.slow
def test_everything_can_be_reached_by_tab(page):
    browser = page("m=tree")
    name = "(() => { const e = document.activeElement; return e.id || e.dataset.name || e.dataset.param || ''; })()"
    seen = set()
    for _ in range(48):
        browser.press("Tab")
        seen.add(browser.run(name))
    assert {"theme", "tree", "em", "criterion", "table", "x", "add", "copy", "png", "code", "next", "slider"} <= seen
    browser.run("document.getElementById('next').focus()")
    assert browser.run("getComputedStyle(document.getElementById('next')).outlineStyle") != "none"
