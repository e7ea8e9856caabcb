// draw_page.js FILE IMAGE - opens a page or a flame graph in a browser and saves its beginning as a PNG.
const path = require("path");
const { chromium } = require("playwright-core");

const [file, image] = process.argv.slice(2);
const PATIENCE_MS = 120000;	// for a hang, not for speed
const VIEW = { width: 1200, height: 1100 };
const PAGE_HEIGHT = 1560;	// of a page, which goes on below the view

async function main()
{
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox"], timeout: PATIENCE_MS });
	const page = await browser.newPage({ viewport: VIEW, colorScheme: "dark" });

	page.setDefaultTimeout(PATIENCE_MS);
	await page.goto("file://" + path.resolve(file));
	await page.waitForSelector(".frames > g");
	if (file.endsWith(".svg")) {
		await page.screenshot({ path: image });
	} else {
		// The line of keys is at the end of the view: it moves out of the image.
		await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
		await page.evaluate(() => new Promise(done => requestAnimationFrame(() =>
			requestAnimationFrame(done))));
		await page.screenshot({ path: image, fullPage: true,
			clip: { x: 0, y: 0, width: VIEW.width, height: PAGE_HEIGHT } });
	}
	await browser.close();
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
