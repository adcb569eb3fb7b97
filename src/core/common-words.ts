// Words that say nothing of what a text is about: they are in any text, however small the memory is.

export const COMMON_WORDS = new Set(
  `about across actually adding after again also already always another anything around back became because become been before behind
  being below better between both called came cannot change changed changes checked come comes commit correct could created decide
  decided decision deleted different does done down during each either else enough even every everything exactly expected failed
  fails failing file files finally finished first fixed follow following found from further getting give given goes happens have having
  here however implemented instead into itself just keep keeping kept know last less like likely longer look made make makes making many
  matter might missing more most moved much must myself need needed needs neither never next nobody nothing number once only other
  otherwise over passed passes passing perhaps please possible previous problem project rather reads really reason removed rename
  renamed replace replaced request result return returns running said same says second seen should show simple simply single some
  something still stored such support take taken tested testing than thanks that their them themselves then there therefore these they
  thing things this those through time together toward trying under unless until update updated updates upon used useful uses using
  usually verified version very wanted want wants were what whatever when whenever where whether which while will with without work
  working works would writes writing written wrong your yourself`.split(/\s+/),
);
