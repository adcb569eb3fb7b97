// A pandas pipeline out of memory: two roads tried and left, a time zone bug, a rule of the user for later files.
import { playDay } from './day.ts';
import { bash, bashFails, bashRestores, edit, end, grep, prompt, read, stop, write } from './steps.ts';
import { todo } from './talk.ts';

const LOAD = `
  from pathlib import Path
  import pandas as pd

  def load_readings(path: Path) -> pd.DataFrame:
      """All readings of one day, one row per meter and quarter of an hour."""
      frame = pd.read_csv(path)
      return frame.drop_duplicates(["meter_id", "ts"])`;

export const pythonPipeline = playDay({
  name: 'python-pipeline',
  root: '/home/dev/meterflow',
  startsAt: '2026-02-12T07:58:00Z',
  sessions: [
    [
      prompt('the nightly job died again, see logs/etl-2026-02-11.log. load_readings has to cope with 30M rows on the 4 GB box'),
      bash(
        'tail -n 12 logs/etl-2026-02-11.log',
        'Show the end of the log',
        `
        2026-02-11 02:10:41 INFO  meterflow.run start day=2026-02-10
        2026-02-11 02:11:55 INFO  meterflow.load reading /data/in/readings-2026-02-10.csv (5.1 GB)
        2026-02-11 02:14:02 ERROR meterflow.run failed
        Traceback (most recent call last):
          File "/srv/meterflow/meterflow/load.py", line 6, in load_readings
            frame = pd.read_csv(path)
        numpy.core._exceptions._ArrayMemoryError: Unable to allocate 1.79 GiB for an array with shape (8, 30122240) and data type float64`,
      ),
      read('meterflow/load.py', LOAD),
      bashFails('pytset -q', 'Run tests', '/bin/bash: line 1: pytset: command not found', 127),
      bash(
        'python -m pytest -q',
        'Run tests',
        '.........................................                                [100%]\n41 passed in 6.02s',
      ),
      edit(
        'meterflow/load.py',
        '    frame = pd.read_csv(path)\n',
        '    parts = pd.read_csv(path, chunksize=500_000)\n    frame = pd.concat(p.drop_duplicates(["meter_id", "ts"]) for p in parts)\n',
      ),
      bash(
        'python tools/measure.py /data/in/readings-2026-02-10.csv',
        'Measure time and memory',
        'rows      30122240\nseconds   412.6\npeak_rss  3.1 GB',
      ),
      bash(
        'pip install "dask[dataframe]==2025.1.0"',
        'Install dask',
        'Successfully installed cloudpickle-3.1.1 dask-2025.1.0 fsspec-2025.2.0 locket-1.0.0 partd-1.4.2 toolz-1.0.0',
      ),
      write(
        'meterflow/load.py',
        `
        from pathlib import Path
        import dask.dataframe as dd

        def load_readings(path: Path):
            return dd.read_csv(path).drop_duplicates(["meter_id", "ts"]).compute()`,
      ),
      bashFails(
        'python tools/measure.py /data/in/readings-2026-02-10.csv',
        'Measure time and memory',
        `
        Traceback (most recent call last):
          File "/home/dev/meterflow/tools/measure.py", line 14, in <module>
            frame = load_readings(Path(sys.argv[1]))
        ValueError: Mismatched dtypes found in \`pd.read_csv\`/\`pd.read_table\`.

        +----------+--------+----------+
        | Column   | Found  | Expected |
        +----------+--------+----------+
        | meter_id | object | int64    |
        | quality  | object | float64  |
        +----------+--------+----------+`,
      ),
      bashRestores(
        'meterflow/load.py',
        'git checkout meterflow/load.py && pip uninstall -y dask',
        'Take back the dask attempt',
        'Found existing installation: dask 2025.1.0\n  Successfully uninstalled dask-2025.1.0',
        'Updated 1 path from the index',
      ),
      bash('pip install polars==1.22.0', 'Install polars', 'Successfully installed polars-1.22.0'),
      write(
        'meterflow/load.py',
        `
        from pathlib import Path
        import polars as pl

        SCHEMA = {"meter_id": pl.String, "quality": pl.String}

        def load_readings(path: Path) -> pl.DataFrame:
            """All readings of one day, one row per meter and quarter of an hour."""
            lazy = pl.scan_csv(path, schema_overrides=SCHEMA)
            return lazy.unique(["meter_id", "ts"]).collect(engine="streaming")`,
      ),
      bash(
        'python tools/measure.py /data/in/readings-2026-02-10.csv',
        'Measure time and memory',
        'rows      30122240\nseconds   38.4\npeak_rss  540 MB',
      ),
      bash(
        'python -m pytest -q',
        'Run tests',
        '.........................................                                [100%]\n41 passed in 4.11s',
      ),
      bash(
        'git commit -qam "Load readings with polars in streaming mode" && git log --oneline -1',
        'Commit',
        '9ad2f10 Load readings with polars in streaming mode',
      ),
      stop(`
        ## Result
        \`load_readings\` now goes through \`polars.scan_csv\` with the streaming engine: 30M rows in 38 s with a peak of 540 MB
        (the old code needed more than 4 GB and was killed).

        ## Why polars and not the others
        - **Chunked pandas** works but took 412 s and still 3.1 GB, because the concat at the end holds everything once more. Ruled out.
        - **Dask** was a dead end: it infers dtypes per partition and meter_id has leading zeros, so partitions disagree
          ("Mismatched dtypes"). It would need explicit dtypes for all 64 columns. Reverted and uninstalled.

        ## Note
        meter_id and quality are read as strings on purpose.`),
      prompt('test_daily_totals fails on CI but not on my machine, why?'),
      bash(
        'python -m pytest -q tests/test_daily.py',
        'Run the test here',
        '....                                                                     [100%]\n4 passed in 0.61s',
      ),
      bashFails(
        'TZ=UTC python -m pytest -q tests/test_daily.py',
        'Run the test as CI does',
        `
        F...                                                                     [100%]
        =================================== FAILURES ===================================
        ______________________________ test_daily_totals _______________________________
            def test_daily_totals():
        >       assert len(daily_totals(frame)) == 24
        E       assert 23 == 24
        E        +  where 23 = len(...)

        tests/test_daily.py:19: AssertionError
        =========================== short test summary info ============================
        FAILED tests/test_daily.py::test_daily_totals - assert 23 == 24
        1 failed, 3 passed in 0.66s`,
      ),
      grep('fromtimestamp', [], 'meterflow/daily.py:11:    day = datetime.fromtimestamp(ts).date()'),
      read('meterflow/daily.py', 'from datetime import datetime\n\ndef day_of(ts):\n    return datetime.fromtimestamp(ts).date()\n'),
      edit(
        'meterflow/daily.py',
        '    return datetime.fromtimestamp(ts).date()',
        '    return datetime.fromtimestamp(ts, tz=ZoneInfo("Europe/Berlin")).date()',
      ),
      bash(
        'TZ=UTC python -m pytest -q && TZ=Europe/Berlin python -m pytest -q',
        'Run under both zones',
        '41 passed in 4.20s\n41 passed in 4.17s',
      ),
      stop(
        'It was the time zone of the machine: `day_of` cut days by local time, CI runs in UTC. Days are now always cut in Europe/Berlin. Green under TZ=UTC and TZ=Europe/Berlin. Still to do: backfill the totals of 25 and 26 October, they were computed with the wrong day boundary.',
      ),
      end(),
    ],
    [
      prompt(
        'one rule before you go on: never write parquet with zstd here, downstream is spark 2 and cannot read it. snappy everywhere. fix what we have and make a list of what is left for the polars move',
      ),
      grep(
        'compression=',
        [],
        'meterflow/write.py:22:    frame.write_parquet(target, compression="zstd")\nmeterflow/export.py:40:    frame.write_parquet(out, compression="zstd")',
      ),
      edit('meterflow/write.py', 'frame.write_parquet(target, compression="zstd")', 'frame.write_parquet(target, compression="snappy")'),
      edit('meterflow/export.py', 'frame.write_parquet(out, compression="zstd")', 'frame.write_parquet(out, compression="snappy")'),
      bash('python -m pytest -q', 'Run tests', '41 passed in 4.09s'),
      todo(
        ['completed', 'Switch parquet compression to snappy'],
        ['completed', 'Pin polars in requirements.txt'],
        ['pending', 'Add a memory regression test for load_readings'],
        ['pending', 'Port weather join from pandas to polars'],
      ),
      bash('ls requirements*', 'List requirement files', 'requirements-dev.txt\nrequirements.txt'),
      edit('requirements.txt', 'pandas==2.2.3', 'pandas==2.2.3\npolars==1.22.0'),
      stop('Done. Both writers use snappy, polars is pinned, and the list is in the todos.'),
      end(),
    ],
  ],
  truths: {
    decisions: [
      { what: 'polars in streaming mode instead of pandas or dask', mustMention: ['polars', 'pandas|dask'] },
      { what: 'the user: parquet with snappy, never zstd', mustMention: ['snappy', 'zstd|spark|parquet'] },
    ],
    fixes: [
      {
        what: 'daily totals depended on the zone of the machine',
        mustMention: ['time zone|timezone|Europe/Berlin', 'local time|machine|utc'],
      },
    ],
    deadEnds: [
      { what: 'dask: dtypes differ between partitions', mustMention: ['dask', 'dtype'] },
      { what: 'chunked pandas: slow and still 3.1 GB', mustMention: ['chunk', '412|3.1 GB|slow|concat|memory'] },
    ],
    nextSteps: [
      { what: 'backfill the October totals', mustMention: ['backfill', 'october|totals'], after: [1, 2] },
      { what: 'memory regression test', mustMention: ['memory regression|load_readings'], after: [2, 1] },
      { what: 'port the weather join', mustMention: ['weather'], after: [2, 1] },
    ],
    others: [],
    acceptable: [
      { what: 'days are cut in Europe/Berlin', mustMention: ['Europe/Berlin'], types: ['decision', 'bugfix'] },
      { what: 'load_readings moved to polars', mustMention: ['load_readings|load.py|30M|memory', 'polars'] },
      {
        what: 'the change of compression itself',
        mustMention: ['snappy'],
        types: ['change', 'refactor', 'bugfix', 'feature'],
      },
      { what: 'polars pinned or installed', mustMention: ['polars', 'pin|install|requirements'] },
      { what: 'meter_id stays a string', mustMention: ['meter_id', 'string'] },
    ],
  },
});
