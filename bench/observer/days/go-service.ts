// A Go webhook relay: a panic under race, an approved plan for retries, a question answered without a change.
import { playDay } from './day.ts';
import { bash, bashFails, bashRestores, edit, end, grep, prompt, read, stop, write } from './steps.ts';
import { plan, taskCreate, taskUpdate } from './talk.ts';

export const goService = playDay({
  name: 'go-service',
  root: '/home/dev/relay',
  startsAt: '2026-01-20T13:05:00Z',
  sessions: [
    [
      prompt(`
        we see this about twice a day in prod on deploys:

        panic: send on closed channel
        goroutine 88 [running]:
        relay/internal/dispatch.(*Dispatcher).Enqueue(0xc0001a4000, {0xc00031e2a0, 0x24})
                /src/internal/dispatch/dispatcher.go:47 +0x65

        please reproduce it in a test first`),
      bash(
        'git log --oneline -5',
        'Show recent commits',
        'a91b2c3 Bump amqp091-go\n77de010 Log delivery ids\n5b0f4aa Healthz\n0c9e7d1 Drain on SIGTERM\n41f00aa First dispatcher',
      ),
      grep('close\\(', ['internal/dispatch/dispatcher.go', 'internal/httpd/server.go']),
      read(
        'internal/dispatch/dispatcher.go',
        `
        package dispatch

        type Dispatcher struct {
        	jobs chan string
        }

        func (d *Dispatcher) Enqueue(id string) {
        	d.jobs <- id
        }

        func (d *Dispatcher) Stop() {
        	close(d.jobs)
        }`,
      ),
      write(
        'internal/dispatch/stop_test.go',
        `
        package dispatch

        func TestStopWhileEnqueueing(t *testing.T) {
        	d := New(4)
        	go func() { for i := 0; i < 1000; i++ { d.Enqueue("x") } }()
        	d.Stop()
        }`,
      ),
      bashFails(
        'go test -race -run TestStopWhileEnqueueing -count=50 ./internal/dispatch',
        'Reproduce the panic',
        `
        WARNING: DATA RACE
        panic: send on closed channel
        goroutine 21 [running]:
        relay/internal/dispatch.(*Dispatcher).Enqueue(...)
        	/home/dev/relay/internal/dispatch/dispatcher.go:8
        FAIL	relay/internal/dispatch	0.214s
        FAIL`,
      ),
      edit('internal/dispatch/dispatcher.go', '\tjobs chan string\n}', '\tmu   sync.Mutex\n\tjobs chan string\n}'),
      edit('internal/dispatch/dispatcher.go', '\td.jobs <- id\n', '\td.mu.Lock()\n\tdefer d.mu.Unlock()\n\td.jobs <- id\n'),
      edit('internal/dispatch/dispatcher.go', '\tclose(d.jobs)\n', '\td.mu.Lock()\n\tdefer d.mu.Unlock()\n\tclose(d.jobs)\n'),
      bashFails(
        'go test -race -run TestStopWhileEnqueueing -count=50 ./internal/dispatch',
        'Run the test again',
        `
        fatal error: all goroutines are asleep - deadlock!

        goroutine 7 [sync.Mutex.Lock]:
        relay/internal/dispatch.(*Dispatcher).Stop(0xc0000b4000)
        	/home/dev/relay/internal/dispatch/dispatcher.go:17 +0x3a
        FAIL	relay/internal/dispatch	0.331s`,
        2,
      ),
      bashRestores(
        'internal/dispatch/dispatcher.go',
        'git checkout internal/dispatch/dispatcher.go',
        'Undo the mutex',
        '',
        'Updated 1 path from the index',
      ),
      edit(
        'internal/dispatch/dispatcher.go',
        '\tjobs chan string\n}',
        '\tjobs chan string\n\tquit chan struct{}\n\twg   sync.WaitGroup\n}',
      ),
      edit('internal/dispatch/dispatcher.go', '\td.jobs <- id\n', '\tselect {\n\tcase d.jobs <- id:\n\tcase <-d.quit:\n\t}\n'),
      edit('internal/dispatch/dispatcher.go', '\tclose(d.jobs)\n', '\tclose(d.quit)\n\td.wg.Wait()\n'),
      bash('go test -race -count=50 ./internal/dispatch', 'Run the package 50 times under race', 'ok  \trelay/internal/dispatch\t3.902s'),
      bash(
        'go test ./... && git add -A && git commit -m "dispatch: stop by a quit channel, never close jobs"',
        'Test and commit',
        `
        ok  	relay/internal/dispatch	0.101s
        [main 4d0c1fe] dispatch: stop by a quit channel, never close jobs
         2 files changed, 24 insertions(+), 3 deletions(-)`,
      ),
      stop(`
        Reproduced and fixed.

        **Cause:** \`Stop\` closed \`jobs\` while HTTP handlers were still in \`Enqueue\`, so a deploy made one of them send on a closed channel.

        **Fix:** \`jobs\` is never closed any more. \`Stop\` closes a separate \`quit\` channel that \`Enqueue\` selects on, and waits for the workers with a WaitGroup.
        A mutex around send and close was my first attempt; it deadlocks as soon as the buffer is full, because Enqueue holds the lock while it blocks. I dropped that.

        50 runs under -race are clean.`),
      prompt('good. now plan retries for failed deliveries, I want to see the plan before any code'),
      read(
        'internal/dispatch/deliver.go',
        'package dispatch\n\nfunc (d *Dispatcher) deliver(id string) error {\n\treturn d.client.Post(id)\n}\n',
      ),
      plan(`
        # Retries for failed deliveries

        1. Exponential backoff with full jitter: base 2 s, cap 10 min, at most 8 attempts per delivery
        2. After the 8th attempt the delivery goes to a dead letter table \`delivery_dlq\` in Postgres
        3. Only 5xx, 429 and network errors are retried; other 4xx go to the dead letters at once

        Rejected: the delayed message exchange of RabbitMQ. The plugin is not available on our managed broker.`),
      taskCreate('Backoff with jitter in retry.go'),
      taskCreate('Dead letter table delivery_dlq'),
      taskCreate('Prometheus counter for dead-lettered deliveries'),
      write(
        'internal/dispatch/retry.go',
        `
        package dispatch

        const maxAttempts = 8

        // backoff is full jitter: anything between 0 and the exponential cap.
        func backoff(attempt int) time.Duration {
        	ceiling := min(2*time.Second<<attempt, 10*time.Minute)
        	lastErr := attempt
        	return rand.N(ceiling)
        }`,
      ),
      bashFails('go vet ./...', 'Vet', '# relay/internal/dispatch\ninternal/dispatch/retry.go:13:2: declared and not used: lastErr'),
      edit('internal/dispatch/retry.go', '\tlastErr := attempt\n', ''),
      write(
        'internal/dispatch/retry_test.go',
        'package dispatch\n\nimport "testing"\n\nfunc TestBackoffStaysUnderTheCap(t *testing.T) {}\n',
      ),
      taskUpdate('1', 'completed'),
      write(
        'migrations/014_delivery_dlq.sql',
        'CREATE TABLE delivery_dlq (\n  id uuid PRIMARY KEY,\n  payload jsonb NOT NULL,\n  last_error text,\n  failed_at timestamptz NOT NULL DEFAULT now()\n);',
      ),
      bash('go vet ./... && go test ./...', 'Vet and test', 'ok  \trelay/internal/dispatch\t0.120s\nok  \trelay/internal/httpd\t0.044s'),
      taskUpdate('2', 'completed'),
      stop(
        'Retries are in: `backoff()` with full jitter and 8 attempts in retry.go, dead letters in `delivery_dlq` (migration 014). Tests and vet are clean. The Prometheus counter is the only task left.',
      ),
      end('other'),
    ],
    [
      prompt('why does /healthz take 3 seconds every now and then? just tell me, dont change anything'),
      bash(
        'for i in 1 2 3 4 5; do curl -s -o /dev/null -w "%{time_total}\\n" localhost:8080/healthz; done',
        'Time the endpoint',
        '0.003112\n0.002870\n3.004518\n0.003021\n0.002966',
      ),
      read(
        'internal/httpd/healthz.go',
        `
        package httpd

        func healthz(w http.ResponseWriter, r *http.Request) {
        	if _, err := amqp.DialConfig(brokerURL, amqp.Config{Dial: amqp.DefaultDial(3 * time.Second)}); err != nil {
        		w.WriteHeader(503)
        	}
        }`,
      ),
      bash('dig +short broker.internal', 'Resolve the broker', '10.2.0.14\n10.2.0.15\n10.2.0.16'),
      bashFails('nc -z -w 3 10.2.0.15 5672', 'Probe the second node', '', 1),
      stop(`
        \`/healthz\` dials the broker anew on every call, with a 3 s dial timeout. \`broker.internal\` resolves to three nodes and
        10.2.0.15 does not answer on 5672, so whenever DNS puts that one first the check waits the full 3 s before the next address.
        Nothing changed in the code. If you like I can make it report the state of the connection the dispatcher already holds.`),
      end('other'),
    ],
  ],
  truths: {
    decisions: [
      {
        what: 'approved plan: backoff with jitter, 8 attempts, dead letters in Postgres',
        mustMention: ['backoff|retr', 'jitter|8 attempts|dead letter|delivery_dlq'],
      },
    ],
    fixes: [
      {
        what: 'send on closed channel at Stop: quit channel',
        mustMention: ['closed channel|close', 'quit|waitgroup|select'],
      },
    ],
    deadEnds: [{ what: 'mutex around send and close deadlocks', mustMention: ['mutex', 'deadlock'] }],
    nextSteps: [{ what: 'Prometheus counter for dead letters', mustMention: ['prometheus|counter'], after: [1, 2] }],
    others: [
      {
        what: 'retries with backoff built',
        mustMention: ['retr|backoff', 'retry.go|jitter|attempts|deliver|dead letter'],
        types: ['feature', 'change'],
      },
      {
        what: 'healthz dials the broker each time, one node is dead',
        mustMention: ['healthz', 'broker|dial|10.2.0.15'],
        types: ['discovery'],
      },
    ],
    acceptable: [
      { what: 'RabbitMQ delayed exchange rejected', mustMention: ['delayed|rabbitmq'] },
      { what: 'the commit', mustMention: ['4d0c1fe|committed'] },
      { what: 'offer to use the held connection', mustMention: ['connection', 'dispatcher|held|holds|state'] },
      { what: 'unused variable', mustMention: ['lastErr|declared and not used'], types: ['bugfix', 'change'] },
      { what: 'dead letter table', mustMention: ['delivery_dlq|dead letter'], types: ['feature', 'change'] },
    ],
  },
});
