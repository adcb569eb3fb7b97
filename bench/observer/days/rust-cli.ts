// A Rust command line tool: a flag with a choice of crate, a slow path made fast after a wrong turn, a turn of listings.
import { playDay } from './day.ts';
import { bash, bashFails, bashRestores, edit, end, glob, prompt, read, stop, toolFails } from './steps.ts';
import { ask } from './talk.ts';

export const rustCli = playDay({
  name: 'rust-cli',
  root: '/home/dev/logsieve',
  startsAt: '2026-03-17T17:22:00Z',
  sessions: [
    [
      prompt('add a --since flag. should take 2h, 3d or a full RFC 3339 time'),
      glob('src/**/*.rs', ['src/main.rs', 'src/args.rs', 'src/scan.rs', 'src/time.rs']),
      read(
        'src/args.rs',
        '#[derive(clap::Parser)]\npub struct Args {\n    /// Only lines that match\n    pub pattern: String,\n    pub file: PathBuf,\n}',
      ),
      read(
        'src/time.rs',
        'pub fn parse_stamp(line: &str) -> Option<DateTime<Utc>> {\n    DateTime::parse_from_rfc3339(line.get(..25)?).ok().map(|t| t.to_utc())\n}',
      ),
      ask(
        'How should durations like 2h be parsed?',
        [
          { label: 'humantime crate', description: 'Small, no dependencies, understands 2h 30m' },
          { label: 'Own parser', description: 'About 20 lines, only h/d/m' },
        ],
        'humantime crate',
      ),
      bash('cargo add humantime', 'Add the crate', '', '    Updating crates.io index\n      Adding humantime v2.1.0 to dependencies'),
      edit(
        'src/args.rs',
        '    pub file: PathBuf,\n',
        '    pub file: PathBuf,\n    /// Only lines after this: 2h, 3d or an RFC 3339 time\n    #[arg(long, value_parser = parse_since)]\n    pub since: Option<DateTime<Utc>>,\n',
      ),
      edit(
        'src/time.rs',
        'pub fn parse_stamp',
        'pub fn parse_since(text: &str) -> Result<DateTime<Utc>, String> {\n    match humantime::parse_duration(text) {\n        Ok(age) => Ok(Utc::now() - age),\n        Err(_) => text.parse().map_err(|e| format!("{e}")),\n    }\n}\n\npub fn parse_stamp',
      ),
      bashFails(
        'cargo build',
        'Build',
        `
           Compiling logsieve v0.4.1 (/home/dev/logsieve)
        error[E0382]: use of moved value: \`args\`
          --> src/main.rs:19:22
           |
        17 |     let file = args.file;
           |                --------- value partially moved here
        19 |     scan(&file, &args)?;
           |                 ^^^^^ value borrowed here after partial move

        error: could not compile \`logsieve\` (bin "logsieve") due to 1 previous error`,
        101,
      ),
      edit('src/main.rs', '    let file = args.file;', '    let file = args.file.clone();'),
      bash(
        'cargo test',
        'Run the tests',
        `
        running 14 tests
        test time::tests::since_hours ... ok
        test time::tests::since_rfc3339 ... ok
        test scan::tests::matches ... ok
        test result: ok. 14 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s`,
      ),
      bash(
        'cargo clippy -- -D warnings',
        'Lint',
        '',
        '    Checking logsieve v0.4.1 (/home/dev/logsieve)\n    Finished `dev` profile [unoptimized + debuginfo] target(s) in 1.88s',
      ),
      stop(
        '`--since` is there. `2h`, `3d`, `1d 6h` go through humantime, anything else is read as RFC 3339. Lines without a timestamp are kept. 14 tests, clippy clean.',
      ),
      prompt('nice. it is painfully slow on big.log (4 GB) though. make it fast'),
      bash(
        "hyperfine -w1 './target/release/logsieve error big.log'",
        'Measure',
        'Benchmark 1: ./target/release/logsieve error big.log\n  Time (mean ± σ):     11.214 s ±  0.190 s    [User: 10.71 s, System: 0.48 s]\n  Range (min … max):   11.020 s … 11.455 s    5 runs',
      ),
      read(
        'src/scan.rs',
        `
        pub fn scan(file: &Path, args: &Args) -> io::Result<()> {
            let reader = BufReader::new(File::open(file)?);
            for line in reader.lines() {
                let line = line?;
                if line.contains(&args.pattern) {
                    println!("{line}");
                }
            }
            Ok(())
        }`,
      ),
      bash('cargo add rayon', 'Add rayon', '', '      Adding rayon v1.10.0 to dependencies'),
      edit(
        'src/scan.rs',
        '    for line in reader.lines() {\n        let line = line?;\n',
        '    reader.lines().par_bridge().for_each(|line| {\n        let line = line.unwrap();\n',
      ),
      toolFails(
        'Edit',
        {
          file_path: '/home/dev/logsieve/src/scan.rs',
          old_string: '        }\n    Ok(())',
          new_string: '        }\n    });\n    Ok(())',
          replace_all: false,
        },
        'String to replace not found in file.\nString:         }\n    Ok(())',
      ),
      edit('src/scan.rs', '    }\n    Ok(())', '    });\n    Ok(())'),
      bash(
        "cargo build --release && hyperfine -w1 './target/release/logsieve error big.log'",
        'Measure with rayon',
        '    Finished `release` profile [optimized] target(s) in 6.40s\nBenchmark 1: ./target/release/logsieve error big.log\n  Time (mean ± σ):     12.930 s ±  0.415 s    [User: 38.20 s, System: 9.77 s]',
      ),
      bashRestores(
        'src/scan.rs',
        'git checkout src/scan.rs && cargo remove rayon',
        'Take rayon out again',
        '',
        'Updated 1 path from the index\n    Removing rayon from dependencies',
      ),
      bash('cargo add memchr', 'Add memchr', '', '      Adding memchr v2.7.4 to dependencies'),
      edit(
        'src/scan.rs',
        '    for line in reader.lines() {\n        let line = line?;\n        if line.contains(&args.pattern) {\n            println!("{line}");\n',
        "    let finder = memmem::Finder::new(args.pattern.as_bytes());\n    let mut out = BufWriter::new(stdout().lock());\n    while reader.read_until(b'\\n', &mut line)? > 0 {\n        if finder.find(&line).is_some() {\n            let text = std::str::from_utf8(&line).unwrap();\n            out.write_all(text.as_bytes())?;\n",
      ),
      bashFails(
        'cargo test',
        'Run the tests',
        `
        running 15 tests
        test scan::tests::latin1_file ... FAILED

        failures:

        ---- scan::tests::latin1_file stdout ----
        thread 'scan::tests::latin1_file' panicked at src/scan.rs:9:55:
        called \`Result::unwrap()\` on an \`Err\` value: Utf8Error { valid_up_to: 12, error_len: Some(1) }

        failures:
            scan::tests::latin1_file

        test result: FAILED. 14 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s

        error: test failed, to rerun pass \`--bin logsieve\``,
        101,
      ),
      edit('src/scan.rs', 'std::str::from_utf8(&line).unwrap()', 'String::from_utf8_lossy(&line)'),
      bash(
        'cargo test',
        'Run the tests',
        'running 15 tests\ntest result: ok. 15 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.02s',
      ),
      bash(
        "cargo build --release && hyperfine -w1 './target/release/logsieve error big.log'",
        'Measure',
        '    Finished `release` profile [optimized] target(s) in 7.02s\nBenchmark 1: ./target/release/logsieve error big.log\n  Time (mean ± σ):      2.108 s ±  0.031 s    [User: 1.60 s, System: 0.49 s]',
      ),
      stop(`
        11.2 s down to 2.1 s on big.log. What made the difference: lines are read as bytes with \`read_until\` into one buffer, searched
        with memchr's \`memmem\`, and written through a locked BufWriter, so there is no allocation and no UTF-8 check per line any more.

        Rayon was the obvious idea and the wrong one: with par_bridge it took 12.9 s (the lock around the line iterator eats everything) and the
        output lost its order, so it is out again.

        On the way latin1_file panicked because I unwrapped from_utf8; matching lines are now printed with from_utf8_lossy.

        Next I would put the hyperfine run into CI so this does not creep back. And the README still lists the old flags, --since is missing there.`),
      prompt('what is in target/release now?'),
      bash(
        'ls -la target/release',
        'List the release folder',
        'total 4820\ndrwxr-xr-x 7 dev dev    4096 Mar 17 17:58 .\ndrwxr-xr-x 2 dev dev    4096 Mar 17 17:58 deps\n-rwxr-xr-x 2 dev dev 4903120 Mar 17 17:58 logsieve\n-rw-r--r-- 1 dev dev     114 Mar 17 17:58 logsieve.d',
      ),
      bash('du -sh target', 'Size of target', '612M\ttarget'),
      stop('The binary `logsieve` (4.9 MB), its `.d` file and `deps/`. The whole target folder is 612 MB.'),
      end(),
    ],
  ],
  truths: {
    decisions: [{ what: 'the user chose the humantime crate', mustMention: ['humantime', 'parse|duration|own$|since|crate'] }],
    fixes: [{ what: 'panic on latin1 input: from_utf8_lossy', mustMention: ['utf', 'lossy', 'latin1|panic|unwrap'] }],
    deadEnds: [{ what: 'rayon was slower and lost the order', mustMention: ['rayon|par_bridge', 'slower|order|12.9'] }],
    nextSteps: [
      { what: 'benchmark in CI', mustMention: ['hyperfine|benchmark', 'ci$'], after: [1, 2] },
      { what: 'README lacks --since', mustMention: ['readme'], after: [1, 2] },
    ],
    others: [
      { what: 'the --since flag', mustMention: ['since'], types: ['feature', 'change'] },
      {
        what: '11.2 s to 2.1 s by bytes and memchr',
        mustMention: ['memchr|memmem|read_until|bytes', '2.1|11.2|fast'],
        types: ['feature', 'refactor', 'change', 'discovery'],
      },
    ],
    acceptable: [
      { what: 'moved value', mustMention: ['E0382|moved value|clone'], types: ['bugfix', 'change'] },
      { what: 'crates added', mustMention: ['humantime|memchr', 'add|crate|dependenc'], types: ['change'] },
    ],
  },
});
