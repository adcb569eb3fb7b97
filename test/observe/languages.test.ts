// The same small work gives the same kinds of memories, in whatever language it is done.
import { describe, expect, test } from 'bun:test';
import type { EventBody } from '../../src/core/event.ts';
import { edit, fails, observe, prompt, read, run, stop } from '../support/script.ts';

type Words = {
  fix: string;
  cause: string;
  fixed: string;
  choose: string;
  chosen: string;
  ask: string;
  answer: string;
  rule: string;
  done: string;
};

const LANGUAGES: Record<string, Words> = {
  en: {
    fix: 'The sum of the cart is wrong, please fix it.',
    cause: 'The prices are added as floats in sumCart, so every addition loses a bit.',
    fixed: 'sumCart adds whole cents now, the sum is exact.',
    choose: 'Keep the sessions for 7 days instead of 30.',
    chosen: 'Sessions are kept for 7 days now.',
    ask: 'Where are the sessions deleted?',
    answer: 'Sessions are deleted in purgeSessions, which the worker calls once an hour.',
    rule: 'Never run the tests against the live database.',
    done: 'Done.',
  },
  de: {
    fix: 'Die Summe im Warenkorb ist falsch, bitte beheben.',
    cause: 'Die Preise werden in sumCart als Kommazahlen addiert, deshalb geht jedes Mal etwas verloren.',
    fixed: 'sumCart addiert jetzt ganze Cent, die Summe ist genau.',
    choose: 'Behalte die Sitzungen 7 Tage statt 30.',
    chosen: 'Sitzungen werden jetzt 7 Tage behalten.',
    ask: 'Wo werden die Sitzungen gelöscht?',
    answer: 'Sitzungen werden in purgeSessions gelöscht, das der Worker einmal pro Stunde aufruft.',
    rule: 'Lass die Tests nie gegen die echte Datenbank laufen.',
    done: 'Fertig.',
  },
  fr: {
    fix: 'La somme du panier est faux, corrige ce bug.',
    cause: 'Les prix sont additionnés en flottants dans sumCart, donc chaque addition perd un peu.',
    fixed: 'sumCart additionne maintenant des centimes entiers, la somme est exacte.',
    choose: 'Garde les sessions 7 jours au lieu de 30.',
    chosen: 'Les sessions sont gardées 7 jours maintenant.',
    ask: 'Où sont supprimées les sessions ?',
    answer: 'Les sessions sont supprimées dans purgeSessions, que le worker appelle une fois par heure.',
    rule: 'Ne lance jamais les tests sur la vraie base de données.',
    done: 'C’est fait.',
  },
  es: {
    fix: 'La suma del carrito está mal, arréglala por favor.',
    cause: 'Los precios se suman como flotantes en sumCart, por eso cada suma pierde algo.',
    fixed: 'sumCart suma ahora céntimos enteros, la suma es exacta.',
    choose: 'Guarda las sesiones 7 días en vez de 30.',
    chosen: 'Las sesiones se guardan ahora 7 días.',
    ask: '¿Dónde se borran las sesiones?',
    answer: 'Las sesiones se borran en purgeSessions, que el worker llama una vez por hora.',
    rule: 'Nunca ejecutes las pruebas contra la base de datos real.',
    done: 'Listo.',
  },
  pt: {
    fix: 'A soma do carrinho está errado, corrige esse bug.',
    cause: 'Os preços são somados como float em sumCart, por isso cada soma perde um pouco.',
    fixed: 'sumCart soma agora centavos inteiros, a soma é exata.',
    choose: 'Guarda as sessões por 7 dias em vez de 30.',
    chosen: 'As sessões são guardadas por 7 dias agora.',
    ask: 'Onde as sessões são apagadas?',
    answer: 'As sessões são apagadas em purgeSessions, que o worker chama uma vez por hora.',
    rule: 'Nunca rode os testes no banco de dados real.',
    done: 'Pronto.',
  },
  zh: {
    fix: '购物车的总价不对，请修一下。',
    cause: 'sumCart 里价格按浮点数相加，所以每次相加都会丢一点精度。',
    fixed: 'sumCart 现在按整数分相加，总价是精确的。',
    choose: '会话保留 7 天，而不是 30 天。',
    chosen: '会话现在保留 7 天。',
    ask: '会话是在哪里删除的？',
    answer: '会话在 purgeSessions 里删除，由 worker 每小时调用一次，并且会写入日志文件。',
    rule: '以后测试一律不要连正式数据库。',
    done: '好了。',
  },
  ja: {
    fix: 'カートの合計がおかしいので直してください。',
    cause: 'sumCart で価格を浮動小数点で足しているため、足すたびに誤差が出ます。',
    fixed: 'sumCart は整数のセントで足すようになり、合計は正確です。',
    choose: 'セッションの保持は 30 日ではなく 7 日にして。',
    chosen: 'セッションは 7 日間保持されます。',
    ask: 'セッションはどこで削除されますか？',
    answer: 'セッションは purgeSessions で削除され、ワーカーが一時間に一回呼び出してログに書きます。',
    rule: '今後テストは本番のデータベースに対して絶対に実行しないで。',
    done: 'できました。',
  },
};

const said = (text: string): EventBody => ({ kind: 'said', text });

describe.each(Object.entries(LANGUAGES))('in %s', (_, words) => {
  test('a mended fault is a fix with its cause', () => {
    const { observations } = observe([
      prompt(words.fix),
      fails('bun test cart', 'expected 3.15, received 3.149999'),
      said(words.cause),
      edit('src/cart.ts', '-  total += price;', '+  cents += Math.round(price * 100);'),
      run('bun test cart', '12 pass'),
      stop(words.fixed),
    ]);
    expect(observations.map(({ type, outcome }) => [type, outcome])).toEqual([['bugfix', 'passed']]);
    expect(observations[0]?.facts.map(({ text }) => text).join('\n')).toContain(words.cause);
  });

  test('a value that the user chose is a decision of the user', () => {
    const { observations } = observe([
      prompt(words.choose),
      edit('src/session.ts', '-const KEEP_DAYS = 30;', '+const KEEP_DAYS = 7;'),
      stop(words.chosen),
    ]);
    const decisions = observations.filter(({ type }) => type === 'decision');
    expect(decisions.map(({ origin }) => origin)).toEqual(['user']);
    expect(decisions[0]?.title).toContain('7');
  });

  test('a rule of the user is a decision that is marked as one', () => {
    const { observations } = observe([prompt(words.rule), stop(words.done)]);
    expect(observations.map(({ type, origin, isRule }) => [type, origin, isRule])).toEqual([['decision', 'user', true]]);
  });

  test('an answered question is a discovery', () => {
    const { observations } = observe([prompt(words.ask), read('src/session.ts'), stop(words.answer)]);
    expect(observations.map(({ type, origin }) => [type, origin])).toEqual([['discovery', 'agent']]);
    expect(observations[0]?.title).toContain('purgeSessions');
  });
});
