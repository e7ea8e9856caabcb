/* Decodes profiles with pprof-format: a line of JSON for each.
 *
 * usage: node read_pprof.js FILE.pb.gz...
 */
"use strict";

const fs = require("fs");
const zlib = require("zlib");
const { Profile } = require("pprof-format");

function decode(path) {
	const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(path)));
	const text = (index) => profile.stringTable.strings[Number(index)];
	const type = (of) => [text(of.type), text(of.unit)];
	const functions = new Map(profile.function.map((of) => [of.id, {
		name: text(of.name), raw_name: text(of.systemName), file: text(of.filename),
		first_line: Number(of.startLine),
	}]));
	const mappings = new Map(profile.mapping.map((of) => [of.id, {
		file: text(of.filename), build_id: text(of.buildId),
		begin: of.memoryStart.toString(), end: of.memoryLimit.toString(),
		has_all: of.hasFunctions && of.hasFilenames && of.hasLineNumbers &&
			of.hasInlineFrames,
	}]));
	const locations = new Map(profile.location.map((of) => [of.id, {
		address: of.address.toString(), mapping: mappings.get(of.mappingId),
		lines: of.line.map((line) => ({
			...functions.get(line.functionId), line: Number(line.line),
		})),
	}]));
	const label = (of) => [text(of.key), of.str ? text(of.str) : Number(of.num)];

	return {
		first_string: text(0), locations: locations.size,
		has_zero_id: locations.has(0) || functions.has(0) || mappings.has(0),
		types: profile.sampleType.map(type), default_type: text(profile.defaultSampleType),
		period_type: type(profile.periodType), period: Number(profile.period),
		duration_ns: Number(profile.durationNanos), time_ns: Number(profile.timeNanos),
		comments: profile.comment.map(text), mappings: [...mappings.values()],
		samples: profile.sample.map((of) => ({
			frames: of.locationId.map((id) => locations.get(id)),
			values: of.value.map((value) => Number(BigInt.asIntN(64, BigInt(value)))),
			labels: of.label.map(label),
		})),
	};
}

for (const path of process.argv.slice(2))
	console.log(JSON.stringify(decode(path)));
