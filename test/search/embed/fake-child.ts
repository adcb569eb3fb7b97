// A stand-in for the embedder's process that does what the text says: hang, crash, fail, or answer with the text's length.

process.on('message', ({ text }: { text: string }) => {
  if (text === 'hang') return;
  if (text === 'crash') process.exit(3);
  const failure = { kind: 'failure', errorKind: 'settings', reason: 'static.bin is damaged.' };
  process.send?.(text === 'fail' ? failure : { kind: 'vector', vector: Int8Array.of(text.length) });
});
