// node player_test.mjs <rankscope> <folder with node_modules> <chromium> [folder for screenshots]
//
// The HTML player in a real browser: an 8-rank ring allreduce is run, exported and played.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [rankscope, packages, chromium, shots] = process.argv.slice(2);
const { chromium: browserType } = createRequire(join(packages, "package.json"))("playwright-core");

const folder = mkdtempSync(join(tmpdir(), "rankscope-browser-"));
const tests = [];
const test = (name, body) => tests.push({ name, body });

const words = (page, id) => page.locator(`#${id}`).textContent();
const faded = (page) => page.locator(".scene g.ahead[data-id^=m]").evaluateAll(
  (list) => new Set(list.map((g) => g.dataset.id)).size);
const settled = (page, text) => page.waitForFunction(
  (wanted) => document.getElementById("where").textContent.startsWith(wanted) &&
    !document.body.classList.contains("moving"), text);
const shot = async (page, name) => {
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
};

test("at rest it shows everything", async (page) => {
  assert.equal(await words(page, "where"), "All steps");
  assert.equal(await faded(page), 0);
  assert.equal(await page.locator(".scene g[data-id^=m] .way").count(), 112);
  await shot(page, "rest");
});

test("buttons step forwards and backwards", async (page) => {
  await page.click("#forward");
  assert.equal(await words(page, "where"), "Start");
  assert.equal(await faded(page), 112);
  assert.ok(await page.isDisabled("#back"));
  await page.click("#forward");
  await settled(page, "Step 1 of 14");
  assert.equal(await faded(page), 104);
  assert.match(await words(page, "what"), /Every rank sends one of its own chunks to its right neighbour/);
  await page.click("#forward");
  await settled(page, "Step 2 of 14");
  await shot(page, "step-2");
  await page.click("#back");
  assert.match(await words(page, "where"), /^Step 1 of 14/);
  assert.equal(await faded(page), 104);
  await page.click("#last");
  assert.match(await words(page, "where"), /^Step 14 of 14/);
  assert.equal(await faded(page), 0);
  assert.ok(await page.isDisabled("#forward"));
});

test("a chunk travels along its arrow, and a second press hurries it", async (page) => {
  await page.click("#first");
  await page.click("#forward");
  await page.waitForFunction(() => document.querySelectorAll(".chips > *").length === 8);
  await page.waitForTimeout(400);
  await shot(page, "under-way");
  // Both at once: a slow machine would come to the second press after the movement.
  await page.click("#first");
  await page.evaluate(() => {
    const forward = document.getElementById("forward");
    forward.click();
    forward.click();
  });
  assert.match(await words(page, "where"), /^Step 1 of 14/);
  assert.equal(await page.locator(".chips > *").count(), 0);
});

test("keys", async (page) => {
  await page.keyboard.press("Home");
  assert.equal(await words(page, "where"), "Start");
  await page.keyboard.press("PageDown");
  await settled(page, "Step 1 of 14");
  await page.keyboard.press("ArrowRight");
  await settled(page, "Step 2 of 14");
  await page.keyboard.press("ArrowLeft");
  await settled(page, "Step 1 of 14");
  await page.keyboard.press("PageUp");
  await settled(page, "Start");
  await page.keyboard.press("End");
  await settled(page, "Step 14 of 14");
  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  assert.equal(await page.getAttribute("#play", "aria-label"), "Pause");
  await settled(page, "Step 1 of 14");
  await page.keyboard.press("Space");
  assert.equal(await page.getAttribute("#play", "aria-label"), "Play");
});

test("the scrubber goes anywhere, and has marks for the phases", async (page) => {
  await page.locator("#scrubber").fill("9");
  assert.match(await words(page, "where"), /^Step 9 of 14/);
  assert.match(await words(page, "what"), /^allgather: /);
  assert.equal(await faded(page), 40);
  assert.deepEqual(await page.locator("#marks span").allTextContents(), ["reduce-scatter", "allgather"]);
  await page.locator("#scrubber").focus();
  await page.keyboard.press("ArrowRight");
  await settled(page, "Step 10 of 14");
});

test("pointer and keyboard tell a message's story", async (page) => {
  await page.locator(".scene g[data-id=m3] .pill").last().hover();
  await page.waitForSelector("#tip:not([hidden])");
  assert.match(await words(page, "tip"), /^rank \d sends chunk \d to rank \d/);
  await shot(page, "hover");
  await page.mouse.move(2, 2);
  await page.waitForSelector("#tip", { state: "hidden" });
  for (let i = 0; i < 20 && (await page.isHidden("#tip")); ++i) await page.keyboard.press("Tab");
  assert.ok(await page.isVisible("#tip"), "a group can be reached with the tabulator key");
  const before = await words(page, "tip");
  await page.keyboard.press("ArrowDown");
  assert.notEqual(await words(page, "tip"), before);
  assert.ok(await page.evaluate(() => document.activeElement.getAttribute("aria-label")));
  await page.keyboard.press("Escape");
  assert.ok(await page.isHidden("#tip"));
});

test("light and dark", async (page) => {
  const colors = () => page.evaluate(() => [
    getComputedStyle(document.body).backgroundColor,
    getComputedStyle(document.querySelector(".scene text")).fill,
    getComputedStyle(document.querySelector(".scene .f-chunk-2")).fill]);
  await page.emulateMedia({ colorScheme: "light" });
  const light = await colors();
  await page.click("#theme");
  const dark = await colors();
  assert.notEqual(dark[0], light[0]);
  assert.notEqual(dark[1], light[1]);
  assert.equal(dark[2], light[2], "a chunk keeps its colour");
  await page.locator("#scrubber").fill("5");
  await shot(page, "dark");
  await page.click("#theme");
  assert.deepEqual(await colors(), light);
  await page.reload();
  await page.emulateMedia({ colorScheme: "dark" });
  assert.deepEqual(await colors(), dark, "at first as the system has it");
});

test("on paper: everything, light, no controls", async (page) => {
  await page.locator("#scrubber").fill("3");
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.ok(await page.isHidden("footer"));
  const [background, opacities] = await page.evaluate(() => [
    getComputedStyle(document.body).backgroundColor,
    [...document.querySelectorAll(".scene g[data-id]")].map((g) => getComputedStyle(g).opacity)]);
  assert.equal(background, "rgb(255, 255, 255)");
  await page.waitForFunction(() => [...document.querySelectorAll(".scene g[data-id]")].every(
    (g) => getComputedStyle(g).opacity === "1"));
  assert.ok(opacities.length > 0);
  await shot(page, "print");
});

test("a narrow screen does not scroll sideways", async (page) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.locator("#scrubber").fill("6");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.waitForTimeout(500);
  await shot(page, "phone");
});

test("a page with the address of a step opens there", async (page) => {
  await page.goto(`${page.url().split("#")[0]}#step-4`);
  await page.reload();
  assert.match(await words(page, "where"), /^Step 4 of 14/);
});

// ---- Run them -----------------------------------------------------------------------------------

let failures = 0, browser;
try {
  const trace = join(folder, "ring.rankscope"), file = join(folder, "ring.html");
  execFileSync(rankscope, ["run", "allreduce.ring", "-n", "8", "-o", trace, "--quiet"]);
  execFileSync(rankscope, ["export", trace, "-o", file, "--quiet"]);
  assert.ok(statSync(file).size < 300_000, `${statSync(file).size} bytes are too many`);
  // The browser's own sandbox needs rights that containers do not give.
  browser = await browserType.launch({ executablePath: chromium, args: ["--no-sandbox"] });
  for (const { name, body } of tests) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
    const page = await context.newPage();
    const complaints = [];
    page.on("console", (m) => ["error", "warning"].includes(m.type()) && complaints.push(m.text()));
    page.on("pageerror", (e) => complaints.push(String(e)));
    page.on("request", (r) => r.url().startsWith("file:") || complaints.push(`request: ${r.url()}`));
    try {
      page.setDefaultTimeout(300000);
      await page.goto(pathToFileURL(file).href);
      await body(page);
      assert.deepEqual(complaints, []);
      console.log(`ok: ${name}`);
    } catch (error) {
      ++failures;
      console.error(`FAILED: ${name}\n${error.stack}\n${complaints.join("\n")}`);
    }
    await context.close();
  }
} finally {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failures ? 1 : 0);
