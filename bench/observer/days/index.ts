// The twelve days.
import { cStore } from './c-store.ts';
import type { Day } from './day.ts';
import { goService } from './go-service.ts';
import { javaGradle } from './java-gradle.ts';
import { monorepo } from './monorepo.ts';
import { pythonPipeline } from './python-pipeline.ts';
import { railsClinic } from './rails-clinic.ts';
import { reactWeb } from './react-web.ts';
import { research } from './research.ts';
import { rustCli } from './rust-cli.ts';
import { sqlMigration } from './sql-migration.ts';
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
];
