// Keys of services that watch applications: logs, metrics, errors, analytics.
import { ALNUM, HEX, type Rule, UPPER } from '../rule.ts';

export const WATCH_RULES: readonly Rule[] = [
  {
    kind: 'grafana-token',
    what: 'Grafana service account and cloud tokens',
    starts: ['glsa_', 'glc_'],
    pattern: /(?:glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|glc_[A-Za-z0-9+/]{40,}={0,2})/y,
    example: (pick) => `glsa_${pick(ALNUM, 32)}_${pick(HEX, 8)}`,
  },
  {
    kind: 'grafana-api-key',
    what: 'Grafana API key, old form: base64 of a JSON object that begins with k',
    starts: ['eyJrIjoi'],
    pattern: /eyJrIjoi[A-Za-z0-9]{60,}={0,3}(?!\.)/y,
    boundary: 'run',
    example: (pick) => `eyJrIjoi${pick(ALNUM, 80)}`,
  },
  {
    kind: 'newrelic-key',
    what: 'New Relic user, insert, admin and query keys',
    starts: ['NRAK-', 'NRII-', 'NRIQ-', 'NRRA-', 'NRAA-'],
    pattern: /NR(?:AK|II|IQ|RA|AA)-[\w-]{24,}/y,
    example: (pick) => `NRAK-${pick(`${UPPER}0123456789`, 27)}`,
  },
  {
    kind: 'newrelic-license',
    what: 'New Relic ingest licence key',
    starts: ['NRAL', 'FFFFNRAL'],
    pattern: /[0-9a-fA-F]{32,36}NRAL/y,
    before: { chars: /[0-9a-fA-F]/, max: 36 },
    boundary: 'none',
    example: (pick) => `${pick(HEX, 36)}NRAL`,
  },
  {
    kind: 'sentry-token',
    what: 'Sentry organisation and user tokens',
    starts: ['sntrys_', 'sntryu_', 'sntrya_', 'sntryi_'],
    pattern: /sntry[suai]_[A-Za-z0-9+/=_]{40,}/y,
    boundary: 'none',
    example: (pick) => `sntryu_${pick(HEX, 64)}`,
  },
  {
    kind: 'dynatrace-token',
    what: 'Dynatrace API token',
    starts: ['dt0c01.', 'dt0s01.', 'dt0s02.'],
    pattern: /dt0[cs]0[12]\.[A-Z2-7]{24}\.[A-Z2-7]{64}/y,
    example: (pick) => `dt0c01.${pick(`${UPPER}234567`, 24)}.${pick(`${UPPER}234567`, 64)}`,
  },
  {
    kind: 'posthog-key',
    what: 'PostHog personal key',
    starts: ['phx_'],
    pattern: /phx_[A-Za-z0-9]{32,}/y,
    example: (pick) => `phx_${pick(ALNUM, 43)}`,
  },
  {
    kind: 'snyk-token',
    what: 'Snyk API token, new form',
    starts: ['snyk_uat.', 'snyk_sat.'],
    pattern: /snyk_[us]at\.[\w.-]{20,}/y,
    example: (pick) => `snyk_uat.${pick(HEX, 8)}.${pick(ALNUM, 60)}`,
  },
  {
    kind: 'twitter-bearer',
    what: 'X (Twitter) application bearer token',
    starts: ['AAAAAAAAAAAAAAAAAAAA'],
    pattern: /A{20,22}[A-Za-z0-9%]{60,}/y,
    accept: (secret) => secret.includes('%'),
    example: (pick) => `AAAAAAAAAAAAAAAAAAAAA${pick(ALNUM, 30)}%2B${pick(ALNUM, 50)}`,
  },
];
