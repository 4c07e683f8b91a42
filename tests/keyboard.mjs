// Walks over a page by the Tab key.
import assert from "node:assert/strict";
import { atRest } from "./browser.mjs";

/** Marks with a number each control of the page that Tab should reach, and returns their texts by number. A group of radio buttons has one stop. */
const stopsOf = (page) =>
  page.evaluate(() => {
    for (const one of document.querySelectorAll("[data-stop]")) delete one.dataset.stop; // of an earlier walk
    const groups = new Set();
    const isStop = (one) => {
      if (one.disabled || one.tabIndex < 0 || !one.checkVisibility({ visibilityProperty: true })) return false;
      if (one.type !== "radio") return true;
      const { name } = one;
      const isChosen = one.checked || !document.querySelector(`[name="${name}"]:checked`);
      return isChosen && !groups.has(name) && !!groups.add(name);
    };
    const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")];
    return all.filter(isStop).map((one, at) => {
      one.dataset.stop = at;
      return one.outerHTML.slice(0, 120);
    });
  });

/** Opens every closed part of the view, and the parts that it contains. */
export async function openAll(page) {
  for (;;) {
    const opened = await page.evaluate(() => {
      const closed = [...document.querySelectorAll("#panel details:not([open]) > summary")];
      for (const summary of closed) summary.click();
      return closed.length;
    });
    if (opened === 0) break;
    await atRest(page);
  }
}

/** The number of the element with focus, and whether it or what stands for it is outlined and inside the window. */
const focused = (page) =>
  page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))); // until the page has scrolled
    const one = document.activeElement;
    const shown = [one, one.parentElement, one.nextElementSibling, one.closest("label")].filter(Boolean);
    const isOutlined = shown.some((each) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
      return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || (each === one && boxShadow !== "none");
    });
    const { top, bottom, left, right } = (one.closest("label") ?? one).getBoundingClientRect();
    return {
      stop: one.dataset.stop,
      isBody: one === document.body,
      isOutlined,
      isInside: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
    };
  });

/** Presses Tab from the first control to the last: each must be reached, with a visible focus inside the window. `name`: the state of the page. */
export async function walkByTab(page, name) {
  const stops = await stopsOf(page);
  await page.keyboard.press("Tab"); // after a press of the mouse the browser shows no focus
  await page.evaluate(() => document.querySelector("[data-stop='0']").focus());
  const seen = new Set();
  for (let presses = 0; presses < stops.length + 10; presses++) {
    const { stop = "a part that scrolls", isOutlined, isInside, isBody } = await focused(page);
    if (isBody || (presses > 0 && stop === "0")) break; // after the last one
    seen.add(stop);
    assert.ok(isOutlined, `${name}: no visible focus at ${stops[stop] ?? stop}`);
    assert.ok(isInside, `${name}: the focus is outside of the window at ${stops[stop] ?? stop}`);
    await page.keyboard.press("Tab");
  }
  const missed = stops.filter((_, at) => !seen.has(String(at)));
  assert.deepEqual(missed, [], `${name}: Tab does not reach`);
}
