// What npm, apt and browsers of the tests get of the environment: enough to reach what the person's own reach.
import { describe, expect, test } from 'bun:test';
import { outsideEnvironment } from '../../scripts/outside-environment.ts';

describe('the environment of what fetches', () => {
  test('has certificates, proxies and npm settings, in any case', () => {
    const needed = {
      PATH: '/usr/bin',
      HOME: '/home/dev',
      NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
      SSL_CERT_FILE: '/etc/ca.pem',
      HTTPS_PROXY: 'http://127.0.0.1:3128',
      no_proxy: 'localhost',
      npm_config_cafile: '/etc/ca.pem',
      NPM_CONFIG_REGISTRY: 'http://127.0.0.1:4873',
      XDG_CACHE_HOME: '/tmp/cache',
    };
    expect(outsideEnvironment(needed)).toEqual(needed);
  });

  test('has nothing else: no key, no setting of ours, nothing of the npm run that started the tests', () => {
    const others = {
      ANTHROPIC_API_KEY: 'sk-fake',
      CLAUDE_MEM_DATA_DIR: '/tmp/data',
      npm_lifecycle_event: 'test',
      npm_config_local_prefix: '/home/dev/claude-mem',
      npm_config_prefix: '/usr',
    };
    expect(outsideEnvironment(others)).toEqual({});
  });

  test('npm obeys it', () => {
    const environment = outsideEnvironment({ ...process.env, npm_config_cafile: '/nowhere/ca.pem' });
    const { stdout } = Bun.spawnSync(['npm', 'config', 'get', 'cafile'], { env: environment });
    expect(stdout.toString().trim()).toBe('/nowhere/ca.pem');
  });
});
