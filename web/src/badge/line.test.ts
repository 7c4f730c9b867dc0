import { expect, test } from "vitest";

import { Line } from "./line";

/** Dice that always fall high, so that each wait is its longest. */
function line(): Line {
  return new Line(() => 1);
}

/** Plays timeouts until `now`; gives the steps begun on the way, as "wait@2000". */
function until(machine: Line, now: number): string[] {
  const steps: string[] = [];
  while (machine.deadline <= now) {
    const at = machine.deadline;
    machine.handleTimeout(at);
    steps.push(`${machine.step}@${at}`);
  }
  return steps;
}

test("a page that is looked at listens, and one that is not rests", () => {
  const machine = line();
  expect(machine.step).toBe("rest");
  machine.handleVisible(true, 0);
  expect(machine.step).toBe("listen");
  machine.handleVisible(false, 5);
  expect([machine.step, machine.deadline]).toEqual(["rest", Infinity]);
  machine.handleVisible(true, 900_000);
  expect(machine.step).toBe("listen");
});

test("a page that stays visible begins nothing anew", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  const { turn } = machine;
  machine.handleVisible(true, 1);
  expect(machine.turn).toBe(turn);
});

test("a stream that speaks every 10 s is listened to for ever", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  for (let now = 1_000; now < 600_000; now += 10_000) {
    machine.handleHeard(now);
    expect(until(machine, now + 9_999)).toEqual([]);
  }
});

test("a stream that falls silent after it spoke is opened again within a second", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  machine.handleHeard(1_000);
  expect(until(machine, 25_999)).toEqual([]);
  expect(until(machine, 27_000)).toEqual(["wait@26000", "listen@27000"]);
});

test("a stream that never speaks is asked around, and tried again later and later", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  const listened: number[] = [];
  for (let now = 0; now < 400_000; now += 1_000) {
    machine.handleTimeout(now);
    if (machine.step === "listen" && machine.deadline === now + 8_000) listened.push(now);
    if (machine.step === "ask") machine.handleAnswer(now);
  }
  const pauses = listened.slice(1).map((at, index) => at - (listened[index] ?? 0));
  expect(pauses.length).toBeGreaterThan(2);
  for (const [index, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(30_000 * 2 ** index);
    expect(pause).toBeLessThanOrEqual(30_000 * 2 ** index + 20_000);
  }
});

test("where nobody answers the question either, the stream is not to blame and is tried first", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  const steps: string[] = [];
  for (let now = 0; steps.length < 9; now = machine.deadline) {
    machine.handleTimeout(now);
    steps.push(machine.step);
    if (machine.step === "listen") machine.handleStreamLost(now);
    else if (machine.step === "ask") machine.handleFailure(now);
  }
  expect(steps.filter((step) => step === "listen").length).toBeGreaterThan(3);
});

test("failures in a row are waited out longer and longer, and an answer forgets them", () => {
  const machine = line();
  const waits: number[] = [];
  let now = 0;
  machine.handleVisible(true, now);
  const failOnce = (): void => {
    machine.handleStreamLost(now);
    machine.handleFailure(now);
    waits.push(machine.deadline - now);
    now = machine.deadline;
    machine.handleTimeout(now);
  };
  for (let failure = 0; failure < 7; failure += 1) failOnce();
  expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  machine.handleHeard(now);
  machine.handleStreamLost(now);
  until(machine, now + 1_000);
  now += 1_000;
  failOnce();
  expect(waits.at(-1)).toBe(2_000);
});

test("who refuses is left alone for half a minute at least, and for as long as it wants", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  machine.handleStreamLost(0);
  machine.handleRefusal(0);
  expect(machine.deadline).toBe(30_000);
  until(machine, 30_000);
  machine.handleStreamLost(30_000);
  machine.handleRefusal(30_000, 3_600_000);
  expect(machine.deadline).toBe(3_630_000);
});

test("a question that nobody answers in 10 s has failed", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  machine.handleStreamLost(0);
  expect(until(machine, 9_999)).toEqual([]);
  expect(until(machine, 10_000)).toEqual(["wait@10000"]);
});

test("without a stream to have it asks every ten seconds, and looks again for one", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  machine.handleNoStream(0);
  expect(machine.step).toBe("ask");
  machine.handleAnswer(100);
  expect(until(machine, 10_100)).toEqual(["ask@10100"]);
  machine.handleAnswer(10_200);
  until(machine, 20_200);
  machine.handleAnswer(20_300);
  expect(until(machine, 30_300)).toEqual(["listen@30300"]);
});

test("what comes too late for its step changes nothing", () => {
  const machine = line();
  machine.handleVisible(true, 0);
  const { turn } = machine;
  machine.handleAnswer(1);
  machine.handleRefusal(1);
  machine.handleFailure(1);
  machine.handleTimeout(1);
  expect([machine.step, machine.turn]).toEqual(["listen", turn]);
  machine.handleVisible(false, 2);
  machine.handleHeard(3);
  machine.handleStreamLost(3);
  machine.handleNoStream(3);
  expect(machine.step).toBe("rest");
});
