// The held-out days: nobody improves the observer on them, so their figures do not flatter it. Do not read their misses to tune it.
import type { Day } from '../days/day.ts';
import { androidHikes } from './android-hikes.ts';
import { djangoCelery } from './django-celery.ts';
import { helmCluster } from './helm-cluster.ts';
import { revenueNotebook } from './revenue-notebook.ts';
import { svelteShop } from './svelte-shop.ts';

export const HELD_OUT_DAYS: Day[] = [djangoCelery, svelteShop, androidHikes, revenueNotebook, helmCluster];
