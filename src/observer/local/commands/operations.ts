// Commands that change something beyond the working tree: migrations, deploys, releases, containers.
import type { ShellCommand } from './shell.ts';

export type Operation = { kind: 'migration' | 'deploy' | 'release' | 'container'; what: string };

export function readOperations(commands: ShellCommand[]): Operation[] {
  return commands.flatMap((command) => {
    const line = [command.program, ...command.args].join(' ').slice(0, 400);
    if (/(?:^| )(?:--help|-h|--dry-run|--version|status|list|show|plan|diff)(?: |$)/.test(line)) return [];
    const found = OPERATIONS.find(([pattern]) => pattern.test(line));
    return found ? [{ kind: found[1], what: describe(command) }] : [];
  });
}

const OPERATIONS: [RegExp, Operation['kind']][] = [
  [
    /^prisma (?:migrate|db push)|^alembic (?:upgrade|downgrade)|\bdb:(?:migrate|rollback|schema:load)|^knex migrate|^sequelize(?:-cli)? db:migrate|\bartisan migrate|\bmanage\.py migrate|^sqlx migrate|^flyway|^goose |^diesel migration|^(?:mix )?ecto\.migrate|^mix ecto|^typeorm migration|^drizzle-kit (?:push|migrate)|^dbmate (?:up|migrate)|^migrate -|^supabase (?:db push|migration)|^liquibase update/,
    'migration',
  ],
  [
    /^(?:fly|flyctl) deploy|^vercel(?: .*)?--prod|^vercel deploy|^netlify deploy|^wrangler (?:deploy|publish)|^kubectl (?:apply|rollout|set)|^helm (?:upgrade|install)|^terraform apply|^pulumi up|^(?:sls|serverless|sst|cdk|firebase|eb) deploy|^gcloud .*deploy|^aws .*(?:deploy|update-function-code|update-service)|^heroku .*(?:release|container)|^ansible-playbook|^git push (?:heroku|dokku|production)|^railway up|^cap \w+ deploy|^(?:npm|pnpm|yarn|bun)(?: run)? deploy/,
    'deploy',
  ],
  [
    /^(?:npm|pnpm|yarn|bun) publish|^cargo publish|^twine upload|^(?:poetry|uv|flit) publish|^gem push|^gh release create|^goreleaser|^semantic-release|^docker push|^npm version/,
    'release',
  ],
  [/^docker(?:-compose| compose) (?:up|down)|^docker run/, 'container'],
];

/** The command without flags that say nothing: "prisma migrate deploy". */
function describe(command: ShellCommand): string {
  const words = command.args.filter((arg) => /^[\w@:./=-]{1,60}$/.test(arg) && !/^-[a-z]$/.test(arg));
  return [command.program, ...words.slice(0, 5)].join(' ');
}
