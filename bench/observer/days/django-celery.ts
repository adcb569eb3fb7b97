// A Django ticket shop: mails sent twice by Celery, a rule of the user in foreign English, a slow admin page.
import { playDay } from './day.ts';
import { bash, bashFails, bashRestores, edit, end, grep, prompt, read, stop, write } from './steps.ts';
import { webFetch } from './talk.ts';

export const djangoCelery = playDay({
  name: 'django-celery',
  root: '/home/dev/tickethub',
  startsAt: '2026-05-22T08:30:00Z',
  sessions: [
    [
      prompt(
        'Hello, since the release of monday some customers are receiving the confirmation email two times, some even three. Is possible that celery is executing the task more than once? Please to find out why and repair it',
      ),
      bash(
        'git log --oneline -4',
        'Show recent commits',
        'b71c0de Send the confirmation two hours after payment\n90aa1f2 Update translations\n3fd6e77 Venue map\n12c9b04 Bump Django to 5.1.4',
      ),
      grep('send_confirmation', ['orders/tasks.py', 'orders/views.py']),
      read(
        'orders/tasks.py',
        `
        @shared_task
        def send_confirmation(order_id):
            order = Order.objects.get(pk=order_id)
            mail.send_mail(subject(order), body(order), None, [order.email])`,
      ),
      read(
        'orders/views.py',
        `
        def paid(request, order_id):
            order = get_object_or_404(Order, pk=order_id)
            order.mark_paid()
            send_confirmation.apply_async((order.pk,), countdown=7200)
            return redirect("orders:thanks")`,
      ),
      read(
        'config/celery.py',
        `
        app = Celery("tickethub", broker="redis://redis:6379/0")
        app.conf.task_acks_late = True
        app.conf.beat_schedule = {}`,
      ),
      bash(
        'docker compose logs worker --since 48h | grep 4f1e77 | grep received',
        'Follow one task through the log',
        '[2026-05-21 09:14:02] Task orders.tasks.send_confirmation[4f1e77] received\n[2026-05-21 10:14:03] Task orders.tasks.send_confirmation[4f1e77] received\n[2026-05-21 11:14:03] Task orders.tasks.send_confirmation[4f1e77] received',
      ),
      edit('config/celery.py', 'app.conf.task_acks_late = True', 'app.conf.task_acks_late = False'),
      bashFails(
        'VISIBILITY=20 python scripts/repro_redelivery.py --countdown 45',
        'Reproduce with short times',
        'task 77c0aa received 3 times\nAssertionError: expected one delivery',
      ),
      bashRestores('config/celery.py', 'git checkout config/celery.py', 'Undo', '', 'Updated 1 path from the index'),
      webFetch(
        'https://docs.celeryq.dev/en/stable/getting-started/backends-and-brokers/redis.html',
        'What is said about visibility timeout and eta',
        'If a task is not acknowledged within the visibility timeout (default one hour) it will be redelivered to another worker and executed. This causes problems with ETA/countdown tasks whose time exceeds the visibility timeout.',
      ),
      write(
        'orders/migrations/0031_order_confirm_after.py',
        `
        class Migration(migrations.Migration):
            dependencies = [("orders", "0030_venue_map")]
            operations = [
                migrations.AddField("order", "confirm_after", models.DateTimeField(null=True, db_index=True)),
            ]`,
      ),
      edit(
        'orders/tasks.py',
        'def send_confirmation(order_id):\n    order = Order.objects.get(pk=order_id)\n    mail.send_mail(subject(order), body(order), None, [order.email])',
        'def send_due_confirmations():\n    due = Order.objects.select_for_update(skip_locked=True).filter(confirm_after__lte=now())\n    for order in due:\n        mail.send_mail(subject(order), body(order), None, [order.email])\n        order.confirm_after = None\n        order.save(update_fields=["confirm_after"])',
      ),
      edit('orders/views.py', '    send_confirmation.apply_async((order.pk,), countdown=7200)', '    order.confirm_later(hours=2)'),
      edit(
        'config/celery.py',
        'app.conf.beat_schedule = {}',
        'app.conf.beat_schedule = {\n    "confirmations": {"task": "orders.tasks.send_due_confirmations", "schedule": 300},\n}',
      ),
      bashFails(
        'python manage.py test orders',
        'Run the tests of orders',
        `
        Found 37 test(s).
        ======================================================================
        ERROR: test_sends_each_order_once (orders.tests.test_confirmation.DueTest)
        ----------------------------------------------------------------------
        django.db.transaction.TransactionManagementError: select_for_update cannot be used outside of a transaction.

        ----------------------------------------------------------------------
        Ran 37 tests in 4.815s

        FAILED (errors=1)`,
      ),
      edit('orders/tasks.py', '@shared_task\ndef send_due', '@shared_task\n@transaction.atomic\ndef send_due'),
      bash(
        'python manage.py test',
        'Run all tests',
        'Found 90 test(s).\n..........................................................................................\n----------------------------------------------------------------------\nRan 90 tests in 12.402s\n\nOK',
      ),
      stop(`
        You guessed right, it really is the same task being executed again. Here is what happens: the new release schedules the mail with
        \`countdown=7200\`, and a task that waits for its countdown counts as "taken but not acknowledged". Redis hands such a message out
        again after one hour (\`visibility_timeout\`), so two hours of waiting gave one or two extra mails. The log shows it nicely,
        the same id arrives at 09:14, 10:14 and 11:14.

        My first suspicion was \`task_acks_late\`, but switching it off changed nothing in the repro, still three deliveries, so I put that back.
        I also thought about simply raising visibility_timeout to twelve hours. Then a message lost with a crashed worker would hang for half a
        day, so I preferred a due date in the database: orders carry \`confirm_after\`, and \`send_due_confirmations\` runs from beat every
        five minutes and takes the due ones under a row lock. All 90 tests pass.

        Please be careful at the deploy: the countdown messages that already sit in Redis would still be delivered, so the old send_confirmation messages have to be purged first.`),
      prompt(
        'Perfect explanation. For the future I decide: no more countdown or eta over 15 minutes in this project, long waiting always goes by the database. Put it please also in CONTRIBUTING',
      ),
      bash('grep -n "^## " CONTRIBUTING.md', 'Headings', '3:## Setup\n19:## Celery\n31:## Translations'),
      edit(
        'CONTRIBUTING.md',
        '## Celery\n',
        '## Celery\n\nNo countdown or eta over 15 minutes. What waits longer is a due date in the database, see `send_due_confirmations`.\n',
      ),
      bash(
        'git add -A && git commit -m "Confirmation mails by due date, not by countdown"',
        'Commit',
        '[main 6e2d10b] Confirmation mails by due date, not by countdown\n 6 files changed, 41 insertions(+), 8 deletions(-)',
      ),
      stop('It stands in CONTRIBUTING.md under Celery, and everything is committed.'),
      prompt('Thank you very much, you have saved my weekend!!'),
      stop('Happy to hear that, enjoy it!'),
      end(),
    ],
    [
      prompt('The admin page of the orders is very slow, 20 seconds for to open. Careful, the customer table has 2 millions of rows'),
      read(
        'orders/admin.py',
        `
        @admin.register(Order)
        class OrderAdmin(admin.ModelAdmin):
            list_display = ["number", "customer", "event", "paid_at"]
            list_filter = ["event__venue__city"]`,
      ),
      bash(
        'python manage.py shell < scripts/count_admin_queries.py',
        'Count the queries of the page',
        'changelist: 203 queries, 8.1 s\nchange form: 11 queries, 19.7 s (customer select: 2041733 options)',
      ),
      edit(
        'orders/admin.py',
        '    list_filter',
        '    list_select_related = ["customer", "event"]\n    autocomplete_fields = ["customer"]\n    list_filter',
      ),
      bash(
        'python manage.py shell < scripts/count_admin_queries.py',
        'Count again',
        'changelist: 5 queries, 0.4 s\nchange form: 9 queries, 0.2 s',
      ),
      bash('python manage.py test', 'Run all tests', 'Ran 90 tests in 12.377s\n\nOK'),
      stop(
        'Under half a second now. The list asked the database once per row for customer and event (203 queries, now 5 by list_select_related), and the form rendered a select with all two million customers, which is an autocomplete field now. What I did not touch: the filter by city still scans the venues without an index, that one should be added in a quiet hour.',
      ),
      end(),
    ],
  ],
  truths: {
    decisions: [
      {
        what: 'a due date in the database instead of a longer visibility_timeout',
        mustMention: ['visibility_timeout|visibility timeout|countdown', 'due date|confirm_after|database'],
      },
      { what: 'the user: no countdown or eta over 15 minutes', mustMention: ['countdown|eta$', '15 minutes|15 min'] },
    ],
    fixes: [
      {
        what: 'mails sent several times: countdown longer than the visibility timeout',
        mustMention: [
          'mail|confirmation|send_confirmation',
          'visibility|redeliver|countdown|again',
          'confirm_after|due date|send_due_confirmations|beat',
        ],
      },
    ],
    deadEnds: [{ what: 'switching task_acks_late off changes nothing', mustMention: ['acks_late'] }],
    nextSteps: [
      { what: 'purge the old messages at deploy', mustMention: ['purge|redis|old send_confirmation'], after: [1, 1] },
      { what: 'index for the filter by city', mustMention: ['index|city|venue'], after: [2, 1] },
    ],
    others: [
      {
        what: 'admin page: select_related and autocomplete',
        mustMention: ['admin', 'select_related|list_select_related|autocomplete|queries'],
        types: ['bugfix', 'refactor', 'change', 'feature', 'discovery'],
      },
    ],
    acceptable: [
      { what: 'select_for_update outside a transaction', mustMention: ['select_for_update|transaction'] },
      { what: 'the commit', mustMention: ['6e2d10b|commit'] },
      { what: 'the rule written down', mustMention: ['contributing'], types: ['change', 'feature'] },
      {
        what: 'due confirmations as a feature, the migration, the beat entry',
        mustMention: ['confirm_after|send_due_confirmations|beat'],
        types: ['feature', 'change', 'refactor'],
      },
      { what: 'how Redis redelivers', mustMention: ['visibility'], types: ['discovery', 'decision'] },
      { what: 'autocomplete for customers', mustMention: ['autocomplete|2 million|two million'] },
      { what: 'city filter without an index', mustMention: ['index', 'city|venue'] },
    ],
  },
});
