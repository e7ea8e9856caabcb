// Code made at run time, which keeps frame pointers, between C++ that does not need them.
function deeper(left) {
	if (left)
		return deeper(left - 1) + 1;
	return [..."quick brown fox"].map(letter => letter.charCodeAt(0) * 3)
		.filter(number => number % 2).reduce((a, b) => a + b, 0);
}

let sum = 0;
while (process.cpuUsage().user < 1e6 * Number(process.argv[2])) {
	for (let i = 0; i < 200; i++)
		sum += deeper(12);
	JSON.parse(JSON.stringify({ numbers: [1, 2, 3], text: "x".repeat(50) }));
	[5, 3, 9].sort((a, b) => a - b);
}
