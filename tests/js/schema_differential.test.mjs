// Our JSON Schema validator against ajv (2020-12): random schemas and instances from a fixed seed,
// and cases by hand for what chance does not find. HELVE_BUILD names the build folder.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import Ajv2020 from "ajv/dist/2020.js";

const driver = join(process.env.HELVE_BUILD ?? "build/dev", "helve_schema_driver");

// mulberry32
function randomSource(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const random = randomSource(20201202);
const below = (n) => Math.floor(random() * n);
const pick = (list) => list[below(list.length)];
const chance = (p) => random() < p;
const times = (n, make) => Array.from({ length: n }, make);

const names = ["a", "b", "c", "ab", "x-y"];
const types = ["null", "boolean", "integer", "number", "string", "array", "object"];
const patterns = ["^a", "b$", "^[a-c]+$", "\\d", "^.$", "a|b", "^\\w{2,3}$", "^(?!a)", "\\u{e9}"];
const texts = ["", "a", "b", "ab", "abc", "é", "😀", "1", "a1", "x-y", "a\nb"];
const numbers = [0, 1, -1, 2, 3, 4, 6, 0.5, 1.5, -2.5, 10, 1e15, 9007199254740991];

function instance(depth) {
  const kind = below(depth > 0 ? 7 : 5);
  if (kind === 0) return null;
  if (kind === 1) return chance(0.5);
  if (kind <= 3) return kind === 2 ? pick(numbers) : pick(texts);
  if (kind === 4) return pick(texts);
  if (kind === 5) return times(below(4), () => instance(depth - 1));
  return Object.fromEntries(times(below(4), () => [pick(names), instance(depth - 1)]));
}

// Each adds one keyword to the schema.
const keywords = [
  (s) => (s.type = chance(0.7) ? pick(types) : [...new Set([pick(types), pick(types)])]),
  (s) => (s.enum = [...new Set(times(1 + below(3), () => JSON.stringify(instance(1))))].map((t) => JSON.parse(t))),
  (s) => (s.const = instance(1)),
  (s) => (s.minimum = pick(numbers)),
  (s) => (s.maximum = pick(numbers)),
  (s) => (s.exclusiveMinimum = pick(numbers)),
  (s) => (s.exclusiveMaximum = pick(numbers)),
  (s) => (s.multipleOf = pick([1, 2, 3, 0.5, 0.25])),
  (s) => (s.minLength = below(3)),
  (s) => (s.maxLength = below(4)),
  (s) => (s.pattern = pick(patterns)),
  (s) => (s.minItems = below(3)),
  (s) => (s.maxItems = below(4)),
  (s) => (s.uniqueItems = chance(0.8)),
  (s) => (s.minProperties = below(3)),
  (s) => (s.maxProperties = below(4)),
  (s) => (s.required = [...new Set(times(below(3), () => pick(names)))]),
  (s) => (s.dependentRequired = { [pick(names)]: [...new Set(times(below(3), () => pick(names)))] }),
  (s, d) => (s.dependentSchemas = { [pick(names)]: schema(d) }),
  (s, d) => (s.properties = Object.fromEntries(times(1 + below(3), () => [pick(names), schema(d)]))),
  (s, d) => (s.patternProperties = { [pick(patterns)]: schema(d) }),
  (s, d) => (s.additionalProperties = schema(d)),
  (s, d) => (s.propertyNames = schema(d)),
  (s, d) => (s.prefixItems = times(1 + below(2), () => schema(d))),
  (s, d) => (s.items = schema(d)),
  (s, d) => (s.contains = schema(d)),
  (s, d) => Object.assign(s, { contains: schema(d), minContains: below(3) }),
  (s, d) => Object.assign(s, { contains: schema(d), maxContains: 1 + below(2) }),
  (s, d) => (s.allOf = times(1 + below(2), () => schema(d))),
  (s, d) => (s.anyOf = times(1 + below(3), () => schema(d))),
  (s, d) => (s.oneOf = times(1 + below(3), () => schema(d))),
  (s, d) => (s.not = schema(d)),
  (s, d) => Object.assign(s, { if: schema(d), then: schema(d), else: schema(d) }),
  (s, d) => (s.unevaluatedProperties = chance(0.7) ? false : schema(d)),
  (s, d) => (s.unevaluatedItems = chance(0.7) ? false : schema(d)),
  (s) => (s.$ref = `#/$defs/${pick(["one", "two"])}`),
];

function schema(depth) {
  if (depth <= 0) return chance(0.15) ? chance(0.7) : { type: pick(types) };
  const out = {};
  for (let n = 1 + below(3); n > 0; --n) pick(keywords)(out, depth - 1);
  return out;
}

// The definitions refer to nothing, so that no schema turns in a circle.
function withDefinitions(root) {
  if (typeof root === "boolean") return root;
  return { ...root, $defs: { one: schema(0), two: { properties: { a: schema(0) }, prefixItems: [schema(0)] } } };
}

// Where ajv departs from the specification (the test at the end says how), it is not asked.
function departs(document) {
  const text = JSON.stringify(document);
  return (text.includes('"unevaluatedItems"') && text.includes('"contains"')) ||
    (text.includes('"unevaluated') && text.includes('"if"')) || containsBesidePrefix(document);
}

function containsBesidePrefix(value) {
  if (typeof value !== "object" || value === null) return false;
  return ("contains" in value && "prefixItems" in value) || Object.values(value).some(containsBesidePrefix);
}

// One for all, since making one takes long; it caches by schema object, and keeps no $id.
const ajv = new Ajv2020({ strict: false, validateFormats: false, addUsedSchema: false });

function expected(document, value) {
  try {
    return { valid: ajv.compile(document)(value) };
  } catch (error) {
    return { error: error.message };
  }
}

function ours(cases) {
  assert.ok(existsSync(driver), `${driver} is missing: build the target helve_schema_driver`);
  const input = cases.map((c) => JSON.stringify(c) + "\n").join("");
  const run = spawnSync(driver, { input, encoding: "utf8", maxBuffer: 1 << 28 });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout.trim().split("\n").map((line) => JSON.parse(line));
}

function compare(all) {
  const cases = all.filter((c) => !departs(c.schema));
  const answers = ours(cases);
  assert.equal(answers.length, cases.length);
  cases.forEach((c, i) => {
    const want = expected(c.schema, c.instance);
    assert.equal(want.error, undefined, JSON.stringify(c.schema));
    assert.deepEqual(answers[i], { valid: want.valid }, JSON.stringify(c));
  });
  return answers;
}

test("random schemas and instances are decided alike", () => {
  const cases = [];
  for (let n = 0; n < 1500; ++n) {
    const document = withDefinitions(schema(1 + below(3)));
    for (let m = 0; m < 4; ++m) cases.push({ schema: document, instance: instance(3) });
  }
  const answers = compare(cases);
  assert.ok(answers.length > 4000, `${answers.length} were compared`);
  const valid = answers.filter((answer) => answer.valid).length;
  assert.ok(valid > answers.length / 5 && valid < (answers.length * 4) / 5, `${valid} are valid`);
});

test("unevaluated members behind every way to see them are decided alike", () => {
  const ways = [
    (p) => ({ allOf: [p] }),
    (p) => ({ anyOf: [p, { required: ["z"] }] }),
    (p) => ({ oneOf: [p, { required: ["z"] }] }),
    (p) => ({ not: { not: p } }),
    (p) => ({ dependentSchemas: { a: p } }),
    (p) => ({ $ref: "#/$defs/p", $defs: { p } }),
    (p) => p,
  ];
  const parts = [
    { properties: { a: { type: "integer" } }, required: ["a"] },
    { patternProperties: { "^a": true } },
    { additionalProperties: { type: "integer" } },
    { propertyNames: { maxLength: 1 } },
    { unevaluatedProperties: { type: "string" } },
  ];
  const instances = [{}, { a: 1 }, { a: "x" }, { a: 1, b: 1 }, { b: 1 }, { a: "x", c: 1 }, { ab: 1 }, { z: 1 }];
  const cases = [];
  for (const way of ways) {
    for (const part of parts) {
      const document = { ...way(part), unevaluatedProperties: false };
      for (const value of instances) cases.push({ schema: document, instance: value });
    }
  }
  compare(cases);
});

test("unevaluated items are decided alike", () => {
  const parts = [
    { prefixItems: [{ type: "integer" }] },
    { items: { type: "integer" } },
    { allOf: [{ prefixItems: [true] }, { prefixItems: [true, true] }] },
    { anyOf: [{ prefixItems: [{ const: 1 }] }, { prefixItems: [true, { const: 2 }] }] },
  ];
  const instances = [[], [1], ["a"], [1, 2], [1, "a"], ["a", 1], [1, 2, 3], ["a", "b"], [1, 1, "a"]];
  compare(
    parts.flatMap((part) =>
      instances.map((value) => ({ schema: { ...part, unevaluatedItems: false }, instance: value })),
    ),
  );
});

test("references by id, anchor and pointer are decided alike", () => {
  const documents = [
    { $ref: "#/$defs/a~1b/items", $defs: { "a/b": { items: { type: "integer" } } } },
    { $ref: "#/$defs/a%25b", $defs: { "a%b": { type: "integer" } } },
    { $id: "https://example.org/a/b", $ref: "../c", $defs: { x: { $id: "/c", type: "integer" } } },
    { $id: "https://example.org/", $ref: "x#y", $defs: { x: { $id: "x", $defs: { y: { $anchor: "y", type: "integer" } } } } },
    { $ref: "urn:example:x", $defs: { x: { $id: "urn:example:x", type: "integer" } } },
    { $id: "https://example.org/t", properties: { n: { $ref: "#" } }, required: ["v"] },
    {
      $id: "https://example.org/strict", $dynamicAnchor: "node", $ref: "tree", unevaluatedProperties: false,
      $defs: { tree: { $id: "tree", $dynamicAnchor: "node", type: "object",
                       properties: { v: true, n: { $dynamicRef: "#node" } } } },
    },
  ];
  const instances = [1, "x", {}, { v: 1 }, { v: 1, n: { v: 2 } }, { v: 1, n: {} }, { v: 1, n: { w: 2 } }, { w: 1 }];
  compare(documents.flatMap((d) => instances.map((value) => ({ schema: d, instance: value }))));
});

test("what ajv refuses as a schema is refused here too", () => {
  const wrong = [
    { type: "text" }, { type: [] }, { required: "a" }, { minLength: -1 }, { minLength: 1.5 }, { multipleOf: 0 },
    { allOf: [] }, { items: [{}] }, { properties: [] }, { enum: "a" }, { pattern: "(" }, { pattern: "[z-a]" },
    { $ref: "#/$defs/none" }, { $ref: "https://example.org/none" }, { uniqueItems: 1 }, { additionalProperties: 1 },
  ];
  const answers = ours(wrong.map((document) => ({ schema: document, instance: 1 })));
  wrong.forEach((document, i) => {
    assert.notEqual(expected(document, 1).error, undefined, JSON.stringify(document));
    assert.match(answers[i].refused ?? "", /^schema\./, JSON.stringify(document));
  });
});

test("where ajv departs from the specification, the specification counts", () => {
  const cases = [
    // Core, 10.3.1.3: unevaluatedItems knows the items that contains has matched.
    [{ contains: { type: "string" }, unevaluatedItems: false }, ["a"], true],
    [{ contains: { type: "string" }, unevaluatedItems: false }, [1, "a"], false],
    [{ prefixItems: [true], contains: { type: "string" }, unevaluatedItems: false }, [1, "a"], true],
    // Core, 10.3.1.3: contains fails for an empty array, prefixItems beside it or not.
    [{ prefixItems: [true], contains: true }, [], false],
    // Core, 7.7.1.2: a subschema that fails, `if` among them, leaves no annotations.
    [{ if: { additionalProperties: { type: "integer" } }, unevaluatedProperties: false }, { a: "x" }, false],
    [{ if: { additionalProperties: { type: "integer" } }, unevaluatedProperties: false }, { a: 1 }, true],
    [{ if: { properties: { a: { const: 1 } } }, then: { properties: { b: true } }, unevaluatedProperties: false },
     { a: 1, b: 1 }, true],
    [{ if: { prefixItems: [{ const: 1 }] }, then: { prefixItems: [true, true] }, unevaluatedItems: false }, [1, 2], true],
    [{ if: { prefixItems: [{ const: 1 }] }, then: { prefixItems: [true, true] }, unevaluatedItems: false }, [2], false],
  ];
  const answers = ours(cases.map(([document, value]) => ({ schema: document, instance: value })));
  cases.forEach(([document, value, valid], i) => {
    assert.deepEqual(answers[i], { valid }, JSON.stringify([document, value]));
  });
});
