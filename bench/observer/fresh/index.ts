// The fresh days: written after the observer was last improved, to see whether its figures hold on people it has never heard.
import type { Day } from '../days/day.ts';
import { actionsPipeline } from './actions-pipeline.ts';
import { dotnetStockroom } from './dotnet-stockroom.ts';
import { laravelBilling } from './laravel-billing.ts';
import { ocamlParser } from './ocaml-parser.ts';
import { phoenixKitchen } from './phoenix-kitchen.ts';
import { tabLantern } from './tab-lantern.ts';

export const FRESH_DAYS: Day[] = [
  laravelBilling,
  dotnetStockroom,
  phoenixKitchen,
  tabLantern,
  ocamlParser,
  actionsPipeline,
];
