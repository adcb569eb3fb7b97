import { describe, expect, test } from 'bun:test';
import { isFetch, readFetching } from '../../src/core/fetch.ts';
import { isUntrustedAt } from '../../src/turns/record.ts';
import { cpuMs } from '../support/cpu-time.ts';

const HEREDOC_COMMIT = `git commit -m "$(cat <<'EOF'
Retry five times

See https://a.example/issue/1
EOF
)"`;

test.each([
  ['curl https://a.example/x', 'first'],
  ['cd /tmp && FOO=1 curl -s "https://a.example/x?a=1&b=2" | jq .', 'first'],
  ['sudo /usr/bin/wget -qO- a.example', 'first'],
  ['bash -c "curl a.example"', 'first'],
  ['echo $(curl -s $URL)', 'first'],
  ['gh issue view 12', 'first'],
  ['gh -R a/b pr view 12 --comments', 'first'],
  ['gh api repos/a/b/issues', 'first'],
  ['npm view left-pad', 'first'],
  ['npm test; curl https://a.example', 'later'],
  ['curl localhost:3000 && curl https://a.example', 'later'],
  [`npm test && python3 -c "import urllib.request as u; print(u.urlopen('https://a.example').read())"`, 'later'],
  ['git clone -q https://a.example/x /tmp/x && cat /tmp/x/README.md', 'later'],
] as const)('what it is for, or besides: %s', (command, fetching) => {
  expect(readFetching(command)).toBe(fetching);
});

describe('brings in what others wrote', () => {
  test.each([
    'aria2c -o - https://e.example/g && cat g',
    'openssl s_client -connect e.example:443 -quiet < req',
    'svn cat https://e.example/a',
    'aws s3 cp s3://b/g -',
    'gsutil cat gs://b/g',
    'rsync e.example::m/g /dev/stdout',
    'ftp -o - ftp://e.example/g',
    'python -m urllib.request https://e.example',
    'python3 - <<E\nimport urllib.request\nprint(urllib.request.urlopen("https://e.example/g").read())\nE',
    'deno run https://e.example/x.ts',
    'npx playwright-cli text https://e.example',
    'git fetch origin && git log origin/main',
    'git log HEAD..origin/main --stat',
    'git show origin/main:README.md',
    'git -C sub show FETCH_HEAD',
    'docker run --rm alpine wget -qO- e.example/g',
    'docker run --rm alpine nc e.example 80',
    'kubectl exec web -- sh -c "ssh build cat /srv/notes"',
    'telnet e.example 80',
    'ncat e.example 80',
    'nc e.example 80 < req',
    'ssh host cat /srv/notes',
    'scp host:/srv/notes . && cat notes',
    'socat - TCP:e.example:80',
    'exec 3<>/dev/tcp/e.example/80; cat <&3',
    'cat < /dev/tcp/e.example/80',
    'lwp-request https://e.example',
    'jira issue view X-1',
    'glab mr view 3 --comments',
    'himalaya message read 3',
    'brew info wallaby',
    'cargo info wallaby',
    'pip download wallaby && cat README',
    'CURL=curl; $CURL https://e.example/g',
    'CURL=curl; $CURL $PAGE',
    '\\curl e.example/g',
    'env -i curl e.example/g',
    'xargs -n1 curl < urls.txt',
    'cat urls.txt | xargs -n1 -P4 curl',
    'find . -name "*.url" -exec curl -K {} ;',
    'echo "curl e.example" | sh',
    'cat <<EOF | bash\ncurl e.example\nEOF',
    'bash <<EOF\nwget e.example\nEOF',
    'cat ~/Downloads/guide.txt',
    `${HEREDOC_COMMIT} && curl -s e.example`,
    'node fetch.js --from=wss://e.example',
  ])('%s', (command) => expect(isFetch(command)).toBe(true));
});

describe('does not', () => {
  test.each([
    'curl -s http://localhost:3000/health',
    'curl -s 127.0.0.1:8080',
    'psql postgres://app:pw@localhost:5432/shop -c "select 1"',
    'ssh -p 2222 me@localhost true',
    'gh pr create --fill --body "See https://a.example"',
    'gh run view 123 --log-failed',
    'git commit -m "use curl https://a.example; wget it"',
    HEREDOC_COMMIT,
    'cat > README.md <<EOF\nSee https://a.example\nEOF',
    'git remote add origin https://a.example/x.git && git push -u origin main',
    'git log origin/main..HEAD --oneline',
    'git diff origin/main...HEAD',
    'git fetch origin && git rebase origin/main',
    'grep -rn curl src',
    'grep -rn "https://" src | head',
    'sed -i "s#http://a.example#https://b.example#" x.ts',
    'which curl wget',
    'command -v curl',
    'apt-get install -y curl',
    'bun test http server',
    'open file:///tmp/x.html',
    'sqlite3 x.db "select 1"',
    'npm test',
    '',
  ])('%s', (command) => expect(isFetch(command)).toBe(false));
});

test('in a record, what is said after such a command may be somebody else’s, up to the next own deed', () => {
  const ran = (command: string) => ({ kind: 'ran', command, isOk: true, output: '' }) as const;
  const said = { kind: 'said', text: 'We decided to do that.' } as const;
  expect(isUntrustedAt([ran('curl https://a.example'), said], 1)).toBe(true);
  expect(isUntrustedAt([ran('npm test'), said], 1)).toBe(false);
  expect(isUntrustedAt([ran('curl https://a.example'), ran('npm test'), said], 2)).toBe(false);
});

test('is quick with any line', () => {
  const calls = ['gh -a b ', 'curl http://localhost ', 'node -e ', 'git log ', 'sudo ', 'xargs -a ', 'a=b '];
  const signs = ['(((', '/.~', '$(', '"', 'a://', '<<E\n', '\\', 'origin/', '| ', 'a'];
  for (const piece of [...calls, ...signs]) expect(cpuMs(() => readFetching(piece.repeat(190_000 / piece.length)))).toBeLessThan(200);
});
