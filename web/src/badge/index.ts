// The badge's entry: what panels load as `badge.js`. Loaded twice, the first one stays.

import { QuorateBadge } from "./quorate-badge";
import { QuorateServers } from "./quorate-servers";

if (!customElements.get("quorate-badge")) customElements.define("quorate-badge", QuorateBadge);
if (!customElements.get("quorate-servers")) customElements.define("quorate-servers", QuorateServers);
