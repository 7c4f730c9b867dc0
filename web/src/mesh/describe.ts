// A cell in words, for those who read it, hear it, or point at it.

import { t, told } from "../words";
import { cellAt, type Mesh } from "./mesh";
import { STREAK_MAX, stateOf, streakOf } from "./states";
import type { Place } from "./viewport";

/** "ru-1 of nl-1/tls: cannot see it, 4 failures in a row; ru-1 is not believed on tcp4." */
export function described(mesh: Mesh, { row, column }: Place): string {
  const witness = mesh.witnesses[row];
  const target = mesh.targets[column];
  if (!witness || !target) return "";
  const cell = cellAt(mesh, row, column);
  const streak = streakOf(cell);
  const state = t(`mesh.told.${stateOf(cell)}`);
  const parts = [t("mesh.cell", { witness: witness.witness, target: target.entry_point, state })];
  if (streak > 0) parts.push(streak >= STREAK_MAX ? t("mesh.streak_more", { count: STREAK_MAX }) : t("mesh.streak", { n: streak }));
  if (witness.discredited?.includes(target.lane)) parts.push(t("mesh.not_believed", { witness: witness.witness, lane: target.lane }));
  if (witness.silent) parts.push(t("mesh.silent", { witness: witness.witness }));
  return parts.join("; ");
}

/** What a column says of its target beside the cells: its state's word. */
export function describedTarget(mesh: Mesh, column: number): string {
  const target = mesh.targets[column];
  return target ? `${target.entry_point}: ${told(`state.${target.state}`, target.state)}` : "";
}
