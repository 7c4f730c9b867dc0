import { expect, test } from "vitest";

import { charts, summary } from "./series";
import { pieces } from "./spans";

const series = (values: Record<string, (number | null)[]>) => ({ server: "nl-1", step_ms: 1000, at_ms: [0, 1000, 2000], values });

test("what was never measured has no chart, and what belongs together shares one", () => {
  const found = charts(series({ memory_used_share: [0.5, null, 0.7], disk_used_share: [0.2, 0.2, 0.2], cpu_percent: [null, null, null] }));
  expect(found.map(({ lines }) => lines.map(({ name }) => name))).toEqual([["memory_used_share", "disk_used_share"]]);
});

test("a line says its newest, mean and greatest value, gaps left out", () => {
  const [chart] = charts(series({ cpu_percent: [10, null, 30] }));
  expect(chart?.lines.map((line) => summary(line, chart.words))).toEqual(["30%, mean 20%, most 30%"]);
});

test("the strip covers the whole while, and what nobody wrote down is unknown", () => {
  const spans = [{ status: "ok", since_ms: 50, until_ms: 400 }, { status: "blocked", since_ms: 600, until_ms: 800 }, { status: "ok", since_ms: 800 }];
  const found = pieces({ from_ms: 0, to_ms: 1000, spans });
  expect(found.map(({ status, ms }) => [status, ms])).toEqual([["unknown", 50], ["ok", 350], ["unknown", 200], ["blocked", 200], ["ok", 200]]);
  expect(found.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test("a span that began before the while begins with it, and one that is over before it is left out", () => {
  const found = pieces({ from_ms: 1000, to_ms: 2000, spans: [{ status: "down", since_ms: 100, until_ms: 900 }, { status: "ok", since_ms: 900 }] });
  expect(found).toEqual([{ status: "ok", from: 0, share: 1, ms: 1000 }]);
});
