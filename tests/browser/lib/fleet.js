// Where things stand on the fleet's page, by what they are called.

/** The row of a server. @param {import("playwright-core").Page} page @param {string} server */
export function rowOf(page, server) {
  return page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: server }) });
}

/** The button above the table that counts a status. @param {import("playwright-core").Page} page @param {number} n @param {string} word */
export function countOf(page, n, word) {
  return page.getByRole("group", { name: "Servers by status" }).getByRole("button", { name: new RegExp(`^${n}\\s*${word}$`) });
}
