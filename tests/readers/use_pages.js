// use_pages.js FOLDER NAME FILE... - opens pages in a browser without a window. All but the first are
// only looked at; the first is used by mouse and keyboard, NAME being a function in its table. Prints
// what they then show, as JSON; FOLDER gets what the screen shows.
const path = require("path");
const { chromium } = require("playwright-core");

const [folder, wanted, ...files] = process.argv.slice(2);
const PATIENCE_MS = 120000;	// for a hang, not for speed

// Runs in the page: what is seen of it.
function readPage()
{
	const text = selector => (document.querySelector(selector) || { textContent: "" }).textContent;
	const rows = [...document.querySelectorAll("tbody tr")];
	const focus = document.activeElement;

	return {
		title: document.title,
		facts: [...document.querySelectorAll("header dl > div")].map(fact =>
			[fact.firstChild.textContent, fact.lastChild.textContent]),
		links: [...document.querySelectorAll("*")].filter(element =>
			element.matches("link, base, iframe, embed, img, form, a, [style]") ||
			element.getAttributeNames().some(name => /^(on|src|href|xlink)/.test(name)))
			.map(element => element.outerHTML.slice(0, 200)),
		command: text("#command"), copied: text("#copied"), cut: text(".cut"),
		count: text(".count"), note: text(".flame-graph .note"), found: text(".found"),
		sorted: [...document.querySelectorAll("th")].map(title =>
			[title.textContent, title.getAttribute("aria-sort")]),
		rows: rows.filter(row => !row.hidden).map(row => [...row.cells].map(cell =>
			cell.title || cell.textContent)),
		selected: rows.filter(row => row.getAttribute("aria-selected") === "true")
			.map(row => row.lastElementChild.textContent),
		focus: focus.localName === "tr" ? focus.lastElementChild.textContent : focus.localName,
		frames: document.querySelectorAll(".frames > g").length,
		hits: [...document.querySelectorAll(".frames > .hit title")].map(title =>
			title.textContent.split("\n")[0]),
		filter: document.querySelector(".filter").value,
		width: document.documentElement.scrollWidth,
		labels: [...document.querySelectorAll(".activity text")].map(label => label.textContent),
		isHarmed: "evil" in window,
	};
}

async function open(browser, file, settings)
{
	const page = await browser.newPage(settings);
	const seen = { requests: [], messages: [], violations: [] };

	page.setDefaultTimeout(PATIENCE_MS);
	page.on("request", request => seen.requests.push(request.url()));
	page.on("console", message => seen.messages.push(message.text()));
	page.on("pageerror", error => seen.messages.push(error.message));
	await page.exposeFunction("sayViolation", directive => seen.violations.push(directive));
	await page.addInitScript(() => document.addEventListener("securitypolicyviolation",
		event => window.sayViolation(event.violatedDirective)));
	await page.goto("file://" + path.resolve(file));
	await page.waitForSelector(".flame-graph");
	return { page, seen };
}

async function use(page)
{
	const steps = {};
	const keep = async name => {
		steps[name] = await page.evaluate(readPage);
		await page.screenshot({ path: path.join(folder, name + ".png") });
	};
	const press = async (...keys) => {
		for (const key of keys)
			await page.keyboard.press(key);
	};
	const row = name => page.locator("tbody tr").filter({
		has: page.locator(`td:last-child:text-is(${JSON.stringify(name)})`) }).first();

	await keep("opened");
	await page.click("th:has-text('Total %') button");
	await keep("by_total");
	await page.click("th:has-text('Total %') button");
	await keep("by_total_up");
	await page.focus("th:has-text('Symbol') button");
	await press("Enter");
	await keep("by_symbol");
	await page.click("th:has-text('Self %') button");

	await page.fill(".filter", "");
	await page.click(".filter");
	await page.keyboard.type("[k]");
	await keep("filtered");
	await press("Escape");
	await keep("unfiltered");
	await page.keyboard.type("no such function");
	await keep("in_vain");
	await press("Escape");

	await page.click("#copy");
	await keep("copied");
	await page.click(".filter");
	await press("Control+v");
	await keep("pasted");
	await press("Escape");
	await page.focus("#copy");
	await press("Enter");

	await row(wanted).click();
	await keep("selected");
	await row(wanted).click();
	await keep("deselected");
	await page.click(".filter");
	await page.keyboard.type(wanted);
	await press("ArrowDown", "Enter");
	await keep("selected_by_keys");
	await press("Escape");
	await keep("left_by_keys");
	await page.click(".filter");
	await press("Escape");
	await press("Enter", "End", "Home", "ArrowDown", "ArrowUp", "ArrowDown");
	await keep("moved");

	await page.locator(".frames > g", { has: page.locator("text") }).first().scrollIntoViewIfNeeded();
	await page.locator(".frames > g").nth(1).locator("rect").click();
	await keep("zoomed");
	await press("Escape");
	await keep("zoomed_out");
	await press("/");
	await page.keyboard.type(wanted);
	await keep("searched");
	await press("Escape");
	await keep("left");
	await row(wanted).click();
	await page.locator(".frames").focus();
	await press("Escape");
	await keep("left_in_graph");
	return steps;
}

// Sizes and colours, on paper, and without scripts.
async function look(browser, file)
{
	const looks = {};

	for (const colorScheme of ["light", "dark"])
		for (const width of [400, 1600]) {
			const { page } = await open(browser, file, { colorScheme,
				viewport: { width, height: 1000 } });
			const name = `${colorScheme}_${width}`;

			looks[name] = await page.evaluate(readPage);
			looks[name].ground = await page.evaluate(() =>
				getComputedStyle(document.documentElement).backgroundColor);
			await page.screenshot({ path: path.join(folder, name + ".png") });
			await page.close();
		}
	const context = await browser.newContext({ javaScriptEnabled: false,
		viewport: { width: 1000, height: 1000 } });
	const page = await context.newPage();
	await page.goto("file://" + path.resolve(file));
	looks.plain = { rows: await page.locator("tbody tr").count(),
		frames: await page.locator(".frames > g").count(),
		hasFilter: await page.locator(".filter").isVisible(),
		hasCopy: await page.locator("#copy").isVisible() };
	await page.screenshot({ path: path.join(folder, "plain.png") });
	await context.close();
	return looks;
}

async function main()
{
	const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium",
		args: ["--no-sandbox"], timeout: PATIENCE_MS });
	const pages = [];
	let steps, looks;

	for (const file of files) {
		const { page, seen } = await open(browser, file, { viewport: { width: 1600, height: 1000 } });

		pages.push({ ...seen, shown: await page.evaluate(readPage) });
		await page.screenshot({ path: path.join(folder, path.basename(file) + ".png") });
		if (file === files[0])
			steps = await use(page);
		await page.close();
	}
	looks = await look(browser, files[0]);
	console.log(JSON.stringify({ pages, steps, looks }));
	await browser.close();
}

main().catch(error => {
	console.error(error);
	process.exit(1);
});
