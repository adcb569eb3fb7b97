// A Phoenix kitchen board: a broadcast before the commit, ageing tickets, a release that cannot boot. A chatty user, plain paragraphs.
import { playDay } from '../days/day.ts';
import { bash, bashFails, edit, end, glob, prompt, read, stop, write } from '../days/steps.ts';
import { taskCreate, taskUpdate } from '../days/talk.ts';

export const phoenixKitchen = playDay({
  name: 'phoenix-kitchen',
  root: '/Users/mara/code/mise',
  startsAt: '2026-11-20T18:30:00Z',
  sessions: [
    [
      prompt(
        "heyyy so chef is mad 😅 when a waiter amends an order the kitchen board blinks but still shows the OLD dish. second amend shows the first one's change, like it's always one behind. halp",
      ),
      glob('lib/mise_web/live/**/*.ex', ['lib/mise_web/live/board_live.ex', 'lib/mise_web/live/order_live/form.ex']),
      read(
        'lib/mise_web/live/board_live.ex',
        `
        defmodule MiseWeb.BoardLive do
          use MiseWeb, :live_view

          def handle_info({:order_amended, id}, socket) do
            {:noreply, stream_insert(socket, :orders, Orders.get_order!(id))}
          end
        end`,
      ),
      read(
        'lib/mise/orders.ex',
        `
        defmodule Mise.Orders do
          def amend_order(order, attrs) do
            Repo.transaction(fn ->
              order = order |> Order.changeset(attrs) |> Repo.update!()
              Phoenix.PubSub.broadcast(Mise.PubSub, "board", {:order_amended, order.id})
              Audit.log!(order, :amended)
              order
            end)
          end
        end`,
      ),
      write(
        'test/mise/orders_test.exs',
        `
        defmodule Mise.OrdersTest do
          use Mise.DataCase, async: false

          test "announces an amendment only when it can be read" do
            order = order_fixture()
            reader = start_reader_on("board")
            {:ok, _} = Orders.amend_order(order, %{dish: "risotto"})
            assert_receive {^reader, "risotto"}
          end
        end`,
      ),
      bashFails(
        'mix test test/mise/orders_test.exs',
        'Run the new test',
        `
        Compiling 1 file (.ex)
        Running ExUnit with seed: 418277, max_cases: 16


          1) test announces an amendment only when it can be read (Mise.OrdersTest)
             test/mise/orders_test.exs:4
             Assertion failed, no matching message after 100ms
             The process mailbox:

               * {#PID<0.512.0>, "ravioli"}

        Finished in 0.4 seconds (0.00s async, 0.4s sync)
        1 test, 1 failure`,
        2,
      ),
      edit('lib/mise/orders.ex', '      Phoenix.PubSub.broadcast(Mise.PubSub, "board", {:order_amended, order.id})\n', ''),
      edit('lib/mise/orders.ex', '    end)\n', '    end)\n    |> announce(:order_amended)\n'),
      bash(
        'mix test',
        'Run all tests',
        'Running ExUnit with seed: 90144, max_cases: 16\n\n..............................................................................\nFinished in 2.2 seconds (1.9s async, 0.3s sync)\n78 tests, 0 failures',
      ),
      stop(`
        Found it! The broadcast sat inside \`Repo.transaction\`, so the board re-read the order before the change was committed and got the old row, hence always one behind. It's now sent after the transaction through a little \`announce/2\`. 78 tests, 0 failures. Tell chef sorry from me.`),
      prompt(
        'omg thank you 🙏 chef says ok. can tickets go yellow after 8 min and red after 15? oh and btw we never use Process.sleep in tests, ever, it made our CI miserable once. assert_receive like you just did is perfect',
      ),
      taskCreate('Ageing tickets: yellow after 8 minutes, red after 15'),
      taskCreate('Sound on the tablets when a ticket turns red'),
      taskUpdate('1', 'in_progress'),
      bash('ls assets/js', 'List', 'app.js\nhooks'),
      write(
        'assets/js/hooks/ticket_age.js',
        `
        export const TicketAge = {
          mounted() { this.paint(); this.timer = setInterval(() => this.paint(), 10000); },
          destroyed() { clearInterval(this.timer); },
          paint() {
            const minutes = (Date.now() - Number(this.el.dataset.since)) / 60000;
            this.el.dataset.age = minutes >= 15 ? 'red' : minutes >= 8 ? 'yellow' : 'fresh';
          },
        };`,
      ),
      edit('assets/js/app.js', 'const hooks = {};', "import { TicketAge } from './hooks/ticket_age';\nconst hooks = { TicketAge };"),
      edit(
        'lib/mise_web/live/board_live.html.heex',
        '<li id={id}>',
        '<li id={id} phx-hook="TicketAge" data-since={DateTime.to_unix(order.inserted_at, :millisecond)}>',
      ),
      bash('mix assets.build', 'Build the assets', 'Rebuilding...\n\nDone in 142ms.\n\n  ../priv/static/assets/app.js  214.8kb'),
      bash(
        'mix format --check-formatted && mix test',
        'Format and test',
        'Running ExUnit with seed: 5521, max_cases: 16\n\n79 tests, 0 failures',
      ),
      taskUpdate('1', 'completed'),
      bash('git commit -aqm "Tickets turn yellow after 8 minutes, red after 15"', 'Commit'),
      stop(`
        Tickets age now: yellow at 8 minutes, red at 15.

        I thought a while about where the clock should live. A tick on the server every ten seconds would push a diff to every tablet for every ticket, which on a Friday night is a lot of traffic for a colour, so the age is computed in the browser by a small \`TicketAge\` hook and the server only sends \`data-since\` once. If a tablet's clock is badly wrong the colours will be too, but yours sync from the network.

        The sound for red tickets isn't there yet, I kept it on the list.`),
      prompt('love it!! which phoenix are we on btw?'),
      bash('mix deps | grep -A1 "phoenix "', 'Version', '* phoenix 1.7.14 (Hex package) (mix)\n  locked at 1.7.14 (phoenix) c7859bc5'),
      stop('1.7.14.'),
      end(),
    ],
    [
      prompt('ugh. new release won’t boot on the pi in the restaurant, opens in 40 min 😱'),
      bashFails(
        'ssh pi@mise.local sudo -u mise /opt/mise/bin/boot',
        'Boot the release',
        `
        ** (DBConnection.ConnectionError) tcp connect (mara-laptop.local:5432): non-existing domain - :nxdomain
            (db_connection 2.7.0) lib/db_connection/connection.ex:104
            (ecto_sql 3.12.0) lib/ecto/migrator.ex:171: Ecto.Migrator.with_repo/3
        boot: migrations failed, not starting`,
      ),
      bash('ssh pi@mise.local cat /opt/mise/env', 'Environment of the pi', 'DATABASE_HOST=localhost\nPHX_HOST=mise.local'),
      bash('ls config', 'List', 'config.exs\ndev.exs\nprod.exs\nruntime.exs\ntest.exs'),
      read(
        'config/prod.exs',
        'import Config\n\nconfig :mise, Mise.Repo, hostname: System.get_env("DATABASE_HOST")\nconfig :logger, level: :info',
      ),
      read(
        'config/runtime.exs',
        'import Config\n\nif config_env() == :prod do\n  config :mise, MiseWeb.Endpoint, url: [host: System.fetch_env!("PHX_HOST")]\nend',
      ),
      edit('config/prod.exs', 'config :mise, Mise.Repo, hostname: System.get_env("DATABASE_HOST")\n', ''),
      edit(
        'config/runtime.exs',
        'if config_env() == :prod do\n',
        'if config_env() == :prod do\n  config :mise, Mise.Repo, hostname: System.fetch_env!("DATABASE_HOST")\n',
      ),
      bash(
        'MIX_ENV=prod mix release --overwrite',
        'Build the release',
        '* assembling mise-0.9.3 on MIX_ENV=prod\n* using config/runtime.exs to configure the release at runtime\n\nRelease created at _build/prod/rel/mise',
      ),
      bash('scripts/push-to-pi && curl -s -o /dev/null -w "%{http_code}" http://mise.local/board', 'Install and look', '200'),
      stop(
        "It's up, `/board` answers 200, go open the doors. `DATABASE_HOST` was read in `config/prod.exs`, and that file is evaluated when the release is *built*, so your laptop's hostname got baked in. I moved it to `runtime.exs`, with `fetch_env!` so that a missing variable is loud.",
      ),
      prompt('you are a STAR ⭐ good night!!'),
      stop('Good service tonight! 🌙'),
      end(),
    ],
  ],
  truths: {
    decisions: [
      { what: 'the user: never Process.sleep in tests', mustMention: ['Process.sleep|sleep'] },
      {
        what: 'the age is computed in the browser, no tick on the server',
        mustMention: ['browser|hook|TicketAge', 'server|tick$|diff'],
      },
    ],
    fixes: [
      {
        what: 'board one behind: broadcast after the transaction',
        mustMention: ['broadcast|announce', 'transaction|commit'],
      },
      {
        what: 'release did not boot: DATABASE_HOST baked in at build time',
        mustMention: ['DATABASE_HOST|hostname|prod.exs', 'runtime'],
      },
    ],
    deadEnds: [],
    nextSteps: [{ what: 'sound when a ticket turns red', mustMention: ['sound'], after: [1, 2] }],
    others: [
      {
        what: 'tickets turn yellow and red with age',
        mustMention: ['ticket', 'yellow|red$|age$|ageing'],
        types: ['feature', 'change'],
      },
    ],
    acceptable: [
      { what: 'assert_receive', mustMention: ['assert_receive'], types: ['decision'] },
      { what: 'a server tick was turned down', mustMention: ['tick$', 'server'] },
      {
        what: 'pieces of the ageing tickets',
        mustMention: ['TicketAge|ticket_age|board_live|8 min'],
        types: ['feature', 'change', 'decision'],
      },
      { what: 'wrong clocks of tablets', mustMention: ['clock'] },
      { what: 'the release installed', mustMention: ['release|pi$'], types: ['change', 'discovery'] },
      { what: 'fetch_env! so that it is loud', mustMention: ['fetch_env'] },
      { what: 'the commit', mustMention: ['commit'], types: ['change'] },
      { what: 'announce as a change', mustMention: ['announce|broadcast'], types: ['change', 'refactor', 'discovery'] },
    ],
  },
});
