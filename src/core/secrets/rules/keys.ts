// Secrets that belong to no vendor: tokens of open standards, password hashes, wrapped keys.
import { ALNUM, HEX, LOWER, type Rule } from '../rule.ts';

export const KEY_RULES: readonly Rule[] = [
  {
    kind: 'jwt',
    what: 'JSON web token, signed or encrypted; also cut before its signature',
    starts: ['eyJ'],
    pattern: /eyJ[\w-]{8,}\.[\w-]{12,}(?:\.[\w-]+){0,3}/y,
    boundary: 'run',
    example: (pick) => `eyJhbGciOiJIUzI1NiJ9.eyJ${pick(ALNUM, 60)}.${pick(`${ALNUM}-_`, 43)}`,
  },
  {
    kind: 'bearer-token',
    what: 'Token after the word Bearer',
    starts: ['Bearer', 'bearer', 'BEARER'],
    pattern: /(?:Bearer|bearer|BEARER)(?:[ \t]{1,4}|%20)([\w.~+/=-]{16,})/y,
    accept: (secret) => /\d/.test(secret) && /[A-Za-z]/.test(secret),
    example: (pick) => `Bearer ${pick(ALNUM, 38)}a1`,
  },
  {
    kind: 'basic-auth',
    what: 'User and password after the word Basic',
    starts: ['Basic', 'basic'],
    pattern: /[Bb]asic(?:[ \t]{1,4}|%20)([A-Za-z0-9+/]{8,}={0,2})/y,
    accept: isUserAndPassword,
    human: true,
    example: (pick) => `Basic ${btoa(`admin:${pick(LOWER, 12)}`)}`,
  },
  {
    kind: 'password-hash',
    what: 'bcrypt, crypt and argon2 hashes',
    starts: ['$2a$', '$2b$', '$2y$', '$5$', '$6$', '$y$', '$argon2'],
    pattern:
      /\$(?:2[aby]\$\d\d\$[./A-Za-z0-9]{53}|[56y]\$[^\s$:]{1,30}\$(?:[^\s$:]{1,24}\$)?[./A-Za-z0-9]{43,86}|argon2(?:id|i|d)\$[^\s$]{1,20}\$[^\s$]{1,40}\$[A-Za-z0-9+/]{8,64}\$[A-Za-z0-9+/]{16,128})/y,
    boundary: 'none',
    example: (pick) => `$2b$12$${pick(ALNUM, 53)}`,
  },
  {
    kind: 'private-key',
    what: 'PEM private key wrapped in base64, as in a kubeconfig',
    starts: ['LS0tLS1CRUdJTi'],
    pattern: /LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/]{40,}={0,2}/y,
    example: (pick) => `LS0tLS1CRUdJTiBSU0Eg${pick(ALNUM, 120)}`,
  },
  {
    kind: 'nostr-key',
    what: 'Nostr private key',
    starts: ['nsec1'],
    pattern: /nsec1[02-9ac-hj-np-z]{58}/y,
    example: (pick) => `nsec1${pick('023456789acdefghjklmnpqrstuvwxyz', 58)}`,
  },
  {
    kind: 'pgpass',
    what: 'Password in a .pgpass line',
    starts: [':5432:'],
    pattern: /:5432:[^:\s]{1,64}:[^:\s]{1,64}:([^\s"'\\]{3,256})/y,
    boundary: 'none',
    human: true,
    example: (pick) => `db.example.com:5432:shop:admin:${pick(LOWER, 6)}9${pick(HEX, 6)}`,
  },
  {
    kind: 'mysql-dsn-password',
    what: 'Password in a Go data source name',
    starts: ['@tcp('],
    pattern: /[^\s"'`:]{1,64}:([^\s"'`]{3,64})@tcp\(/y,
    before: { chars: /[^\s"'`]/, max: 97 },
    boundary: 'none',
    human: true,
    example: (pick) => `root:${pick(LOWER, 6)}7${pick(HEX, 6)}@tcp(db:3306)/shop`,
  },
];

function isUserAndPassword(base64: string): boolean {
  try {
    return /^[\x20-\x7e]{1,200}:[\x20-\x7e]{1,200}$/.test(atob(base64));
  } catch {
    return false; // not base64, so an ordinary word after "basic"
  }
}
