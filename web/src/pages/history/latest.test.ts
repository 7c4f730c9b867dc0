import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Latest } from "./latest";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function slider() {
  const came: string[] = [];
  const failed: string[] = [];
  const latest = new Latest<string>(100, (value) => came.push(value), (error) => failed.push(String(error)));
  return { came, failed, latest };
}

const after = (ms: number, value: string) => (): Promise<string> => new Promise((done) => setTimeout(() => done(value), ms));

test("what is passed over is never asked for", async () => {
  const { came, latest } = slider();
  const asked = vi.fn<() => Promise<string>>(async () => "passed");
  latest.ask(asked);
  await vi.advanceTimersByTimeAsync(99);
  latest.ask(async () => "stood on");
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).not.toHaveBeenCalled();
  expect(came).toEqual(["stood on"]);
});

test("an older answer that comes late does not count, and was told to stop", async () => {
  const { came, failed, latest } = slider();
  let stopped = false;
  latest.ask((signal) => {
    signal.addEventListener("abort", () => (stopped = true));
    return after(500, "old")();
  });
  await vi.advanceTimersByTimeAsync(150);
  latest.ask(after(50, "new"));
  expect(stopped).toBe(true);
  await vi.advanceTimersByTimeAsync(2000);
  expect(came).toEqual(["new"]);
  expect(failed).toEqual([]);
  expect(latest.asking).toBe(false);
});

test("a failure is told once, and only of what still counts", async () => {
  const { came, failed, latest } = slider();
  latest.ask(async () => Promise.reject(new Error("first")));
  await vi.advanceTimersByTimeAsync(200);
  latest.ask(async () => Promise.reject(new Error("second")));
  await vi.advanceTimersByTimeAsync(100);
  latest.cancel();
  await vi.advanceTimersByTimeAsync(1000);
  expect(failed).toEqual(["Error: first", "Error: second"]);
  expect(came).toEqual([]);
});
