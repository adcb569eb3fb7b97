// Questions about the commits of boltons, in other words than theirs, and the commit that answers each.

export const QUESTIONS: { asks: string; hash: string }[] = [
  { asks: 'an in-memory buffer with nothing in it counted as false, which broke zip archives', hash: '8ef0ef7' },
  { asks: 'avoid holding a huge chunk twice in RAM when the limit of the spool would be exceeded', hash: '78aff59' },
  { asks: 'a bit vector accepted a number that is one too large for its width', hash: 'c1c25da' },
  { asks: 'endless loop when iterating over dates with a step that goes nowhere', hash: '0a3084e' },
  { asks: 'why is the legal text packaged in the built distribution', hash: '8a088b4' },
  { asks: 'least privilege for GitHub Actions jobs', hash: '57cb026' },
  { asks: 'start the build by hand after an outage lost events', hash: '78e8638' },
  { asks: 'division by zero when the delay between retries does not grow', hash: 'ead236e' },
  { asks: 'replacing with an empty dictionary crashed because of a missing key', hash: '435774e' },
  { asks: 'web address with a v6 host in brackets and a port number', hash: '2c36795' },
  { asks: 'strip personal details from the report about the environment', hash: 'b0f4cdc' },
  { asks: 'the socket reader should look in what it already received before asking for more', hash: 'e3b23d6' },
  { asks: 'order a list of mixed kinds of values as Python 2 did', hash: 'f57a3ab' },
  { asks: 'pathlib objects when a file is written safely', hash: '55dfe50' },
  { asks: 'the documentation of a lazily computed attribute got lost in sphinx', hash: '4abe462' },
  { asks: 'wrong English plural of fox and tax', hash: '8c3fc28' },
  { asks: 'many find-and-replace operations over a text in one go', hash: '0336273' },
  { asks: 'searching nested data missed equal small tuples because results were memoized', hash: '1737473' },
  { asks: 'a custom separator was ignored when a shell command line is built', hash: '5df2659' },
  { asks: 'an ordered set gave a wrong element for an index before its beginning', hash: 'd0a284f' },
];
