// Opens reports in a browser: node report.mjs FILE.html..
// Prints one line per mistake; exit status 1 if there is one, 77 if nothing could be
// tested.
import { readFileSync } from "node:fs";
import { need, openBrowser, require } from "./tools.mjs";

need("axe-core");
const axeSource = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const mistakes = [];

function expect(fact, what) {
  if (!fact) mistakes.push(what);
}

async function withPage(browser, file, how, check) {
  const page = await browser.newPage();
  await page.setViewportSize({ width: how.width ?? 1280, height: 900 });
  await page.emulateMedia({
    colorScheme: how.scheme ?? "light",
    media: how.media ?? "screen",
  });
  const name = `${file} (${JSON.stringify(how)})`;
  page.on("console", (said) => {
    if (said.type() === "error") mistakes.push(`${name}: console: ${said.text()}`);
  });
  page.on("pageerror", (error) => mistakes.push(`${name}: ${error.message}`));
  page.on("dialog", async (dialog) => {
    mistakes.push(`${name}: a dialog opened: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith("file:") && !url.startsWith("blob:")) {
      mistakes.push(`${name}: asks for ${url}`);
    }
  });
  await page.goto(`file://${file}`);
  await check(page, name);
  await page.close();
}

async function checkVerdict(page, name) {
  expect(await page.locator("h1 .verdict").isVisible(), `${name}: no verdict`);
  const wide = await page.evaluate(() => {
    return document.documentElement.scrollWidth > window.innerWidth + 1;
  });
  expect(!wide, `${name}: the page is wider than the window`);
}

async function checkSteps(page, name) {
  const run = page.locator(".run").first();
  if ((await run.count()) === 0) return;
  const count = Number(await run.getAttribute("data-steps"));
  await run.locator(".lanesbox").focus();
  const said = () => run.locator(".where").textContent();
  for (const [key, step] of [
    ["ArrowRight", 1],
    ["ArrowRight", Math.min(2, count)],
    ["ArrowLeft", 1],
    ["End", count],
    ["Home", 1],
  ]) {
    await page.keyboard.press(key);
    const words = await said();
    expect(words === `step ${step} of ${count}`, `${name}: ${key} leads to '${words}'`);
  }
  expect(
    (await run.locator("li.now").count()) === 1,
    `${name}: one step is the current one`,
  );
  expect(
    (await run.locator("li.future").count()) === count - 1,
    `${name}: the others are to come`,
  );
  const states = await run.locator(".state").count();
  if (states > 0) {
    const shown = await run.locator(".state:visible").count();
    expect(shown <= 1, `${name}: ${shown} states are visible at once`);
  }
  await page.keyboard.press("End");
  expect((await run.locator("li.future").count()) === 0, `${name}: nothing is to come`);
}

async function checkAccessibility(page, name) {
  // Our own policy forbids other scripts, so it comes by the debugger.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axeSource });
  const answer = await session.send("Runtime.evaluate", {
    expression:
      "axe.run(document, {resultTypes: ['violations']}).then(r => " +
      "JSON.stringify(r.violations.map(v => [v.impact, v.id, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary])))",
    awaitPromise: true,
    returnByValue: true,
  });
  if (answer.exceptionDetails) {
    mistakes.push(`${name}: axe does not run: ${answer.exceptionDetails.text}`);
    return;
  }
  for (const [impact, id, where, why] of JSON.parse(answer.result.value)) {
    mistakes.push(`${name}: axe: ${impact} ${id}: ${where}: ${why}`);
  }
}

async function checkDark(browser, file) {
  const grounds = [];
  for (const scheme of ["light", "dark"]) {
    await withPage(browser, file, { scheme }, async (page, name) => {
      grounds.push(
        await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
      );
      await checkAccessibility(page, name);
    });
  }
  expect(grounds[0] !== grounds[1], `${file}: dark is as light`);
}

async function checkPrint(browser, file) {
  await withPage(browser, file, { media: "print" }, async (page, name) => {
    expect(await page.locator("h1").isVisible(), `${name}: no verdict on paper`);
    expect(
      (await page.locator("button:visible").count()) === 0,
      `${name}: buttons are printed`,
    );
    const steps = await page.locator("li.step").count();
    const seen = await page.locator("li.step:visible").count();
    expect(steps === seen, `${name}: ${seen} of ${steps} steps are printed`);
  });
}

/** Marks a finding, saves the page, and opens what was saved. */
async function checkTriage(browser, file) {
  let saved = null;
  await withPage(browser, file, {}, async (page, name) => {
    if ((await page.locator("form.triage").count()) === 0) return;
    await page.locator("form.triage select").first().selectOption("accepted");
    await page.locator("form.triage input").first().fill('as <b>"agreed"</b> & signed');
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("#save").click(),
    ]);
    saved = await download.path();
    const text = readFileSync(saved, "utf8");
    const data = text.split('id="txscope-findings">')[1].split("</script>")[0];
    const first = JSON.parse(data).findings[0];
    expect(first.mark === "accepted", `${name}: the mark is not saved`);
    expect(
      first.note === 'as <b>"agreed"</b> & signed',
      `${name}: the note is ${first.note}`,
    );
  });
  if (saved === null) return;
  const { copyFileSync } = await import("node:fs");
  const copy = file.replace(/\.html$/, ".saved.html");
  copyFileSync(saved, copy);
  await withPage(browser, copy, {}, async (page, name) => {
    const value = await page.locator("form.triage select").first().inputValue();
    expect(value === "accepted", `${name}: opens with mark '${value}'`);
    await checkSteps(page, name);
  });
}

/** Without script everything can be read; nothing that needs one is there. */
async function checkWithoutScript(browser, file) {
  const { chromium } = require("playwright-core");
  const { browserPath } = await import("./tools.mjs");
  const plain = await chromium.launch({
    executablePath: browserPath(),
    args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
  });
  const context = await plain.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`file://${file}`);
  expect(
    await page.locator("h1 .verdict").isVisible(),
    `${file}: no verdict without script`,
  );
  expect((await page.locator("button:visible").count()) === 0, `${file}: dead buttons`);
  const steps = await page.locator("li.step").count();
  const seen = await page.locator("li.step:visible").count();
  expect(steps === seen, `${file}: ${seen} of ${steps} steps without script`);
  await plain.close();
}

/** Cells that a step has changed are marked while that step is shown. */
async function checkMarks(page, name) {
  const run = page.locator(".run:has(.state mark)").first();
  if ((await run.count()) === 0) return;
  const steps = Number(await run.getAttribute("data-steps"));
  await run.locator(".lanesbox").focus();
  let seen = 0;
  await page.keyboard.press("Home");
  for (let i = 0; i < steps; ++i) {
    seen += await run.locator(".state.shown mark:visible").count();
    await page.keyboard.press("ArrowRight");
  }
  expect(seen > 0, `${name}: no changed cell is marked at any step`);
}

/** Rows grow with their texts, not with the arrows that cross them. */
async function checkArrows(page, name) {
  const tall = await page.evaluate(() => {
    return [...document.querySelectorAll("li.step:not(.wait)")].filter((step) => {
      const card = step.querySelector(".card");
      const range = document.createRange();
      range.selectNodeContents(card);
      return step.clientHeight > 2 * range.getBoundingClientRect().height + 20;
    }).length;
  });
  expect(tall === 0, `${name}: ${tall} steps are much taller than their text`);
}

/** Variables of a protocol can be filtered. */
async function checkVariables(page, name) {
  const input = page.locator("input.variables").first();
  if ((await input.count()) === 0) return;
  const rows = page.locator(".run .state:visible tbody tr:visible");
  const before = await rows.count();
  const first = await rows.first().locator("td").first().textContent();
  await input.fill(first);
  const after = await rows.count();
  expect(after >= 1 && after < before, `${name}: ${after} of ${before} variables`);
  await input.fill("");
  expect((await rows.count()) === before, `${name}: variables do not come back`);
}

/** A history can be searched. */
async function checkSearch(page, name) {
  const section = page.locator(".overview").first();
  if ((await section.count()) === 0) return;
  const first = await section.evaluate((element) => {
    return JSON.parse(document.getElementById(element.dataset.index).textContent)[0][0];
  });
  await section.locator(".findtxn").fill(first);
  expect(
    (await section.locator(".found").textContent()).includes(first),
    `${name}: does not find ${first}`,
  );
}

const browser = await openBrowser();
for (const file of process.argv.slice(2)) {
  for (const width of [400, 1280, 2560]) {
    await withPage(browser, file, { width }, async (page, name) => {
      await checkVerdict(page, name);
      if (width === 1280) {
        await checkArrows(page, name);
        await checkSteps(page, name);
        await checkMarks(page, name);
        await checkSearch(page, name);
        await checkVariables(page, name);
      }
    });
  }
  await checkDark(browser, file);
  await checkPrint(browser, file);
  await checkTriage(browser, file);
  await checkWithoutScript(browser, file);
}
await browser.close();
for (const mistake of mistakes) console.log(mistake);
process.exit(mistakes.length === 0 ? 0 : 1);
