// A Laravel billing app: payments booked twice, credit notes, a class only macOS could find. Polite prompts, reports with headings.
import { playDay } from '../days/day.ts';
import { bash, bashFails, bashRestores, edit, end, glob, grep, prompt, read, stop, write } from '../days/steps.ts';

export const laravelBilling = playDay({
  name: 'laravel-billing',
  root: '/var/www/ledgerly',
  startsAt: '2026-09-02T07:40:00Z',
  sessions: [
    [
      prompt(
        'Good morning. A customer of ours shows two payments for invoice 2026-0418, although Mollie has only one. Could you find out how that happened, and prevent it please?',
      ),
      glob('app/**/*Webhook*.php', ['app/Http/Controllers/MollieWebhookController.php']),
      read(
        'app/Http/Controllers/MollieWebhookController.php',
        `
        <?php

        namespace App\\Http\\Controllers;

        class MollieWebhookController extends Controller
        {
            public function __invoke(Request $request, Mollie $mollie)
            {
                $payment = $mollie->payments->get($request->input('id'));
                Payment::create(['mollie_id' => $payment->id, 'cents' => $payment->cents()]);
                return response()->noContent();
            }
        }`,
      ),
      grep('mollie_id', ['app/Models/Payment.php', 'database/migrations/2024_02_11_090000_create_payments_table.php']),
      bash(
        'tail -n 4000 storage/logs/laravel.log | grep tr_8sHq2',
        'Find the payment in the log',
        '[2026-09-01 14:02:11] production.INFO: mollie webhook {"id":"tr_8sHq2"}\n[2026-09-01 14:17:13] production.INFO: mollie webhook {"id":"tr_8sHq2"}',
      ),
      write(
        'tests/Feature/MollieWebhookTest.php',
        "<?php\n\nclass MollieWebhookTest extends TestCase\n{\n    use RefreshDatabase;\n\n    public function test_a_redelivered_webhook_books_the_payment_once(): void\n    {\n        $this->post('/webhooks/mollie', ['id' => 'tr_1'])->assertNoContent();\n        $this->post('/webhooks/mollie', ['id' => 'tr_1'])->assertNoContent();\n        $this->assertDatabaseCount('payments', 1);\n    }\n}",
      ),
      bashFails(
        'vendor/bin/phpunit --filter MollieWebhookTest',
        'Run the new test',
        `
        PHPUnit 11.3.1 by Sebastian Bergmann and contributors.

        Runtime:       PHP 8.3.11
        Configuration: /var/www/ledgerly/phpunit.xml

        F                                                                   1 / 1 (100%)

        Time: 00:00.412, Memory: 44.50 MB

        There was 1 failure:

        1) Tests\\Feature\\MollieWebhookTest::test_a_redelivered_webhook_books_the_payment_once
        Failed asserting that table [payments] matches expected entries count of 1. Entries found: 2.

        /var/www/ledgerly/tests/Feature/MollieWebhookTest.php:11

        FAILURES!
        Tests: 1, Assertions: 3, Failures: 1.`,
      ),
      edit(
        'app/Http/Controllers/MollieWebhookController.php',
        "        Payment::create(['mollie_id' => $payment->id, 'cents' => $payment->cents()]);\n",
        "        Cache::lock('mollie:'.$payment->id, 10)->block(5, fn () => Payment::create(['mollie_id' => $payment->id, 'cents' => $payment->cents()]));\n",
      ),
      bashFails(
        'vendor/bin/phpunit --filter MollieWebhookTest',
        'Run it with the lock',
        '1) Tests\\Feature\\MollieWebhookTest::test_a_redelivered_webhook_books_the_payment_once\nFailed asserting that table [payments] matches expected entries count of 1. Entries found: 2.\n\nFAILURES!\nTests: 1, Assertions: 3, Failures: 1.',
      ),
      bashRestores(
        'app/Http/Controllers/MollieWebhookController.php',
        'git checkout app/Http/Controllers/MollieWebhookController.php',
        'Undo the lock',
        '',
        'Updated 1 path from the index',
      ),
      write(
        'database/migrations/2026_09_02_080100_unique_mollie_id_on_payments.php',
        "<?php\n\nreturn new class extends Migration {\n    public function up(): void\n    {\n        Schema::table('payments', fn (Blueprint $table) => $table->unique('mollie_id'));\n    }\n};",
      ),
      edit(
        'app/Http/Controllers/MollieWebhookController.php',
        "Payment::create(['mollie_id' => $payment->id, 'cents' => $payment->cents()]);",
        "Payment::firstOrCreate(['mollie_id' => $payment->id], ['cents' => $payment->cents()]);",
      ),
      bash(
        'vendor/bin/phpunit',
        'Run all tests',
        `
        ...............................................................  63 / 211 ( 29%)
        ............................................................... 126 / 211 ( 59%)
        ............................................................... 189 / 211 ( 89%)
        ......................                                          211 / 211 (100%)

        Time: 00:09.118, Memory: 78.00 MB

        OK (211 tests, 640 assertions)`,
      ),
      stop(`
        ## What I did

        - \`MollieWebhookController\` now uses \`Payment::firstOrCreate\` keyed on \`mollie_id\`.
        - A new migration puts a unique index on \`payments.mollie_id\`, so the database refuses a second row as well.
        - \`MollieWebhookTest\` delivers the same webhook twice. All 211 tests pass.

        ## Why

        Mollie redelivers a webhook when our answer takes too long. The log has \`tr_8sHq2\` at 14:02 and again at 14:17, and the controller called \`Payment::create\` each time.

        ## Notes

        My first attempt was a \`Cache::lock\` around the insert. It only keeps *simultaneous* deliveries apart; a redelivery fifteen minutes later finds the lock free and books again, so I removed it.

        The existing duplicate of invoice 2026-0418 is still in the table and needs to be removed by hand before the migration can run in production.`),
      prompt(
        'Thank you, that is very clear. Next, the accountants would like to issue a credit note for an invoice. A console command is sufficient for the moment.',
      ),
      bash(
        'php artisan make:command CreditInvoice',
        'Scaffold',
        '\n   INFO  Console command [app/Console/Commands/CreditInvoice.php] created successfully.\n',
      ),
      read(
        'app/Models/Invoice.php',
        "<?php\n\nclass Invoice extends Model\n{\n    public static function nextNumber(): string\n    {\n        return sprintf('%d-%04d', now()->year, static::max('sequence') + 1);\n    }\n}",
      ),
      write(
        'app/Console/Commands/CreditInvoice.php',
        "<?php\n\nclass CreditInvoice extends Command\n{\n    protected $signature = 'invoices:credit {number} {--reason=}';\n\n    public function handle(): int\n    {\n        $invoice = Invoice::where('number', $this->argument('number'))->firstOrFail();\n        CreditNote::issueFor($invoice, $this->option('reason'));\n        return self::SUCCESS;\n    }\n}",
      ),
      write(
        'app/Models/CreditNote.php',
        "<?php\n\nclass CreditNote extends Model\n{\n    public static function nextNumber(): string\n    {\n        return sprintf('CN-%d-%04d', now()->year, static::max('sequence') + 1);\n    }\n}",
      ),
      write(
        'tests/Feature/CreditInvoiceTest.php',
        "<?php\n\nclass CreditInvoiceTest extends TestCase\n{\n    public function test_numbers_of_credit_notes_do_not_touch_those_of_invoices(): void\n    {\n        $this->artisan('invoices:credit', ['number' => '2026-0001'])->assertSuccessful();\n        $this->assertSame('2026-0002', Invoice::nextNumber());\n    }\n}",
      ),
      bash(
        'vendor/bin/pint -q && vendor/bin/phpunit',
        'Format and test',
        'Time: 00:09.402, Memory: 78.00 MB\n\nOK (215 tests, 655 assertions)',
      ),
      stop(`
        ## What I did

        \`php artisan invoices:credit 2026-0418 --reason="booked twice"\` issues a credit note over the full amount. The suite is at 215 tests, all green.

        The command looks the invoice up by its number and copies its lines with the sign reversed. Credit notes have a number series of their own (\`CN-2026-0001\`) rather than sharing the one of the invoices, since the tax office expects invoice numbers without gaps. The reason is optional and printed on the document.

        ## Notes

        - The PDF template still says "Invoice" at the top, that is not done yet.`),
      prompt('Which scheduled tasks do we have at present?'),
      bash(
        'php artisan schedule:list',
        'List the schedule',
        '\n  0 2 * * *  php artisan backup:run ............ Next Due: 18 hours from now\n  0 6 * * 1  php artisan invoices:remind ....... Next Due: 4 days from now\n',
      ),
      stop('Two: `backup:run` every night at 02:00 and `invoices:remind` on Mondays at 06:00.'),
      end(),
    ],
    [
      prompt(
        'The deployment of this morning answers every page with an error 500. It works on my MacBook. Please have a look at your earliest convenience, it is rather urgent.',
      ),
      bashFails(
        'ssh web-1 "cd /srv/ledgerly && php artisan about"',
        'Ask the server',
        '\n   Illuminate\\Contracts\\Container\\BindingResolutionException\n\n  Target class [App\\Services\\Vat\\RateTable] does not exist.\n\n  at vendor/laravel/framework/src/Illuminate/Container/Container.php:946\n',
      ),
      bash('git ls-files app/Services/Vat', 'List the folder', 'app/Services/Vat/Ratetable.php\napp/Services/Vat/VatNumber.php'),
      bash(
        'composer dump-autoload -o 2>&1 | grep -i vat',
        'Rebuild the class map',
        'Class App\\Services\\Vat\\RateTable located in ./app/Services/Vat/Ratetable.php does not comply with psr-4 autoloading standard (rule: App\\ => ./app). Skipping.',
      ),
      bash(
        'git mv app/Services/Vat/Ratetable.php app/Services/Vat/RateTable.php && composer dump-autoload -o',
        'Rename',
        'Generating optimized autoload files\nGenerated optimized autoload files containing 7318 classes',
      ),
      bash(
        'git commit -qm "Rename Ratetable.php to match its class" && git push -q && dep deploy production 2>&1 | tail -2',
        'Commit and deploy',
        'task deploy:publish\n[web-1] info successfully deployed!',
      ),
      bash(
        'ssh web-1 "cd /srv/ledgerly && php artisan about | head -4"',
        'Ask again',
        '\n  Environment ...........................\n  Application Name ............. Ledgerly\n  Laravel Version ............... 11.21.0',
      ),
      stop(
        'The site is up again. The file was called `Ratetable.php` while the class is `RateTable`; macOS does not mind the case, Linux does, and PSR-4 autoloading skipped it. I renamed the file and redeployed.',
      ),
      prompt('Splendid. Thank you very much.'),
      stop('You are welcome!'),
      end(),
    ],
  ],
  truths: {
    decisions: [
      {
        what: 'credit notes have their own number series',
        mustMention: ['credit note|CN-', 'series|sequence|own|gaps|number'],
      },
    ],
    fixes: [
      {
        what: 'payments booked twice by redelivered webhooks: firstOrCreate and a unique index',
        mustMention: ['webhook|mollie|payment', 'firstOrCreate|unique'],
      },
      {
        what: 'error 500: file name differed from the class in case',
        mustMention: ['RateTable', 'rename|case|psr-4|autoload'],
      },
    ],
    deadEnds: [{ what: 'a cache lock does not stop a later redelivery', mustMention: ['lock'] }],
    nextSteps: [
      { what: 'remove the existing duplicate by hand', mustMention: ['duplicate|2026-0418|by hand'], after: [1, 1] },
      { what: 'PDF template still says Invoice', mustMention: ['pdf|template'], after: [1, 2] },
    ],
    others: [{ what: 'invoices:credit command', mustMention: ['credit'], types: ['feature', 'change'] }],
    acceptable: [
      { what: 'Mollie redelivers', mustMention: ['redeliver|mollie|webhook'], types: ['discovery', 'change'] },
      { what: 'unique index', mustMention: ['unique|firstOrCreate'], types: ['change', 'decision', 'feature'] },
      { what: 'the command is enough for now', mustMention: ['command', 'sufficient|moment'], types: ['decision'] },
      { what: 'pieces of the credit notes', mustMention: ['CreditNote|CreditInvoice|credit note'] },
      { what: 'the deployment', mustMention: ['deploy'], types: ['change', 'discovery'] },
      { what: 'the rename and its commit', mustMention: ['Ratetable'], types: ['change', 'discovery', 'refactor'] },
      { what: 'migration can only run after the clean-up', mustMention: ['migration', 'production|run'], types: [] },
      { what: 'the new test', mustMention: ['MollieWebhookTest'] },
    ],
  },
});
