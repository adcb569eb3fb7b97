import { describe, expect, test } from 'bun:test';
import { normaliseRemote } from '../../src/core/project.ts';

describe('one repository, however it is written', () => {
  test.each([
    'https://forge.test/acme/app',
    'https://forge.test/acme/app.git',
    'https://forge.test/acme/app.git/',
    'https://forge.test/Acme/App',
    'HTTPS://FORGE.TEST/acme/app',
    'https://user@forge.test/acme/app',
    'https://user:p%40ss@forge.test/acme/app',
    'https://:@forge.test/acme/app',
    'https://forge.test:443/acme/app',
    'https://forge.test:8443/acme/app',
    'http://forge.test:80//acme/app',
    'https://forge.test./acme/app',
    'ssh://git@forge.test/acme/app.git',
    'ssh://git@forge.test:2222/acme/app',
    'git+ssh://git@forge.test/acme/app',
    'git://forge.test:9418/acme/app',
    'git@forge.test:acme/app.git',
    'git@forge.test:/acme/app',
    'forge.test:acme/app',
    '  https://forge.test/acme/app\n',
  ])('%j', (url) => {
    expect(normaliseRemote(url)).toBe('forge.test/acme/app');
  });
});

describe('is another one', () => {
  test.each([
    ['https://forge.test/acme/app/x', 'forge.test/acme/app/x'],
    ['https://[::1]:8080/acme/app', '[::1]/acme/app'],
    ['ssh://git@[2001:db8::1]/acme/app', '[2001:db8::1]/acme/app'],
    ['git@[::1]:acme/app', '[::1]/acme/app'],
    ['https://user:forge.test@evil.test/acme/app', 'evil.test/acme/app'],
    ['https://forge.test%40evil.test@other.test/a', 'other.test/a'],
    ['ssh://forge.test@evil.test/acme/app', 'evil.test/acme/app'],
    ['git@evil.test:forge.test/acme/app', 'evil.test/forge.test/acme/app'],
    ['git@forge.test:2222/acme/app', 'forge.test/2222/acme/app'],
    ['https://forge.test.evil.test/acme/app', 'forge.test.evil.test/acme/app'],
    ['https://forge.test/%61cme/app', 'forge.test/%61cme/app'],
    ['https://dev.azure.com/org/My%20Work/_git/app', 'dev.azure.com/org/my%20work/_git/app'],
    ['https://forge.test/~acme/app', 'forge.test/~acme/app'],
    ['https://gït.test/acme/app', 'gït.test/acme/app'],
  ])('%j is %j', (url, expected) => {
    expect(normaliseRemote(url)).toBe(expected);
  });
});

describe('is none', () => {
  test.each([
    '',
    '/srv/git/app.git',
    './app',
    '../app.git',
    '~/app',
    'app',
    'file:///srv/git/app.git',
    'file://forge.test/acme/app',
    'C:\\work\\app',
    'ext::sh -c forge.test/acme/app',
    'ext::forge.test/acme/app',
    'persistent-https://forge.test/acme/app',
    'javascript://forge.test/acme/app',
    'http://evil.test?@forge.test/acme/app',
    'http://evil.test#@forge.test/acme/app',
    'http://evil.test/?@forge.test/acme/app',
    'https://evil.test\\@forge.test/acme/app',
    'https://forge.test\\@evil.test/acme/app',
    'https://evil.test\\/@forge.test/acme/app',
    'https://a@evil.test@forge.test/acme/app',
    'https://evil.test:80@forge.test:443@x/acme/app',
    'https://forge.test/acme/app?x=1',
    'https://forge.test/acme/app#main',
    'https://forge.test/acme/../evil/app',
    'https://forge.test/acme/%2e%2E/app',
    'https://forge.test/acme/./app',
    'https://forge%2etest/acme/app',
    'https://forge.test%00.evil.test/acme/app',
    'https://forge.test:/acme/app',
    'https://forge.test:0/acme/app',
    'https://forge.test:99999/acme/app',
    'https://forge.test:4a/acme/app',
    'https://.forge.test/acme/app',
    'https://forge..test/acme/app',
    'https://forge.test../acme/app',
    'https:///acme/app',
    'https://@/acme/app',
    'https://forge.test',
    'https://forge.test/',
    'https://forge.test/.git',
    'https://[::1/acme/app',
    'https://[::1%25eth0]/acme/app',
    'https://[forge.test]/acme/app',
    'https://::1/acme/app',
    'ssh://-oProxyCommand=x/acme/app',
    'ssh://-oProxyCommand=x@forge.test/acme/app',
    '-oProxyCommand=x:acme/app',
    '-oProxyCommand=x@forge.test:acme/app',
    'a@b@forge.test:acme/app',
    'git@forge.test:',
    'git@forge.test:acme/app#part',
    'https://forge.test /acme/app',
    'https://forge.test/acme\tapp',
    'https://forge.test/acme/app\nhttps://evil.test/x/y',
    'https://forge\u200b.test/acme/app',
    'https://forge.test/acme/\u202eppa',
    `https://forge.test/${'a'.repeat(3000)}`,
  ])('%j', (url) => {
    expect(normaliseRemote(url)).toBeNull();
  });
});
