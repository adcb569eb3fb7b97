// The held-out days: nobody improves the observer on them, so their figures do not flatter it. Do not read their misses to tune it.
import type { Day } from '../days/day.ts';
import { dotnetStockroom } from './dotnet-stockroom.ts';
import { laravelBilling } from './laravel-billing.ts';
import { ocamlParser } from './ocaml-parser.ts';
import { phoenixKitchen } from './phoenix-kitchen.ts';
import { tabLantern } from './tab-lantern.ts';

export const HELD_OUT_DAYS: Day[] = [laravelBilling, dotnetStockroom, phoenixKitchen, tabLantern, ocamlParser];
