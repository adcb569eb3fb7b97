// The days the observer is improved on. Their figures flatter it; those of the held-out days do not.
import { actionsPipeline } from './actions-pipeline.ts';
import { androidHikes } from './android-hikes.ts';
import { cStore } from './c-store.ts';
import type { Day } from './day.ts';
import { djangoCelery } from './django-celery.ts';
import { goService } from './go-service.ts';
import { helmCluster } from './helm-cluster.ts';
import { javaGradle } from './java-gradle.ts';
import { monorepo } from './monorepo.ts';
import { pythonPipeline } from './python-pipeline.ts';
import { railsClinic } from './rails-clinic.ts';
import { reactWeb } from './react-web.ts';
import { research } from './research.ts';
import { revenueNotebook } from './revenue-notebook.ts';
import { rustCli } from './rust-cli.ts';
import { sqlMigration } from './sql-migration.ts';
import { svelteShop } from './svelte-shop.ts';
import { terraformOps } from './terraform-ops.ts';
import { typescriptApi } from './typescript-api.ts';

export const DAYS: Day[] = [
  typescriptApi,
  pythonPipeline,
  goService,
  rustCli,
  railsClinic,
  javaGradle,
  reactWeb,
  terraformOps,
  cStore,
  sqlMigration,
  monorepo,
  research,
  djangoCelery,
  svelteShop,
  androidHikes,
  revenueNotebook,
  helmCluster,
  actionsPipeline,
];
