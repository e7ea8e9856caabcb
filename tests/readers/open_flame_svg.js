// open_flame_svg.js FILE SEARCH [FOLDER] - opens a flame graph in a browser without a window, uses it
// by mouse and keyboard, and prints what it then shows, as JSON. SEARCH: what is searched, which is
// the name of a frame; that is zoomed to as well. FOLDER: gets what the screen shows.
const path = require("path");
const { chromium } = require("playwright-core");

const [file, wanted, folder] = process.argv.slice(2);
const PATIENCE_MS = 120000;	// for a hang, not for speed

// Runs in the page: what is seen of each box that is shown.
function readBoxes()
{
	const texts = element => element.querySelector("title").textContent.split("\n");
	const place = element => {
		const { x, y, width } = element.getBoundingClientRect();
		return { x, y, width };
	};

	return [...document.querySelectorAll(".frames > g:not([display])")].map(g => {
		const text = g.querySelector("text");

		return { title: texts(g), label: text && text.textContent, ...place(g.querySelector("rect")),
			textWidth: text ? text.getBoundingClientRect().width : 0,
			isHit: g.classList.contains("hit"), isQuiet: g.classList.contains("quiet"),
			isChosen: g.classList.contains("chosen") };
	});
}

// Runs in the page: the contrast of each text with what is below it, the least first.
function readContrasts()
{
	const light = colour => {
		const parts = colour.match(/[\d.]+/g).slice(0, 3).map(part => {
			const value = part / 255;
			return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
	};
	const fill = element => light(getComputedStyle(element).fill);
	const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
	const paper = fill(document.querySelector(".paper"));
	const found = [...document.querySelectorAll(".frames > g > text")].map(text =>
		contrast(fill(text), fill(text.parentNode.querySelector("rect"))));

	for (const text of document.querySelectorAll(".head text, .legend text"))
		found.push(contrast(fill(text), paper));
	return { paper, least: Math.min(...found) };
}

const readState = () => ({
	found: document.querySelector(".found").textContent,
	name: document.querySelector(".detail .name").textContent,
	numbers: document.querySelector(".detail .numbers").textContent,
	hasReset: !document.querySelector(".reset").disabled,
	isInFrames: document.activeElement === document.querySelector(".frames"),
	pageWidth: document.documentElement.scrollWidth,
	framesWidth: document.querySelector(".frames").getBoundingClientRect().width,
});

async function main()
{
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox"], timeout: PATIENCE_MS });
	const page = await browser.newPage({ viewport: { width: 1600, height: 900 },
		colorScheme: "light" });
	const requests = [], messages = [], steps = {};
	const middle = box => [box.x + box.width / 2, box.y + 8];
	const find = async name => (await page.evaluate(readBoxes)).find(box => box.title[0] === name);
	const keep = async name => {
		steps[name] = { boxes: await page.evaluate(readBoxes), ...await page.evaluate(readState) };
		if (folder)
			await page.screenshot({ path: path.join(folder, name + ".png") });
	};

	page.setDefaultTimeout(PATIENCE_MS);
	page.on("request", request => requests.push(request.url()));
	page.on("console", message => messages.push(message.text()));
	page.on("pageerror", error => messages.push(error.message));
	await page.goto("file://" + path.resolve(file));
	await page.waitForSelector(".flame-graph.ready")
		.catch(() => { throw new Error("the script did not start: " + messages.join("; ")); });
	await keep("opened");
	steps.light = await page.evaluate(readContrasts);

	await page.mouse.move(...middle(await find(wanted)));
	await keep("pointed");
	await page.mouse.click(...middle(await find(wanted)));
	await keep("clicked");
	await page.keyboard.press("Escape");
	await keep("out");

	await page.keyboard.press("/");
	await page.keyboard.type(wanted);
	await keep("searched");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Control+f");
	await page.keyboard.type("no such frame");
	await keep("vain");
	await page.keyboard.press("Escape");
	await page.keyboard.press("Escape");	// no frame is chosen now

	await page.evaluate(() => document.activeElement.blur());
	for (let i = 0; i < 10 && !(await page.evaluate(readState)).isInFrames; i++)
		await page.keyboard.press("Tab");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await keep("moved");
	await page.keyboard.press("Enter");
	await keep("entered");
	await page.keyboard.press("Backspace");
	await keep("back");
	await page.keyboard.press("o");
	await keep("turned");
	await page.keyboard.press("o");
	await page.mouse.click(...middle(await find(wanted)));
	await page.click(".reset");
	await keep("reset");

	await page.emulateMedia({ colorScheme: "dark" });
	steps.dark = await page.evaluate(readContrasts);
	await keep("darkened");
	await page.setViewportSize({ width: 400, height: 900 });
	await page.waitForFunction(() =>
		document.querySelector(".frames").getBoundingClientRect().width < 400);
	await keep("narrow");
	console.log(JSON.stringify({ requests, messages, steps }));
	await browser.close();
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
