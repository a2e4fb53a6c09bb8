// What the tests of reports share: the packages of build/tools, and the browser.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
export const tools = path.join(root, "build/tools/node_modules");
export const require = createRequire(path.join(tools, "x.js"));

/** Says why nothing can be tested, in a way that the caller knows. */
export function skip(why) {
  console.log(`SKIP ${why}`);
  process.exit(77);
}

export function need(name) {
  try {
    return require(name);
  } catch {
    return skip(`${name} is not installed (scripts/install-report-tools)`);
  }
}

export function browserPath() {
  for (const name of ["chromium", "chromium-browser", "google-chrome"]) {
    try {
      return execFileSync("sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim();
    } catch {
      // the next one
    }
  }
  return skip("no browser is installed (scripts/install-report-tools)");
}

export async function openBrowser() {
  const executablePath = browserPath();
  const { chromium } = need("playwright-core");
  const profile = mkdtempSync(path.join(tmpdir(), "txscope-browser-"));
  return chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    acceptDownloads: true,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
