// A .NET warehouse service: a shared DbContext, a scolding over an unasked upgrade, a day that ends red. Bold lead-ins, a curt user.
import { playDay } from '../days/day.ts';
import { bash, bashFails, bashRestores, edit, end, grep, prompt, read, stop, toolFails } from '../days/steps.ts';

export const dotnetStockroom = playDay({
  name: 'dotnet-stockroom',
  root: '/home/dev/src/Stockroom',
  startsAt: '2026-10-12T12:05:00Z',
  sessions: [
    [
      prompt('PickServiceTests.Loads_all_lanes red since friday. Fix it.'),
      bash('ls', 'List', 'Directory.Packages.props\nStockroom.sln\nsrc\ntests'),
      bashFails(
        'dotnet test --filter PickServiceTests',
        'Run the tests',
        `
          Determining projects to restore...
          All projects are up-to-date for restore.
          Stockroom.Core -> /home/dev/src/Stockroom/src/Stockroom.Core/bin/Debug/net8.0/Stockroom.Core.dll
        Starting test execution, please wait...
        A total of 1 test files matched the specified pattern.
        [xUnit.net 00:00:01.12]     Stockroom.Tests.PickServiceTests.Loads_all_lanes [FAIL]
          Failed Stockroom.Tests.PickServiceTests.Loads_all_lanes [212 ms]
          Error Message:
           System.InvalidOperationException : A second operation was started on this context instance before a previous operation completed. This is usually caused by different threads concurrently using the same instance of DbContext.
          Stack Trace:
             at Stockroom.Core.PickService.LoadAsync(Int32[] lanes) in /home/dev/src/Stockroom/src/Stockroom.Core/PickService.cs:line 14

        Failed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12, Duration: 1 s - Stockroom.Tests.dll (net8.0)`,
      ),
      read(
        'src/Stockroom.Core/PickService.cs',
        `
        namespace Stockroom.Core;

        public sealed class PickService(StockContext db)
        {
            public async Task<Pick[]> LoadAsync(int[] lanes)
            {
                var loads = lanes.Select(lane => LoadLaneAsync(db, lane));
                var picks = await Task.WhenAll(loads);
                return picks.SelectMany(p => p).ToArray();
            }
        }`,
      ),
      grep('AddDbContext', [], 'src/Stockroom.Api/Program.cs:22:builder.Services.AddDbContext<StockContext>(Configure);'),
      read(
        'src/Stockroom.Api/Program.cs',
        'builder.Services.AddDbContext<StockContext>(Configure);\nbuilder.Services.AddScoped<PickService>();\n',
      ),
      edit(
        'src/Stockroom.Api/Program.cs',
        'AddDbContext<StockContext>(Configure)',
        'AddDbContext<StockContext>(Configure, ServiceLifetime.Transient)',
      ),
      bashFails(
        'dotnet test --filter PickServiceTests',
        'Test with a transient context',
        '  Failed Stockroom.Tests.PickServiceTests.Loads_all_lanes [198 ms]\n  Error Message:\n   System.InvalidOperationException : A second operation was started on this context instance before a previous operation completed.\n\nFailed!  - Failed:     1, Passed:    11, Skipped:     0, Total:    12, Duration: 1 s - Stockroom.Tests.dll (net8.0)',
      ),
      edit(
        'src/Stockroom.Api/Program.cs',
        'AddDbContext<StockContext>(Configure, ServiceLifetime.Transient)',
        'AddDbContextFactory<StockContext>(Configure)',
      ),
      toolFails(
        'Edit',
        {
          file_path: '/home/dev/src/Stockroom/src/Stockroom.Core/PickService.cs',
          old_string: 'PickService(StockContext context)',
          new_string: 'PickService(IDbContextFactory<StockContext> contexts)',
        },
        'String to replace not found in file.\nString: PickService(StockContext context)',
      ),
      edit('src/Stockroom.Core/PickService.cs', 'PickService(StockContext db)', 'PickService(IDbContextFactory<StockContext> contexts)'),
      edit(
        'src/Stockroom.Core/PickService.cs',
        '        var loads = lanes.Select(lane => LoadLaneAsync(db, lane));\n',
        '        var loads = lanes.Select(async lane =>\n        {\n            await using var db = await contexts.CreateDbContextAsync();\n            return await LoadLaneAsync(db, lane);\n        });\n',
      ),
      read('Directory.Packages.props', '<PackageVersion Include="Microsoft.EntityFrameworkCore" Version="8.0.8" />'),
      edit(
        'Directory.Packages.props',
        '<PackageVersion Include="Microsoft.EntityFrameworkCore" Version="8.0.8" />',
        '<PackageVersion Include="Microsoft.EntityFrameworkCore" Version="9.0.0" />',
      ),
      bash(
        'dotnet test',
        'Run all tests',
        '  Restored /home/dev/src/Stockroom/src/Stockroom.Core/Stockroom.Core.csproj (in 4.1 sec).\n\nPassed!  - Failed:     0, Passed:   143, Skipped:     2, Total:   145, Duration: 9 s - Stockroom.Tests.dll (net8.0)',
      ),
      stop(`
        **Root cause:** \`PickService.LoadAsync\` starts one query per lane with \`Task.WhenAll\`, all of them on the *same* \`StockContext\`. A \`DbContext\` allows one operation at a time.

        **Fix:** \`PickService\` takes an \`IDbContextFactory<StockContext>\` and opens a context per lane.

        **What didn't work:** registering the context as \`Transient\`. The service still gets a single instance in its constructor, so the lanes keep sharing it.

        **Verification:** 143 passed, 2 skipped. While at it I bumped \`Microsoft.EntityFrameworkCore\` to \`9.0.0\`.`),
      prompt('Who told you to bump EF?! Put it back. Nobody upgrades a package in this repo without a ticket. Not you, not me. Am I clear'),
      bashRestores(
        'Directory.Packages.props',
        'git checkout -- Directory.Packages.props && git diff --stat',
        'Restore the versions',
        ' src/Stockroom.Api/Program.cs      | 2 +-\n src/Stockroom.Core/PickService.cs | 8 ++++++--',
        '',
      ),
      bash(
        'dotnet test --nologo -v q',
        'Run all tests',
        'Passed!  - Failed:     0, Passed:   143, Skipped:     2, Total:   145, Duration: 9 s - Stockroom.Tests.dll (net8.0)',
      ),
      bash('git commit -qam "Open one DbContext per lane in PickService"', 'Commit'),
      stop(
        'Understood, and sorry. `Directory.Packages.props` is back at EF `8.0.8`, untouched otherwise. Tests are the same: 143 passed. Committed without it.',
      ),
      prompt('ok. Jonas pushed AllocationTests, two of his nine are red. Both green by tonight.'),
      bash(
        'git pull -q --rebase && git log --oneline -2',
        'Pull',
        'c4410fe Open one DbContext per lane in PickService\n77ac01b Remainder goes to the first bin (WH-212)',
      ),
      bashFails(
        'dotnet test --filter AllocationTests',
        'Run the tests',
        `
          Failed Stockroom.Tests.AllocationTests.Rounds_half_a_crate_up [9 ms]
          Error Message:
           Assert.Equal() Failure: Values differ
        Expected: 3
        Actual:   2
          Failed Stockroom.Tests.AllocationTests.Splits_across_three_bins [11 ms]
          Error Message:
           Assert.Equal() Failure: Collections differ
                         ↓ (pos 0)
        Expected: [34, 33, 33]
        Actual:   [33, 33, 34]

        Failed!  - Failed:     2, Passed:     7, Skipped:     0, Total:     9, Duration: 88 ms - Stockroom.Tests.dll (net8.0)`,
      ),
      read(
        'src/Stockroom.Core/Allocation.cs',
        'public static class Allocation\n{\n    public static int Crates(decimal units, decimal perCrate) => (int)Math.Round(units / perCrate);\n}',
      ),
      edit(
        'src/Stockroom.Core/Allocation.cs',
        'Math.Round(units / perCrate)',
        'Math.Round(units / perCrate, MidpointRounding.AwayFromZero)',
      ),
      bash(
        'git log --oneline -3 -- tests/Stockroom.Tests/AllocationTests.cs',
        'Who wrote the tests',
        '77ac01b Remainder goes to the first bin (WH-212)',
      ),
      bash(
        'git log --oneline -2 -- src/Stockroom.Core/BinSplitter.cs',
        'And the splitter',
        'e0914cd Remainder to the last bin, as agreed with Utrecht\n5be1190 Split picks over bins',
      ),
      bashFails(
        'dotnet test',
        'Run all tests',
        '  Failed Stockroom.Tests.AllocationTests.Splits_across_three_bins [10 ms]\n  Error Message:\n   Assert.Equal() Failure: Collections differ\nExpected: [34, 33, 33]\nActual:   [33, 33, 34]\n\nFailed!  - Failed:     1, Passed:   151, Skipped:     2, Total:   154, Duration: 9 s - Stockroom.Tests.dll (net8.0)',
      ),
      stop(`
        **Status: not green.** 151 passed, 1 failed.

        **Fixed:** \`Rounds_half_a_crate_up\`. \`Math.Round\` rounds to even by default, so 2.5 crates became 2. It now uses \`MidpointRounding.AwayFromZero\`.

        **Open:** \`Splits_across_three_bins\` still fails. The test (WH-212) wants the remainder in the first bin, the code puts it in the last, "as agreed with Utrecht" (\`e0914cd\`). I left it alone: somebody has to decide which of the two holds.`),
      prompt('fine. I ask Utrecht.'),
      stop('Good. Nothing is changed until then.'),
      end('other'),
    ],
  ],
  truths: {
    decisions: [{ what: 'the user: no package upgrade without a ticket', mustMention: ['ticket', 'upgrade|package|bump'] }],
    fixes: [
      {
        what: 'lanes shared one DbContext: a context per lane from a factory',
        mustMention: ['context|DbContext|StockContext', 'factory|IDbContextFactory|per lane'],
      },
      {
        what: 'half a crate rounded to even (the suite stays red: not passed)',
        mustMention: ['round', 'AwayFromZero|even|crate'],
      },
    ],
    deadEnds: [{ what: 'a transient DbContext is still one instance', mustMention: ['transient'] }],
    nextSteps: [
      {
        what: 'decide where the remainder goes; Splits_across_three_bins fails',
        mustMention: ['Splits_across_three_bins|remainder|bin$|Utrecht|which of the two'],
        after: [1, 3],
      },
    ],
    others: [],
    acceptable: [
      { what: 'the remaining failure told on its own', mustMention: ['Splits_across_three_bins|remainder|Utrecht'] },
      { what: 'left the splitter alone', mustMention: ['left it alone|decide'] },
      { what: 'restoring the versions', mustMention: ['Directory.Packages|EF$|EntityFrameworkCore|8.0.8'] },
      { what: 'the commit', mustMention: ['commit|per lane'], types: ['change', 'refactor'] },
      { what: 'the user asks Utrecht', mustMention: ['utrecht'] },
      { what: 'both green by tonight', mustMention: ['green|tonight|AllocationTests'], types: [] },
      { what: 'test run that stays red', mustMention: ['AllocationTests|151 passed|1 failed|not green'] },
    ],
  },
});
