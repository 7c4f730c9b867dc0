// Which pages there are: the element that each one is, and where its code is fetched from when it is first gone to.

import type { PageName } from "../router";

export interface PageEntry {
  readonly tag: string;
  readonly load: () => Promise<unknown>;
  /** Whether the navigation names it; a server is reached from where it is listed. */
  readonly listed: boolean;
}

export const pages: Record<PageName, PageEntry> = {
  fleet: { tag: "q-fleet-page", load: () => import("./fleet"), listed: true },
  mesh: { tag: "q-mesh-page", load: () => import("./mesh"), listed: true },
  server: { tag: "q-server-page", load: () => import("./server"), listed: false },
  routes: { tag: "q-routes-page", load: () => import("./routes"), listed: true },
  edges: { tag: "q-edges-page", load: () => import("./edges"), listed: true },
  history: { tag: "q-history-page", load: () => import("./history"), listed: true },
  backtest: { tag: "q-backtest-page", load: () => import("./backtest"), listed: false },
  settings: { tag: "q-settings-page", load: () => import("./settings"), listed: true },
};
