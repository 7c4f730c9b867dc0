// The labels that badges use, of all languages: a part of the catalogue, picked out when the file is built.

import type { Language } from "../words/language";
import type { Labels } from "../words/phrase";
import picked from "virtual:badge-labels";

export const catalogue: Readonly<Record<Language, Labels>> = picked;
