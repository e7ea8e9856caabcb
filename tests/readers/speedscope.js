// speedscope.js FILE - opens FILE in speedscope, in a browser without a window, and prints what that
// exports of it: JSON of speedscope's own format. Standard error has what the application says of the
// import, among it the format that it has recognised.
const fs = require("fs");
const http = require("http");
const path = require("path");
const { chromium } = require("playwright-core");

const APPLICATION = path.join(__dirname, "node_modules/speedscope/dist/release");
const PATIENCE_MS = 120000;	// for a hang, not for speed
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css" };

function serve(request, reply)
{
	const name = new URL(request.url, "http://localhost").pathname;
	const file = name === "/profile" ? process.argv[2]
		   : path.join(APPLICATION, name === "/" ? "index.html" : path.basename(name));

	fs.readFile(file, (error, bytes) => {
		const type = TYPES[path.extname(file)] || "application/octet-stream";

		reply.writeHead(error ? 404 : 200, { "content-type": type });
		reply.end(bytes);
	});
}

// An error is shown on the page, or by a dialog when no format is recognised.
function failure(page)
{
	const dialog = page.waitForEvent("dialog", { timeout: PATIENCE_MS })
		.then(async shown => { await shown.dismiss(); throw new Error(shown.message()); });
	const error = page.getByText("Something went wrong").waitFor({ timeout: PATIENCE_MS })
		.then(() => { throw new Error("speedscope can't read it"); });
	const first = Promise.race([dialog, error]);

	// The page may be closed before either comes.
	for (const waiting of [dialog, error, first])
		waiting.catch(() => {});
	return first;
}

async function exported(page, address)
{
	const failed = failure(page);
	let download;

	await page.goto(`${address}/#profileURL=${encodeURIComponent(`${address}/profile`)}`);
	await Promise.race([page.getByText("Left Heavy").waitFor(), failed]);
	download = page.waitForEvent("download");
	await page.keyboard.press("Control+s");
	return fs.readFileSync(await (await download).path(), "utf8");
}

async function main()
{
	const server = http.createServer(serve);
	let browser;

	await new Promise(done => server.listen(0, "127.0.0.1", done));
	// Chromium's own sandbox does not work for root. The page that it opens is ours.
	browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
					  args: ["--no-sandbox"], timeout: PATIENCE_MS });
	try {
		const page = await browser.newPage();

		page.on("console", message => console.error(message.text()));
		page.setDefaultTimeout(PATIENCE_MS);
		process.stdout.write(await exported(page, `http://127.0.0.1:${server.address().port}`));
	} finally {
		await browser.close();
		server.close();
	}
}

main().catch(error => {
	console.error(error.message);
	process.exitCode = 1;
});
