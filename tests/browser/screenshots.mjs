// Photographs reports for people to look at: node screenshots.mjs FOLDER FILE.html..
// Every page at every width, light and dark, in pieces that an eye can take in:
// FOLDER/NAME-1280-dark-2.png is the second screen of NAME.html.
import path from "node:path";
import { openBrowser } from "./tools.mjs";

const WIDTHS = [400, 1280, 2560];
const PIECE = { 400: 1600, 1280: 1400, 2560: 1600 };
const MOST_PIECES = 12;

async function photograph(browser, folder, file, width, scheme) {
  const page = await browser.newPage();
  await page.setViewportSize({ width, height: 900 });
  await page.emulateMedia({ colorScheme: scheme });
  await page.goto(`file://${path.resolve(file)}`);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const pieces = Math.min(Math.ceil(height / PIECE[width]), MOST_PIECES);
  for (let i = 0; i < pieces; ++i) {
    const top = i * PIECE[width];
    await page.screenshot({
      path: path.join(
        folder,
        `${path.basename(file, ".html")}-${width}-${scheme}-${i + 1}.png`,
      ),
      fullPage: true,
      clip: { x: 0, y: top, width, height: Math.min(PIECE[width], height - top) },
    });
  }
  await page.close();
}

const [folder, ...files] = process.argv.slice(2);
const browser = await openBrowser();
for (const file of files)
  for (const width of WIDTHS)
    for (const scheme of ["light", "dark"])
      await photograph(browser, folder, file, width, scheme);
await browser.close();
