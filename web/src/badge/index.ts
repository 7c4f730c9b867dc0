// The badge's entry: what panels load as `badge.js`.

export const VERSION = 1;
