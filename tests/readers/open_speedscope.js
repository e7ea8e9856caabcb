/* Opens a profile in speedscope, in a headless chromium, and prints the page's title and what the
 * page says.
 *
 * usage: node open_speedscope.js FILE
 */
"use strict";

const fs = require("fs");
const http = require("http");
const path = require("path");
const { chromium } = require("playwright-core");

const RELEASE = path.join(__dirname, "node_modules/speedscope/dist/release");
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css",
	".wasm": "application/wasm" };
const PATIENCE_MS = 120000;	/* for a hang, not for speed */

/* Serves speedscope and, as /profile, @file. */
function serve(file) {
	return http.createServer((request, response) => {
		const name = decodeURIComponent(request.url.split(/[?#]/)[0]);
		const from = name.startsWith("/profile/") ? file : path.join(RELEASE, path.normalize(name));

		if (!fs.existsSync(from)) {
			response.writeHead(404).end();
			return;
		}
		response.writeHead(200, { "Content-Type": TYPES[path.extname(from)] ||
			"application/octet-stream" });
		response.end(fs.readFileSync(from));
	});
}

async function open(file) {
	const server = serve(file);

	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = `http://127.0.0.1:${server.address().port}`;
	const browser = await chromium.launch({ executablePath: "/usr/bin/chromium",
		args: ["--no-sandbox"] });
	const page = await browser.newPage();
	const name = path.basename(file);

	await page.goto(`${address}/index.html#profileURL=` +
		encodeURIComponent(`${address}/profile/${name}`) + `&title=${name}`);
	await page.waitForFunction(() => document.title.startsWith("(") ||
		document.title.includes("pb") || document.body.innerText.includes("went wrong"), null,
		{ timeout: PATIENCE_MS });
	await page.keyboard.press("3");		/* the sandwich view: a table of functions */
	await page.waitForFunction(() => document.body.innerText.includes("Symbol Name") ||
		document.body.innerText.includes("went wrong"), null, { timeout: PATIENCE_MS });
	console.log(await page.title());
	console.log(await page.evaluate(() => document.body.innerText));
	await browser.close();
	server.close();
}

open(process.argv[2]).catch((error) => {
	console.error(String(error));
	process.exit(1);
});
