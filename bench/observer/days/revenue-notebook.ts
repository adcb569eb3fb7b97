// Analytics: a revenue figure that is too high, its dbt model, a definition of churn in a notebook. Long reports with headings.
import { playDay, type Step } from './day.ts';
import { bash, bashFails, edit, end, prompt, read, stop, use } from './steps.ts';

const query =
  (sql: string, result: string): Step =>
  (scene) =>
    use(scene, 'mcp__warehouse__run_query', { sql }, [{ type: 'text', text: result }]);

const NOTEBOOK = '/home/dev/insights/notebooks/churn.ipynb';

const cell =
  (cellId: string, source: string, mode = 'insert'): Step =>
  (scene) => {
    const input = { notebook_path: NOTEBOOK, cell_id: cellId, cell_type: 'code', new_source: source, edit_mode: mode };
    return use(scene, 'NotebookEdit', input, { ...input, language: 'python', error: '' });
  };

export const revenueNotebook = playDay({
  name: 'revenue-notebook',
  root: '/home/dev/insights',
  startsAt: '2026-04-14T12:40:00Z',
  sessions: [
    [
      prompt(
        'The exec dashboard shows Q1 revenue 4.1% above what finance has booked. Please find out which of the two is right, and why. Analysis only for now.',
      ),
      bash(
        'ls models/marts models/staging',
        'List models',
        'models/marts:\nfct_revenue.sql\nschema.yml\n\nmodels/staging:\nstg_fx.sql\nstg_orders.sql\nstg_payments.sql',
      ),
      read(
        'models/marts/fct_revenue.sql',
        `
        select o.order_line_id, o.ordered_at, o.amount * fx.rate as revenue_eur
        from {{ ref('stg_orders') }} o
        join {{ ref('stg_fx') }} fx on fx.currency = o.currency and fx.day = o.ordered_at::date
        left join {{ ref('stg_payments') }} p on p.order_id = o.order_id
        where p.status = 'captured'`,
      ),
      query(
        "select sum(revenue_eur) from marts.fct_revenue where ordered_at >= '2026-01-01' and ordered_at < '2026-04-01'",
        '[{"sum": 8121440.12}]',
      ),
      query(
        'select sum(amount * month_end_rate) - sum(amount * rate) as fx_effect from staging.stg_orders join staging.stg_fx using (currency)',
        '[{"fx_effect": 1604.77}]',
      ),
      query(
        "select date_trunc('month', ordered_at at time zone 'UTC') m, sum(amount) from staging.stg_orders group by 1",
        '[{"m": "2026-01-01", "sum": 2611002.4}, {"m": "2026-02-01", "sum": 2498121.0}, {"m": "2026-03-01", "sum": 2692310.7}]',
      ),
      query(
        "select n, count(*) from (select order_id, count(*) n from staging.stg_payments where status = 'captured' group by 1) t group by 1",
        '[{"n": 1, "count": 201442}, {"n": 2, "count": 7310}, {"n": 3, "count": 901}]',
      ),
      query(
        'select count(*) as extra, sum(revenue_eur) from (select *, row_number() over (partition by order_line_id) rn from marts.fct_revenue) t where rn > 1',
        '[{"extra": 18422, "sum": 319870.55}]',
      ),
      stop(`
        # Q1 revenue: dashboard vs. finance

        ## Short answer
        Finance is right. The dashboard counts EUR 319,870 twice or more.

        ## Mechanism
        \`fct_revenue\` joins order lines to \`stg_payments\`, and that table has one row per capture, not per order. 8,211 orders were paid in
        two or three instalments, so their lines appear once per instalment (18,422 surplus rows).

        ## Hypotheses tested
        ### Exchange rates
        Daily against month-end rates moves the total by EUR 1,605, about 0.02%. Ruled out as an explanation.
        ### Time zone at the quarter boundary
        No visible effect on the monthly totals.

        ## Limits
        Only Q1 was checked. Older quarters have fewer instalments, so the error there is probably smaller.`),
      prompt('Convincing. Fix it in the model, and add a dbt test so that it cannot come back.'),
      edit('models/marts/schema.yml', '      - name: order_line_id\n', '      - name: order_line_id\n        tests: [unique, not_null]\n'),
      bashFails(
        'dbt build --select fct_revenue',
        'Build with the test',
        `
        14:02:11  1 of 3 OK created sql table model marts.fct_revenue ............ [SELECT 228075 in 6.4s]
        14:02:12  2 of 3 FAIL 18422 unique_fct_revenue_order_line_id ............. [FAIL 18422 in 0.9s]
        14:02:12  3 of 3 PASS not_null_fct_revenue_order_line_id ................. [PASS in 0.6s]
        14:02:12  Completed with 1 error and 0 warnings:
        14:02:12    Failure in test unique_fct_revenue_order_line_id (models/marts/schema.yml)
        14:02:12    Got 18422 results, configured to fail if != 0
        14:02:12  Done. PASS=2 WARN=0 ERROR=1 SKIP=0 TOTAL=3`,
      ),
      edit(
        'models/marts/fct_revenue.sql',
        "left join {{ ref('stg_payments') }} p on p.order_id = o.order_id\nwhere p.status = 'captured'",
        "where exists (\n  select 1 from {{ ref('stg_payments') }} p where p.order_id = o.order_id and p.status = 'captured'\n)",
      ),
      bash(
        'dbt build --select fct_revenue+',
        'Build it and everything downstream',
        '14:05:40  1 of 9 OK created sql table model marts.fct_revenue ............ [SELECT 209653 in 5.8s]\n14:05:51  Done. PASS=9 WARN=0 ERROR=0 SKIP=0 TOTAL=9',
      ),
      query(
        "select sum(revenue_eur) from marts.fct_revenue where ordered_at >= '2026-01-01' and ordered_at < '2026-04-01'",
        '[{"sum": 7801569.57}]',
      ),
      bash('git checkout -qb fix/revenue-fanout && git commit -qam "fct_revenue: one row per order line" && git push -q', 'Push a branch'),
      stop(`
        ## Done
        The payment join in \`fct_revenue\` became an \`exists\`, so an order in instalments is counted once. Q1 is now EUR 7,801,570, which agrees with finance to the cent.
        A \`unique\` test on \`order_line_id\` guards it (it failed with 18,422 rows before the change).

        ## Remaining
        - The branch \`fix/revenue-fanout\` needs a review and a full refresh in production
        - Somebody must tell the exec team beforehand that Q1 goes down by 3.9%`),
      prompt(
        'Will do. Next: churn. We need one definition for the whole company: a customer has churned after 60 days without an order, B2B after 120. Build the notebook on that.',
      ),
      bash(
        'du -sh data/export && ls data/export | head -3',
        'Look at the export',
        '1.4G\tdata/export\ncustomers.parquet\norders_2024.parquet\norders_2025.parquet',
      ),
      cell('c1', 'import duckdb\norders = duckdb.sql("select * from \'data/export/orders_*.parquet\'")'),
      cell('c2', 'last = orders.df().groupby(["customer_id", "segment"]).ordered_at.max().reset_index()'),
      cell('c3', 'last["churned"] = last.days > last.segment.map({"b2c": 60, "b2b": 120})\nlast.groupby("segment").churned.mean()'),
      bashFails(
        'jupyter nbconvert --to notebook --execute --inplace notebooks/churn.ipynb',
        'Run the notebook',
        `
        nbclient.exceptions.CellExecutionError: An error occurred while executing the following cell:
        ------------------
        last = orders.df().groupby(["customer_id", "segment"]).ordered_at.max().reset_index()
        ------------------
        KeyError: 'segment'`,
      ),
      cell(
        'c1',
        "import duckdb\norders = duckdb.sql(\"select o.*, c.segment from 'data/export/orders_*.parquet' o join 'data/export/customers.parquet' c using (customer_id)\")",
        'replace',
      ),
      bash(
        'jupyter nbconvert --to notebook --execute --inplace notebooks/churn.ipynb',
        'Run the notebook',
        '[NbConvertApp] Converting notebook notebooks/churn.ipynb to notebook\n[NbConvertApp] Writing 18833 bytes to notebooks/churn.ipynb',
      ),
      bash('python scripts/show_outputs.py notebooks/churn.ipynb', 'Show the results', 'segment\nb2b    0.019\nb2c    0.038'),
      stop(`
        ## Churn, first numbers
        With your definition (60 days, B2B 120 days) monthly churn is **3.8% for B2C** and **1.9% for B2B**. Everything is in \`notebooks/churn.ipynb\`.

        ## Choices
        The notebook reads the parquet export with DuckDB rather than querying the warehouse, since every run there would scan 40 GB and cost about 2 EUR.

        ## Caveats
        Customers with a single order weigh heavily: they make up 61% of the B2C churn.`),
      end(),
    ],
  ],
  truths: {
    decisions: [
      { what: 'the user: churned after 60 days, B2B 120', mustMention: ['churn', '60 days|60', '120'] },
      { what: 'DuckDB over the export, not the warehouse', mustMention: ['duckdb', 'warehouse|export|parquet'] },
    ],
    fixes: [
      {
        what: 'fct_revenue counted orders once per instalment',
        mustMention: ['fct_revenue|revenue', 'payment|instalment|duplicate|twice|unique', 'exists|one row|once|join'],
      },
    ],
    deadEnds: [{ what: 'exchange rates do not explain it', mustMention: ['exchange rate|fx'] }],
    nextSteps: [
      {
        what: 'review and full refresh in production',
        mustMention: ['review|full refresh|production|fix/revenue-fanout'],
        after: [1, 2],
      },
      { what: 'tell the exec team', mustMention: ['exec'], after: [1, 2] },
    ],
    others: [
      {
        what: 'finance is right, the dashboard double counts',
        mustMention: ['finance|dashboard|319', 'twice|payment|instalment|surplus|18,422|join'],
        types: ['discovery'],
      },
      {
        what: 'churn notebook and its figures',
        mustMention: ['churn', 'notebook|3.8|1.9|ipynb'],
        types: ['feature', 'change', 'discovery'],
      },
    ],
    acceptable: [
      { what: 'no effect of the time zone', mustMention: ['time zone'] },
      { what: 'unique test added', mustMention: ['unique|dbt'], types: ['change', 'feature', 'bugfix'] },
      { what: 'KeyError in the notebook', mustMention: ['segment|KeyError'], types: ['bugfix', 'change'] },
      { what: 'customers with a single order', mustMention: ['single order|61%'] },
      { what: 'churn figures', mustMention: ['churn'], types: ['discovery', 'feature', 'change'] },
      { what: 'older quarters not checked', mustMention: ['quarters|only q1'] },
      { what: 'the commit', mustMention: ['commit|one row per order line'] },
      { what: 'analysis only', mustMention: ['analysis only'], types: ['decision'] },
    ],
  },
});
